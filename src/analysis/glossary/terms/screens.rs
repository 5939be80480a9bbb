//! What is run, and what the screens show.

use super::{Entry, term};

pub(super) const TERMS: &[Entry] = &[
    term(
        "algorithm",
        &["system"],
        "A problem with several kernels that solve it, such as histogram or scan. Each is checked against a CPU program.",
    ),
    term(
        "variant",
        &["variants"],
        "One way to solve the problem on the GPU. Variants give the same result and differ in how they use the hardware.",
    ),
    term(
        "size",
        &["sizes n", "input size"],
        "The number of input elements, n. What an element is depends on the algorithm: a value, a key, an atom, or the order of a matrix.",
    ),
    term(
        "input",
        &["distribution"],
        "The distribution of the input values, such as uniform or sorted. It decides how often threads meet at the same address.",
    ),
    term(
        "output",
        &["expected output"],
        "What the kernels computed, drawn as bins, a curve or a map. It is compared with the reference.",
    ),
    term(
        "bin",
        &["bins"],
        "A counter of the histogram: it counts the values that belong to it. With few bins, many threads add to the same one.",
    ),
    term(
        "binning",
        &[],
        "How a value finds its bin: by the remainder, or by its position in the range of 32-bit integers.",
    ),
    term("dtype", &[], "Type of the values: `u32`, integers that wrap around, or `f32`, floats."),
    term(
        "sums",
        &["inclusive", "exclusive"],
        "Inclusive: sum i has value i in it. Exclusive: sum i has only the values before i.",
    ),
    term(
        "bits",
        &["digit"],
        "Bits of a key that one pass of a radix sort looks at. Together they are the digit, which decides where the key goes.",
    ),
    term("low", &[], "The lowest bit of the digit, counted from 0."),
    term(
        "payload",
        &[],
        "What travels with a key while keys are sorted. The index of the key shows whether the sort is stable.",
    ),
    term(
        "lattice",
        &[],
        "The regular arrangement of the peaks in the pattern, for example square or hexagonal.",
    ),
    term("noise", &[], "Random change of the pattern, in percent of its contrast."),
    term("image", &[], "A PNG file. Its middle square replaces the pattern."),
    term(
        "dominant",
        &[],
        "How many of the most dominant peaks are named. A peak is dominant if every higher peak is far away.",
    ),
    term(
        "width",
        &["bucket"],
        "Width of a bucket of the distance histogram. Narrow buckets mean more of them.",
    ),
    term(
        "copies",
        &["private buckets"],
        "Copies of a block's private buckets in shared memory. Lanes share them out, so fewer lanes meet at one word.",
    ),
    term(
        "seed",
        &[],
        "The number that the random input starts from. The same seed gives the same input.",
    ),
    term(
        "phase",
        &["phases"],
        "A step of a pipeline: a kernel, a stage on the CPU, or a copy. Each is timed by itself.",
    ),
    term(
        "host stage",
        &["host", "host stages"],
        "A step that the CPU does between kernels, with its copies. It counts only in the end-to-end time.",
    ),
    term(
        "prefix sum",
        &["inclusive prefix sum"],
        "Each output is the sum of all inputs up to its place. Blelloch and Hillis-Steele are two ways to compute it in parallel.",
    ),
    term(
        "tile",
        &["tiles"],
        "A part of the data that a block loads into shared memory once and uses many times.",
    ),
    term(
        "PTX",
        &[],
        "The assembly language of NVIDIA GPUs that does not depend on the model. The driver translates it to machine code.",
    ),
    term(
        "CUDA",
        &[],
        "NVIDIA's language and library for GPU programs. Kernels here are CUDA C++, compiled to PTX.",
    ),
    term(
        "heat",
        &["hottest"],
        "Colour of a source line by what it costs. `f` chooses what counts.",
    ),
    term("crosshair", &[], "The vertical line in the chart. The legend shows the values there."),
    term(
        "pin",
        &["pinned"],
        "Keeps shown results in the chart, to compare the next run with them.",
    ),
    term(
        "overlay",
        &["overlaid"],
        "A stored run that is drawn over the chart, with curves of its own.",
    ),
    term("replay", &[], "Shows a stored run again, point by point, as if it were measured now."),
    term(
        "worker",
        &["workers"],
        "A process that runs cases. If it crashes, only its current case fails.",
    ),
    term(
        "device baseline",
        &["empty kernel"],
        "What the GPU reaches without an algorithm: an empty kernel, a launch, and the bandwidth of a large copy.",
    ),
];
