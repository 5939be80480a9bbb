//! Launches by calls of the CUDA library, as `<<<…>>>`.

use super::declaration::{closing, matching};
use super::host::split;
use super::lexer::{Kind, Token, tokens};
use super::macros::{Replacing, one_line};

/// The text with launches `kernel<<<…>>>(…)` in the place of calls of the library, if it has any.
/// What such a call does not say where it stands is left out, such as arguments in an array that is
/// filled elsewhere.
pub(super) fn launches(text: &str) -> Option<String> {
    if !text.contains("cudaLaunch") {
        return None;
    }
    let tokens: Vec<Token> = tokens(text).filter(|it| it.kind != Kind::Comment).collect();
    let mut replacing = Replacing::new(text);
    for (at, token) in tokens.iter().enumerate().filter(|it| it.1.kind == Kind::Word) {
        let open = tokens.get(at + 1..).filter(|it| it.first().is_some_and(|it| it.is_sign("(")));
        let Some((open, close)) = open.and_then(|it| Some((it, closing(it)?))) else { continue };
        let given: Vec<&[Token]> =
            split(&open[1..close], true).into_iter().map(|it| &open[1..close][it]).collect();
        let launch = match (token.text, &given[..]) {
            (
                "cudaLaunchKernel" | "cudaLaunchCooperativeKernel",
                [kernel, grid, block, array, rest @ ..],
            ) => {
                let mut config = vec![*grid, block];
                config.extend(rest);
                written(text, kernel, &config, &elements(&tokens[..at], array))
            }
            ("cudaLaunchKernelEx", [config, kernel, arguments @ ..]) => {
                let set = |member: &str| member_of(&tokens[..at], plain(config), member);
                match (set("gridDim"), set("blockDim"), set("dynamicSmemBytes")) {
                    (Some(grid), Some(block), Some(bytes)) => {
                        written(text, kernel, &[grid, block, bytes], arguments)
                    }
                    (Some(grid), Some(block), None) => {
                        written(text, kernel, &[grid, block], arguments)
                    }
                    _ => continue,
                }
            }
            _ => continue,
        };
        replacing.put(&tokens[at..at + close + 2], &launch);
    }
    replacing.end()
}

/// A launch in the usual form.
fn written(text: &str, kernel: &[Token], config: &[&[Token]], arguments: &[&[Token]]) -> String {
    let line = |parts: &[&[Token]]| {
        parts.iter().map(|it| one_line(text, it)).collect::<Vec<_>>().join(", ")
    };
    format!("{}<<<{}>>>({})", one_line(text, plain(kernel)), line(config), line(arguments))
}

/// An expression without casts, parentheses and `&` around it.
fn plain<'t, 'a>(tokens: &'t [Token<'a>]) -> &'t [Token<'a>] {
    let rest = match tokens {
        [first, rest @ ..] if first.is_sign("&") => rest,
        [first, ..] if first.is_sign("(") => match closing(tokens) {
            Some(close) if close + 1 == tokens.len() => &tokens[1..close],
            Some(close) => &tokens[close + 1..],
            None => return tokens,
        },
        [first, .., last] if first.text.ends_with("_cast") && last.is_sign(")") => {
            match tokens.iter().position(|it| it.is_sign("(")) {
                Some(open) => &tokens[open..],
                None => return tokens,
            }
        }
        _ => return tokens,
    };
    plain(rest)
}

/// What the pointers in an array point to, which is declared as in `void *args[] = {&a, &n};`.
fn elements<'t, 'a>(before: &'t [Token<'a>], array: &[Token]) -> Vec<&'t [Token<'a>]> {
    let Some(name) = plain(array).first() else { return Vec::new() };
    let declared = before.iter().rposition(|it| it.is_word(name.text));
    let list = declared.and_then(|at| {
        let rest = &before[at + 1..];
        let behind = rest.first().filter(|it| it.is_sign("[")).and_then(|_| matching(rest))? + 1;
        let open = behind + usize::from(rest.get(behind)?.is_sign("="));
        let list = rest.get(open..).filter(|it| it.first().is_some_and(|it| it.is_sign("{")))?;
        list.get(1..matching(list)?)
    });
    let list = list.unwrap_or_default();
    split(list, true).into_iter().map(|it| plain(&list[it])).collect()
}

/// What a member of a variable was set to last.
fn member_of<'t, 'a>(
    before: &'t [Token<'a>],
    variable: &[Token],
    member: &str,
) -> Option<&'t [Token<'a>]> {
    let name = variable.first()?;
    let set = before.windows(4).rposition(|it| {
        it[0].is_word(name.text)
            && it[1].is_sign(".")
            && it[2].is_word(member)
            && it[3].is_sign("=")
    })?;
    let value = &before[set + 4..];
    value.get(..value.iter().position(|it| it.is_sign(";"))?)
}

#[cfg(test)]
mod tests {
    use super::super::macros::written_out;

    fn launch(body: &str) -> String {
        let source = format!("void f() {{ {body} }}");
        written_out(&source).rsplit_once("} ").unwrap_or_default().0.to_owned() + "}"
    }

    #[test]
    fn calls_of_the_library_are_launches() {
        let of = |kernel: &str| {
            let source = format!(
                "void f() {{ void *args[] = {{ &d_x, (void *)&n }};\n\
                 check(cudaLaunchKernel({kernel}, dim3(n / 256), block,\n args, 0, stream)); }}"
            );
            let text = written_out(&source).into_owned();
            text.split_once("check(").map(|it| it.1.to_owned()).unwrap_or_default()
        };
        let rest = "<<<dim3(n / 256), block, 0, stream>>>(d_x, n)\n); }";
        assert_eq!(of("(void *)add"), format!("add{rest}"));
        assert_eq!(
            of("reinterpret_cast<const void *>(&add<float, 4>)"),
            format!("add<float, 4>{rest}")
        );
        assert_eq!(of("(const void*)(add)"), format!("add{rest}"));
    }

    #[test]
    fn a_configuration_gives_grid_and_block() {
        let text = launch(
            "cudaLaunchConfig_t c = {}; { c.gridDim = dim3(8); c.blockDim = 2 * w; \
             cudaLaunchKernelEx(&c, add, x, 3); } }",
        );
        assert!(text.contains("add<<<dim3(8), 2 * w>>>(x, 3);"), "{text}");
        let unknown = "cudaLaunchKernelEx(&c, add, x, 3);";
        assert!(launch(&format!("{{ {unknown} }} }}")).contains(unknown));
    }
}
