#![allow(clippy::unwrap_used)]

use super::*;

#[test]
fn a_refusal_names_the_first_error_and_counts_the_rest() {
    let message = |severity, line| Message {
        line: Some(line),
        column: None,
        severity,
        text: "what".to_owned(),
    };
    let warning = message(Severity::Warning, 1);
    let error = |line| message(Severity::Error, line);
    let said = |messages: Vec<Message>| CompileError::Refused(messages).to_string();
    assert_eq!(said(vec![warning.clone(), error(7)]), "line 7: what");
    assert_eq!(said(vec![error(7), error(8)]), "line 7: what (and 1 more error)");
    assert_eq!(
        said(vec![error(7), warning, error(8), error(9)]),
        "line 7: what (and 2 more errors)"
    );
    assert_eq!(said(Vec::new()), "the compiler refused the file without a reason");
}
