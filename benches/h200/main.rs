//! Times small kernels on the first CUDA device and writes the figures that the
//! timing model and the counters' rules rest on. Without a device it says so.
//!
//!     h200 facts FOLDER    time everything, CSV files into FOLDER
//!     h200 once            run each probe once, for a profiler to count
#![allow(missing_docs, clippy::unwrap_used)]

#[cfg(target_os = "linux")]
mod probes;

#[cfg(target_os = "linux")]
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut cuda = match warpscope::backend::cuda::Cuda::open(0) {
        Ok(cuda) => cuda,
        Err(error) => {
            println!("skipped: {error}");
            return;
        }
    };
    match words[..] {
        ["facts", folder] => probes::facts(&mut cuda, std::path::Path::new(folder)),
        ["once"] => probes::once(&mut cuda),
        _ => println!("usage: h200 facts FOLDER | h200 once"),
    }
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("skipped: this build supports CUDA on Linux only");
}
