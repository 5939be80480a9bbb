//! Where numbers come from, and statistics.

use super::{Entry, term};

pub(super) const TERMS: &[Entry] = &[
    term(
        "measured",
        &[],
        "Taken in this run with the event timer of a GPU. The number is the median of many samples.",
    ),
    term(
        "recorded",
        &["built-in recording", "recording"],
        "A stored measurement of a named GPU. It was measured earlier, perhaps on another machine.",
    ),
    term(
        "modelled",
        &["predicted", "prediction", "timing model"],
        "Predicted: the emulator counts what the kernel does, and a model turns the counts into a time on the named GPU. Predictions for the H200 are 5.6 % off on average.",
    ),
    term(
        "reported",
        &["published", "published times"],
        "Published by others, as a table. Nobody measured it here.",
    ),
    term(
        "provenance",
        &[],
        "Where a number comes from: measured, recorded, modelled or reported, and on which GPU.",
    ),
    term(
        "emulator",
        &["emulated", "counted"],
        "A program on the CPU that executes the same PTX as a GPU, warp by warp. Its results and counters are exact; its own speed says nothing about the GPU.",
    ),
    term(
        "backend",
        &[],
        "What runs the kernels: `cuda` is a GPU of this machine, `emulator` is the CPU. `auto` takes the GPU if one answers.",
    ),
    term(
        "GPU",
        &["GPU profile", "profile"],
        "The device that times are for. For predictions it is a profile: sizes, clocks and rates of that GPU.",
    ),
    term(
        "sampling",
        &["sample", "samples"],
        "Of a large case the emulator runs only a sample of the blocks and scales the counts. On a GPU, a sample is one timed run of the case.",
    ),
    term(
        "verified",
        &[],
        "The output equals the reference: that of a plain CPU program, or of a kernel in your file. Floats may differ by the rounding that the algorithm allows.",
    ),
    term(
        "unchecked",
        &["not checked"],
        "The case ran, but its output was not compared with the reference.",
    ),
    term(
        "wrong",
        &[],
        "The output differs from the reference, or the kernel failed. A wrong case is never drawn as a time.",
    ),
    term(
        "failed",
        &[],
        "The case gave no result to judge: its worker died, or it ran out of time. A continued sweep tries it again.",
    ),
    term(
        "skipped",
        &["skip"],
        "The case cannot run, for example because a block needs too much shared memory. The reason stands beside it.",
    ),
    term(
        "CPU reference",
        &["reference"],
        "The result that every output is compared with. A plain program on the CPU computes it; in a system of your own, a kernel of your file does.",
    ),
    term(
        "median",
        &[],
        "The middle one of the sorted samples. Unlike the mean, it does not follow a few slow samples.",
    ),
    term(
        "interquartile range",
        &["quartile", "quartiles", "spread"],
        "The middle half of the samples lies in it. A narrow range means that the time repeats well.",
    ),
    term(
        "outlier",
        &["outliers"],
        "A sample far from the others by Tukey's rule. Outliers are counted and kept.",
    ),
    term(
        "confidence interval",
        &["95 % interval", "interval"],
        "The range that holds the true ratio in 95 of 100 repetitions. It comes from resampling the samples.",
    ),
    term("ratio", &[], "Time of a case over the time of its baseline. Below 1 is faster."),
    term(
        "FASTER",
        &[],
        "The whole confidence interval lies beyond the noise band: the case takes less time than its baseline.",
    ),
    term(
        "SLOWER",
        &[],
        "The whole confidence interval lies beyond the noise band: the case takes more time than its baseline.",
    ),
    term(
        "SAME",
        &[],
        "The whole confidence interval lies inside the noise band: the times are equal in practice.",
    ),
    term(
        "UNDECIDED",
        &["verdict"],
        "The confidence interval reaches across the noise band, or there are too few samples. More samples may decide it.",
    ),
    term(
        "noise band",
        &["margin"],
        "Differences that count as equal: ±1 %, or ±3 % if the shorter time is at most 20 µs.",
    ),
];
