//! The way out where a header is missing.

use super::messages::{Message, Severity};
use crate::syntax::included;

/// How the message about a missing header of the user ends.
const NOT_THERE: &str = " was not found in the folder of the file";

/// Removes the messages about missing headers of the user from `messages`, and returns them.
pub(super) fn not_there(messages: &mut Vec<Message>) -> Vec<Message> {
    messages.extract_if(.., |it| it.text.ends_with(NOT_THERE)).collect()
}

/// The source without the lines that include these headers, and a warning for each.
pub(super) fn without(source: &str, headers: &[Message]) -> (String, Vec<Message>) {
    let names: Vec<&str> =
        headers.iter().filter_map(|it| it.text.strip_suffix(NOT_THERE)).collect();
    let is_named = |line: &str| included(line).is_some_and(|header| names.contains(&header));
    let text =
        source.split_inclusive('\n').map(|line| if is_named(line) { "\n" } else { line }).collect();
    let left_out = |header: &Message| Message {
        severity: Severity::Warning,
        text: format!("{}; it is left out", header.text),
        ..header.clone()
    };
    (text, headers.iter().map(left_out).collect())
}

/// Says of each header that `messages` miss how it gets here: `way` knows those that are NVIDIA's
/// by their packages of `pip`, up to CUDA 12.
pub(super) fn explain(messages: &mut [Message], way: impl Fn(&[&str]) -> String) {
    for message in messages {
        let Some(header) = missing(&message.text) else { continue };
        let way = match packages(header) {
            [] if message.line.is_none() => {
                "a header that the file includes is for host code; of CUB, include what runs in a \
                 block or warp, such as <cub/block/block_scan.cuh>"
                    .to_owned()
            }
            [] => {
                message.text = format!("{header}{NOT_THERE}");
                continue;
            }
            packages => way(packages),
        };
        message.text = format!("{header} was not found; {way}");
    }
}

/// The header that a message of NVRTC or clang is about.
fn missing(text: &str) -> Option<&str> {
    // Both `could not` and `cannot`.
    if let Some((_, rest)) = text.split_once("not open source file \"") {
        return rest.split('"').next();
    }
    text.strip_prefix('\'')?.strip_suffix("' file not found")
}

/// The packages that a header comes with; none if it is not NVIDIA's.
fn packages(header: &str) -> &'static [&'static str] {
    const BEGINNINGS: [&str; 12] = [
        "builtin_types",
        "channel_descriptor",
        "cooperative_groups/",
        "cuda_",
        "device_",
        "driver_",
        "library_types",
        "math_",
        "sm_",
        "surface_",
        "texture_",
        "vector_",
    ];
    const LIBRARIES: [&str; 4] = ["cub/", "cuda/", "nv/", "thrust/"];
    let begins = |with: &[&str]| with.iter().any(|start| header.starts_with(start));
    if begins(&["curand"]) {
        &["nvidia-curand-cu12", "nvidia-cuda-runtime-cu12"]
    } else if begins(&LIBRARIES) {
        &["nvidia-cuda-cccl-cu12", "nvidia-cuda-runtime-cu12"]
    } else if begins(&["mma.h", "crt/"]) {
        &["nvidia-cuda-nvcc-cu12", "nvidia-cuda-runtime-cu12"]
    } else if begins(&BEGINNINGS) {
        &["nvidia-cuda-runtime-cu12"]
    } else {
        &[]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiler::Severity;

    #[test]
    fn a_missing_header_has_a_way_out() {
        let said = |text: &str| {
            let mut messages = [Message {
                line: Some(3),
                column: None,
                severity: Severity::Error,
                text: text.to_owned(),
            }];
            explain(&mut messages, |packages| format!("pip install {}", packages.join(" ")));
            messages[0].to_string()
        };
        let nvrtc = "could not open source file \"cuda_bf16.h\" (no directories in search list)";
        let way = "was not found; pip install nvidia-cuda-runtime-cu12";
        assert_eq!(said(nvrtc), format!("line 3: cuda_bf16.h {way}"));
        assert_eq!(said("'cuda_fp8.h' file not found"), format!("line 3: cuda_fp8.h {way}"));
        assert!(said("cannot open source file \"cub/cub.cuh\"").contains("nvidia-cuda-cccl-cu12"));
        assert!(said("'my.h' file not found").ends_with("was not found in the folder of the file"));
        assert_eq!(said("expected a \";\""), "line 3: expected a \";\"");
    }

    #[test]
    fn headers_that_are_nowhere_are_left_out() {
        let error = |text: &str| Message {
            line: Some(1),
            column: None,
            severity: Severity::Error,
            text: text.to_owned(),
        };
        let mut messages = vec![error("'common/book.h' file not found"), error("x is unknown")];
        explain(&mut messages, |_| String::new());
        let nowhere = not_there(&mut messages);
        assert_eq!((nowhere.len(), messages.len()), (1, 1));
        let source = "#include \"common/book.h\"\n# include <cuda_bf16.h>\nint book;\n";
        let (text, warnings) = without(source, &nowhere);
        assert_eq!(text, "\n# include <cuda_bf16.h>\nint book;\n");
        let wanted = "common/book.h was not found in the folder of the file; it is left out";
        assert_eq!((warnings[0].severity, warnings[0].text.as_str()), (Severity::Warning, wanted));
        assert_eq!(without(&text, &nowhere).0, text);
    }
}
