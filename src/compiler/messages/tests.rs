#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;

fn at(line: u32, column: Option<u32>, severity: Severity, text: &str) -> Message {
    Message { line: Some(line), column, severity, text: text.to_owned() }
}

fn nowhere(severity: Severity, text: &str) -> Message {
    Message { line: None, column: None, severity, text: text.to_owned() }
}

#[test]
fn logs_of_nvrtc_12() {
    let log = "nvrtc: warning: Architectures prior to '<compute/sm>_75' are deprecated and may be \
               removed\nmy.cu(2): error: identifier \"uint3\" is undefined\n    uint3 q = 3;\n    \
               ^\n\nmy.cu(6): error: expected a \";\"\n  }\n  ^\n\nmy.cu(4): warning #177-D: \
               variable \"unused\" was declared but never referenced\n    int unused;\n        ^\n\n\
               Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n\n\
               my.cu(7): catastrophic error: could not open source file \"x.h\"\n  #include \
               <x.h>\n                ^\n\n3 errors detected in the compilation of \"my.cu\".\n";
    assert_eq!(
        parse(log, "my.cu"),
        [
            at(2, Some(3), Severity::Error, "identifier \"uint3\" is undefined"),
            at(6, Some(1), Severity::Error, "expected a \";\""),
            at(
                4,
                Some(7),
                Severity::Warning,
                "variable \"unused\" was declared but never referenced"
            ),
            at(7, Some(15), Severity::Error, "could not open source file \"x.h\""),
        ]
    );
}

#[test]
fn logs_of_nvrtc_11_have_no_columns() {
    let log = "my.cu(2): error: identifier \"y\" is undefined\n\nother.h(9): error: x\n\n2 errors \
               detected in the compilation of \"my.cu\".\n";
    assert_eq!(
        parse(log, "my.cu"),
        [
            at(2, None, Severity::Error, "identifier \"y\" is undefined"),
            nowhere(Severity::Error, "x"),
        ]
    );
}

#[test]
fn logs_of_clang() {
    let log = "my.cu:1:12: error: unknown type name 'a'\nmy.cu:3:10: warning: x: y [-Wz]\n\
               prelude:4:2: note: declared here\nclang: error: no such file\nfatal error: too many \
               errors emitted, stopping now [-ferror-limit=]\nerror: cannot find libdevice\n";
    assert_eq!(
        parse(log, "my.cu"),
        [
            at(1, Some(12), Severity::Error, "unknown type name 'a'"),
            at(3, Some(10), Severity::Warning, "x: y [-Wz]"),
            nowhere(Severity::Note, "declared here"),
            nowhere(Severity::Error, "no such file"),
            nowhere(Severity::Error, "cannot find libdevice"),
        ]
    );
}

#[test]
fn the_assembler_is_heard_too() {
    let log = "ptxas error   : Entry function 'a' uses too much shared data (0x13880 bytes, 0xc000 \
               max)\nptxas fatal   : Ptx assembly aborted due to errors\n";
    let messages = parse(log, "my.cu");
    assert_eq!(messages.len(), 2);
    assert!(messages[0].text.starts_with("Entry function 'a'"), "{messages:?}");
    assert!(messages.iter().all(Message::is_error));
}

#[test]
fn escape_sequences_disappear_and_text_is_bounded() {
    let log =
        format!("my.cu:1:2: error: \u{1b}[31mre\u{7}d\u{202e}\u{1b}[0m {}\n", "x".repeat(9999));
    let messages = parse(&log, "my.cu");
    assert!(messages[0].text.starts_with("red xxx"), "{messages:?}");
    assert!(messages[0].text.chars().count() < 600);
    let log = "my.cu:1:2: error: x\n".repeat(1000);
    assert_eq!(parse(&log, "my.cu").len(), MOST);
}

#[test]
fn a_message_is_a_sentence_with_its_place() {
    assert_eq!(at(3, Some(4), Severity::Error, "x").to_string(), "line 3:4: x");
    assert_eq!(at(3, None, Severity::Error, "x").to_string(), "line 3: x");
    assert_eq!(nowhere(Severity::Error, "x").to_string(), "x");
}

proptest! {
    #[test]
    fn any_log_gives_few_clean_messages(log in "(my\\.cu[(:][0-9]{1,12}[):]{1,2}[ 0-9:]{0,4}(error|warning): |\\PC|[\\x00-\\x1f\\n^ ]){0,200}") {
        let messages = parse(&log, "my.cu");
        prop_assert!(messages.len() <= MOST);
        for message in messages {
            prop_assert!(!message.text.chars().any(|c| text::is_hidden(c) && c != '\t'));
            prop_assert!(message.line != Some(0) && message.column != Some(0));
        }
    }
}

#[test]
fn a_launch_in_a_kernel_is_told_as_such() {
    let log = "a.cu(7): error: device-side kernel launch could not be processed as the required runtime APIs are not declared\n";
    let found = parse(log, "a.cu");
    let wanted =
        "kernels cannot launch kernels here; launch them from the host, one after the other";
    assert_eq!((found[0].line, found[0].text.as_str()), (Some(7), wanted));
}
