//! Launches in host code: `kernel<<<blocks, threads>>>(arguments)`.

use super::declaration::closing;
use super::lexer::{Kind, Token, tokens};

/// What a launch says in numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Launch {
    /// Threads per block.
    pub(crate) block: Option<String>,
    /// Each argument.
    pub(crate) arguments: Vec<Option<String>>,
}

/// The first launch of a kernel in a source.
pub(crate) fn launch(source: &str, kernel: &str) -> Option<Launch> {
    let tokens: Vec<Token> = tokens(source).filter(|it| it.kind != Kind::Comment).collect();
    let signs = |at: usize, sign: &str| {
        (at..at + 3).all(|at| tokens.get(at).is_some_and(|it| it.is_sign(sign)))
    };
    let start = (0..tokens.len()).find(|&at| tokens[at].is_word(kernel) && signs(at + 1, "<"))? + 4;
    let end = (start..tokens.len()).find(|&at| signs(at, ">"))?;
    let open = end + 3;
    if !tokens.get(open)?.is_sign("(") {
        return None;
    }
    let close = open + closing(&tokens[open..])?;
    let numbers = |part: &[Token]| -> Vec<Option<String>> {
        split(part).into_iter().map(|it| number(it, source, &tokens)).collect()
    };
    Some(Launch {
        block: numbers(&tokens[start..end]).into_iter().nth(1).flatten(),
        arguments: numbers(&tokens[open + 1..close]),
    })
}

/// The tokens between commas that are in no brackets.
fn split<'t, 'a>(tokens: &'t [Token<'a>]) -> Vec<&'t [Token<'a>]> {
    let mut depth = 0_i32;
    let commas = tokens.split(|it| {
        depth += i32::from(["(", "[", "{"].iter().any(|open| it.is_sign(open)));
        depth -= i32::from([")", "]", "}"].iter().any(|close| it.is_sign(close)));
        it.is_sign(",") && depth == 0
    });
    commas.collect()
}

/// The number that these tokens are, or the macro or constant that they name.
fn number(words: &[Token], source: &str, all: &[Token]) -> Option<String> {
    if let [name] = words
        && name.kind == Kind::Word
    {
        return of_macro(source, name.text).or_else(|| of_constant(all, name.text));
    }
    let text: String = words.iter().map(|it| it.text).collect();
    literal(&text)
}

/// A number without what gives its type: `2.5f` as 2.5, `100u` as 100.
fn literal(text: &str) -> Option<String> {
    let plain = text.trim_end_matches(['f', 'F', 'u', 'U', 'l', 'L']);
    let begins = plain.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
    (begins && plain.parse::<f64>().is_ok_and(f64::is_finite)).then(|| plain.to_owned())
}

/// `#define NAME 256`.
fn of_macro(source: &str, name: &str) -> Option<String> {
    source.lines().find_map(|line| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("define")?;
        let mut words = rest.split_whitespace();
        (words.next() == Some(name)).then(|| literal(words.next()?))?
    })
}

/// `const int NAME = 256;`
fn of_constant(tokens: &[Token], name: &str) -> Option<String> {
    tokens.windows(4).enumerate().find_map(|(at, part)| {
        let [word, equals, value, end] = part else { return None };
        let set = word.is_word(name) && equals.is_sign("=") && end.is_sign(";");
        let before = &tokens[at.saturating_sub(4)..at];
        let constant = before.iter().any(|it| it.is_word("const") || it.is_word("constexpr"));
        (set && constant).then(|| literal(value.text))?
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_a_launch_are_read() {
        let source = "#define BLOCK 128\nstatic const int WIDTH = 640;\nint count = 3;\n\
            // k<<<1, 1>>>(0);\nvoid run() {\n\
            other<<<1, 2>>>();\n\
            k<<<dim3((n + 1) / 2, 3), BLOCK, f(1, 2)>>>(n, -2.5f, in, WIDTH, 100u, count, 1e-5f);\n\
            k<<<1, 64>>>(7);\n}\n";
        let found = launch(source, "k").unwrap();
        assert_eq!(found.block.as_deref(), Some("128"));
        let arguments: Vec<_> = found.arguments.iter().map(Option::as_deref).collect();
        let wanted = [None, Some("-2.5"), None, Some("640"), Some("100"), None, Some("1e-5")];
        assert_eq!(arguments, wanted);
        assert_eq!(launch(source, "other").unwrap().block.as_deref(), Some("2"));
        for broken in ["k<<<1, 2>>>", "k<<<1", "k<<<>>>(", "k<<<1, dim3(2, 2)>>>("] {
            assert_eq!(launch(broken, "k"), None, "{broken}");
        }
        assert_eq!(launch("k<<<>>>()", "k").unwrap().block, None);
    }
}
