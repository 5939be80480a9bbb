//! Which vectors the host has.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

/// Vector instructions of the machine that the emulator runs on. In order: each has what those
/// before it have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HostVectors {
    /// None that the emulator counts on: what is not x86-64, or old.
    Plain,
    /// AVX2, and what machines with it have beside it.
    Avx2,
    /// AVX-512 as every machine that has it.
    Avx512,
    /// The instructions for bits and bytes that came to it later.
    Avx512Bits,
    /// Arithmetic of 16-bit floats.
    Avx512Half,
}

/// Whether AMD made the machine.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "no such host"))]
static AMD: AtomicBool = AtomicBool::new(false);

/// What was found, plus 1. Each feature is asked for by itself, which takes longer than some
/// instructions do.
static FOUND: AtomicU8 = AtomicU8::new(0);

impl HostVectors {
    /// Those of this machine.
    #[inline(always)]
    pub(crate) fn here() -> Self {
        match FOUND.load(Ordering::Relaxed) {
            0 => Self::find(),
            1 => Self::Plain,
            2 => Self::Avx2,
            3 => Self::Avx512,
            4 => Self::Avx512Bits,
            _ => Self::Avx512Half,
        }
    }

    /// Whether AMD made the processor. Those with AVX-512 find equal words of a vector in a few cycles
    /// and gather slowly; those without are slow at masked stores. Intel's gather and store quickly and
    /// take 25 cycles to find equal words. Only after [`Self::here`].
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "no such host"))]
    #[inline(always)]
    pub(crate) fn amd() -> bool {
        AMD.load(Ordering::Relaxed)
    }

    /// Takes the ways of AMD's machines, or Intel's: both are right everywhere.
    #[cfg(test)]
    pub(crate) fn pretend(amd: bool) {
        Self::here();
        AMD.store(amd, Ordering::Relaxed);
    }

    /// From now on, uses these at most, and no more than the machine has: to see how fast and how
    /// right other machines are. What is computed and counted does not depend on it.
    pub fn limit(most: Self) {
        Self::here();
        FOUND.store(1 + Self::ask().min(most) as u8, Ordering::Relaxed);
    }

    #[cold]
    fn find() -> Self {
        let found = Self::ask();
        #[cfg(target_arch = "x86_64")]
        {
            let maker = std::arch::x86_64::__cpuid(0);
            let name = [maker.ebx, maker.edx, maker.ecx].map(u32::to_le_bytes);
            AMD.store(name.as_flattened() == b"AuthenticAMD", Ordering::Relaxed);
        }
        FOUND.store(1 + found as u8, Ordering::Relaxed);
        found
    }

    #[cfg(target_arch = "x86_64")]
    fn ask() -> Self {
        use std::arch::is_x86_feature_detected as has;
        let common = has!("fma")
            && has!("f16c")
            && has!("bmi1")
            && has!("bmi2")
            && has!("popcnt")
            && has!("lzcnt");
        if !common || !has!("avx2") {
            return Self::Plain;
        }
        let words = has!("avx512f") && has!("avx512cd") && has!("avx512vl");
        if !words || !has!("avx512bw") || !has!("avx512dq") {
            return Self::Avx2;
        }
        if !has!("avx512vbmi") || !has!("avx512vpopcntdq") || !has!("gfni") {
            return Self::Avx512;
        }
        if has!("avx512fp16") { Self::Avx512Half } else { Self::Avx512Bits }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn ask() -> Self {
        Self::Plain
    }
}
