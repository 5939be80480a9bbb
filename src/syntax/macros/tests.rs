//! Macros written out, and texts that have none.

use proptest::prelude::*;

use super::written_out;

#[test]
fn macros_that_launch_are_written_out() {
    let source = "#define GRID(n) ((n) / 256)\n\
        #define RUN(k, n, ...) do { \\\n  k<<<GRID(n), 256>>>(__VA_ARGS__, n); \\\n} while (0)\n\
        #define RUN_TWICE(k, n, args...) RUN(k, n, args); RUN(k, n, args)\n\
        int main() {\n  RUN_TWICE(add, 64, // both\n    a, f(b, c));\n  done();\n}\n";
    let text = written_out(source);
    let launch = "do { add<<<GRID(64), 256>>>(a, f(b, c), 64); } while (0)";
    assert!(text.ends_with(&format!("  {launch}; {launch}\n;\n  done();\n}}\n")), "{text}");
    assert_eq!(text.lines().count(), source.lines().count());
}

#[test]
fn macros_that_make_kernels_are_written_out() {
    let source = "#define KERNEL(name, op) __global__ void name##_all(int *p) \\\n\
        { p[threadIdx.x] op 2; puts(#op \" of \" #name); }\nKERNEL(scale, *=)\nKERNEL(shift, +=)\n";
    let text = written_out(source);
    let scale = "__global__ void scale_all(int *p) { p[threadIdx.x] *= 2; \
        puts(\"*=\" \" of \" \"scale\"); }\n";
    assert!(text.contains(scale), "{text}");
    assert!(text.ends_with(&scale.replace("*=", "+=").replace("scale", "shift")), "{text}");
}

#[test]
fn macros_that_join_names_are_written_out_in_those_that_make_kernels() {
    let source = "#define N 4\n#define JOIN_(a, b) a##b\n#define JOIN(a, b) JOIN_(a, b)\n\
        #define MAKE(name) __global__ void JOIN(name, _kernel)(int *p) { p[0] = N; }\n\
        MAKE(set)\nint JOIN(main, 2)() { return N; }\n";
    let text = written_out(source);
    let rest =
        "__global__ void set_kernel(int *p) { p[0] = N; }\nint JOIN(main, 2)() { return N; }\n";
    assert!(text.ends_with(rest), "{text}");
}

#[test]
fn the_definition_that_launches_counts() {
    let source = "#ifdef __INTELLISENSE__\n#define ARGS(...)\n#else\n\
        #define ARGS(...) <<<__VA_ARGS__>>>\n#endif\nvoid f() { k ARGS(1, 2)(p); }\n";
    assert!(written_out(source).ends_with("void f() { k <<<1, 2>>>(p); }\n"));
    let empty = "#define GO(k, ...) k<<<1, 1>>>(p, ##__VA_ARGS__)\nvoid f() { GO(k); }\n";
    assert!(written_out(empty).ends_with("void f() { k<<<1, 1>>>(p); }\n"));
    let itself = "#define k(p) k<<<1, 1>>>(p)\nvoid f() { k(2); }\n";
    assert!(written_out(itself).ends_with("void f() { k<<<1, 1>>>(2); }\n"));
}

#[test]
fn macros_that_grow_without_end_are_left() {
    let mut source = "#define M0 k<<<1, 1>>>(p, p, p, p);\n".to_owned();
    for level in 1..40 {
        source += &format!("#define M{level} {}\n", format!("M{} ", level - 1).repeat(9));
    }
    source += "void f() { M39 M12 }\n";
    assert!(written_out(&source).len() < 64 << 20);
}

proptest! {
    #[test]
    fn any_text_keeps_its_lines(text in "(#define A(\\(x, ?y?\\))? ?|<<<|__global__|\\(|\\)|A|x|##?|,|\n|\\\\|[\\PC]){0,60}") {
        let lines = written_out(&text).matches('\n').count();
        prop_assert_eq!(lines, text.matches('\n').count());
    }
}
