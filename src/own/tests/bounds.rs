//! Random whole numbers within bounds.

use super::{case, file, ptx};
use crate::own::system;

#[test]
fn drawn_numbers_stay_below_a_bound() {
    let args = r#"args = ["a: i32[n] uniform below 10 * n", "b: u8[n] dist below 7", "c: u64[n] iota below 5", "out: f32[n]"]"#;
    let source = |args: &str| {
        format!(
            "/* warpscope\ngrid = 1\n{args}\noutput = \"out\"\n*/\n\
            __global__ void k(int *a, unsigned char *b, unsigned long long *c, float *out) {{}}\n"
        )
    };
    let ptx = ptx(&[("k", &["u64", "u64", "u64", "u64"])]);
    let found = system(&file("below.cu", &source(args), &ptx)).unwrap();
    let case = case(found, "k", 1000);
    assert_eq!(found.obstacle(&case), None);
    let inputs = found.inputs(&case);
    let most = |index: usize| inputs[index].to_f64().into_iter().fold(0.0, f64::max);
    assert!((9000.0..10_000.0).contains(&most(0)), "{}", most(0));
    assert_eq!((most(1), most(2)), (6.0, 4.0));
    let other = crate::experiment::Case { n: 999, ..case.clone() };
    assert_ne!(found.input_key(&case), found.input_key(&other));
    let none = found.obstacle(&crate::experiment::Case { n: 0, ..case });
    assert_eq!(
        none.unwrap(),
        "below.cu:3: the bound `10 * n` is 0 here; allowed: 1 to 18446744073709551615"
    );
    let wrong = args.replace("out: f32[n]", "out: f32[n] uniform below 3");
    let message = system(&file("below.cu", &source(&wrong), &ptx)).err().unwrap().to_string();
    assert_eq!(
        message,
        "below.cu:3: argument `out: f32[n] uniform below 3`: `below` is for whole numbers"
    );
}

#[test]
fn drawn_numbers_may_begin_anywhere() {
    let source = |from: &str| {
        format!(
            "/* warpscope\ngrid = 1\nargs = [\"a: i64[n] uniform {from}\", \"out: f32[n]\"]\noutput = \"out\"\n*/\n\
            __global__ void k(long long *a, float *out) {{}}\n"
        )
    };
    let ptx = ptx(&[("k", &["u64", "u64"])]);
    for (from, ends) in [
        ("from -3 below 4", Some((-3.0, 3.0))),
        ("from n below n + 2", Some((1000.0, 1001.0))),
        ("from -1 below 18446744073709551614", None),
        ("from 0 - 9223372036854775808 below 9223372036854775807", None),
    ] {
        let found = system(&file(&format!("{from}.cu"), &source(from), &ptx)).unwrap();
        let case = case(found, "k", 1000);
        assert_eq!(found.obstacle(&case), None, "{from}");
        let numbers = found.inputs(&case)[0].to_f64();
        let least = numbers.iter().copied().fold(f64::MAX, f64::min);
        let most = numbers.iter().copied().fold(f64::MIN, f64::max);
        assert!(ends.is_none_or(|it| it == (least, most)), "{from}: {least} to {most}");
    }
    for from in ["from -1 below 18446744073709551615", "from 5 below 5"] {
        let found = system(&file(&format!("{from}.cu"), &source(from), &ptx)).unwrap();
        let obstacle = found.obstacle(&case(found, "k", 1000)).unwrap();
        assert!(obstacle.contains("the bound `"), "{obstacle}");
    }
}
