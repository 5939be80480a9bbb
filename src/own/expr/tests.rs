#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;

fn names(name: &str) -> Option<i128> {
    match name {
        "n" => Some(1000),
        "block" => Some(256),
        "coarsen" => Some(4),
        _ => None,
    }
}

fn value(text: &str) -> Result<i128, String> {
    let expr = Expr::read(text, &["n", "block", "coarsen"]).map_err(|error| error.0)?;
    expr.whole(&names).map_err(|error| error.0)
}

#[test]
fn operators_bind_as_in_mathematics() {
    for (text, expected) in [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("2 ^ 3 ^ 2", 512),
        ("-2 ^ 2", -4),
        ("2 - 3 - 4", -5),
        ("7 % 4 * 2", 6),
        ("-1 % 8", 7),
        ("1.5 * 4", 6),
        ("ceil(n / (block * coarsen))", 1),
        ("ceil(n / 3) - floor(n / 3)", 1),
        ("n / 3 * 3", 1000),
        ("min(n, 5, block)", 5),
        ("max(n, 5, block)", 1000),
        ("log2(block)", 8),
        ("ceil(log2(n))", 10),
        ("floor(log2(n))", 9),
        ("floor(log2(1 / 3))", -2),
        ("ceil(-7 / 2)", -3),
        ("floor(-7 / 2)", -4),
        ("1_000", 1000),
    ] {
        assert_eq!(value(text), Ok(expected), "{text}");
    }
}

#[test]
fn numbers_may_have_decimals_and_an_exponent() {
    for (text, wanted) in [
        ("2.5e1", 25),
        ("1e3 + 1", 1001),
        ("1E+2", 100),
        ("3e-2 * 100", 3),
        ("0.5e-1 * 20", 1),
        ("1e0", 1),
    ] {
        assert_eq!(value(text), Ok(wanted), "{text}");
    }
    for (text, wanted) in [
        ("1e", "`e` is unexpected here"),
        ("1e+", "`e` is unexpected here"),
        ("1e99999", "`e` is unexpected here"),
        ("1e40", "a number is too large"),
        ("1e-40", "a number is too small"),
        ("2e1x", "`x` is unexpected here"),
    ] {
        let found = value(text).unwrap_err();
        assert!(found.contains(wanted), "{text}: {found}");
    }
}

#[test]
fn what_has_no_value_is_named() {
    for (text, reason) in [
        ("n / 3", "no whole number; use `ceil` or `floor`"),
        ("n / (block - 256)", "division by zero"),
        ("n % 0", "division by zero"),
        ("2 ^ 127", "exceeds 128 bits"),
        ("n ^ n", "exponent"),
        ("log2(n)", "ceil(log2(…))"),
        ("log2(0 - n)", "above 0"),
        ("radius + 1", "there is no name `radius`"),
        ("blok", "did you mean `block`?"),
        ("sqrt(n)", "there is no function `sqrt`"),
        ("1 +", "ends too early"),
        ("1 2", "`2` is unexpected"),
        ("2 é", "`é` is unexpected"),
        ("(1", "`)` is missing"),
        ("ceil(1, 2)", "takes one value"),
        ("99999999999999999999999999999999999999999", "too large"),
        (&"(".repeat(200), "nested too deeply"),
        (&"2^".repeat(200), "nested too deeply"),
    ] {
        let error = value(text).unwrap_err();
        assert!(error.contains(reason) && error.contains(text), "{error}");
    }
    assert!(value(&"1+".repeat(300)).unwrap_err().contains("more than"));
}

proptest! {
    #[test]
    fn rounding_is_exact(n in 0..=u64::MAX, block in 1..=1024_u64, coarsen in 1..=u64::from(u32::MAX)) {
        let at = |name: &str| match name {
            "n" => Some(i128::from(n)),
            "block" => Some(i128::from(block)),
            _ => Some(i128::from(coarsen)),
        };
        let known = ["n", "block", "coarsen"];
        let per_block = i128::from(block) * i128::from(coarsen);
        let up = Expr::read("ceil(n / (block * coarsen))", &known).unwrap().whole(&at).unwrap();
        let down = Expr::read("floor(n / block / coarsen)", &known).unwrap().whole(&at).unwrap();
        prop_assert_eq!(up, (i128::from(n) + per_block - 1) / per_block);
        prop_assert_eq!(down, i128::from(n) / per_block);
    }

    #[test]
    fn logarithms_are_rounded_exactly(over in 1..=u64::MAX, under in 1..=u64::MAX) {
        let value = Fraction::new(over.into(), under.into()).unwrap();
        let (floor, exact) = value.log2().unwrap();
        // 2^floor <= over / under < 2^(floor + 1), with integers only.
        let scaled = |power: i128| {
            let (over, under) = (u128::from(over), u128::from(under));
            if power < 0 { (over << -power, under) } else { (over, under << power) }
        };
        let (a, b) = scaled(floor);
        prop_assert!(a >= b && (a == b) == exact);
        if floor < 63 {
            let (a, b) = scaled(floor + 1);
            prop_assert!(a < b);
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[\\PC]{0,40}|[-+*/%^() 0-9.,nceil]{0,60}") {
        if let Ok(expr) = Expr::read(&text, &["n"]) {
            let _ = expr.whole(&|_| Some(i128::MAX));
            let _ = expr.whole(&|_| Some(i128::MIN));
        }
    }
}
