//! Measures the cases of a plan on a backend: warm-up, samples, statistics, verification.
