//! The outside suite: kernels as ordinary CUDA programs have them, of no system, each at
//! three sizes and one or two blocks. `fit` kernels may shape the model; `report` kernels
//! only say how good it is. The split was made by kernel before anything was measured.

/// The function that makes the kernels of a set: all are of one half.
macro_rules! of_half {
    ($half:expr) => {
        /// A kernel of the set.
        const fn kernel(
            name: &'static str,
            class: &'static str,
            sizes: [u32; 3],
            blocks: &'static [[u32; 3]],
            make: fn(&mut super::Setup, u32),
        ) -> Kernel {
            Kernel { name, class, half: $half, sizes, blocks, make }
        }
    };
}
use of_half;

mod blind;
mod blind_10;
mod blind_11;
mod blind_12;
mod blind_2;
mod blind_3;
mod blind_4;
mod blind_5;
mod blind_6;
mod blind_7;
mod blind_8;
mod blind_9;
mod compute;
mod dense;
mod image;
mod irregular;
mod memory;
mod setup;

pub(crate) use setup::{Check, Setup, contents};
use warpscope::work::{Inputs, Module, Work};

/// Which half of the suite a kernel is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Half {
    /// The model's factors may be fitted to it.
    Fit,
    /// It says how good the model is, and nothing is fitted to it.
    Report,
    /// In no half: it belongs to a blind set, the first or a later one.
    Blind(u32),
}

impl Half {
    /// The set that it is recorded with: both halves together, or a blind set.
    pub(crate) fn set(self) -> String {
        match self {
            Self::Fit | Self::Report => "suite".to_owned(),
            Self::Blind(1) => "suite_blind".to_owned(),
            Self::Blind(number) => format!("suite_blind_{number}"),
        }
    }

    /// The part of the comparison that it is in.
    pub(crate) fn part(self) -> String {
        match self {
            Self::Fit => "suite-fit".to_owned(),
            Self::Report => "suite-report".to_owned(),
            Self::Blind(1) => "blind".to_owned(),
            Self::Blind(number) => format!("blind-{number}"),
        }
    }
}

/// A kernel, and what it runs on.
pub(crate) struct Kernel {
    /// Its entry point.
    pub(crate) name: &'static str,
    /// The kind of kernel that it stands for.
    pub(crate) class: &'static str,
    /// Its half.
    pub(crate) half: Half,
    /// A size of a few microseconds, one that fits in the L2 cache and a large one.
    pub(crate) sizes: [u32; 3],
    /// Blocks, as x, y and z.
    pub(crate) blocks: &'static [[u32; 3]],
    /// Gives it buffers, arguments and a grid.
    pub(crate) make: fn(&mut Setup, u32),
}

/// One kernel at one size with one block.
pub(crate) struct Case {
    /// Its kernel.
    pub(crate) kernel: &'static Kernel,
    module: Module,
    /// Its size.
    pub(crate) n: u32,
    /// Its block, as x, y and z.
    pub(crate) block: [u32; 3],
}

impl Case {
    /// The work, its inputs, and for each buffer how to compare it.
    pub(crate) fn work(&self) -> (Work, Inputs, Vec<Option<Check>>) {
        let mut setup = Setup::new(self.block);
        (self.kernel.make)(&mut setup, self.n);
        setup.work(self.module, self.kernel.name)
    }

    /// Threads in a block.
    pub(crate) fn threads(&self) -> u32 {
        self.block.iter().product()
    }
}

/// Every case of the two halves and of the blind sets, kernel by kernel.
pub(crate) fn cases() -> impl Iterator<Item = Case> {
    let halves = [
        (memory::MODULE, memory::KERNELS),
        (dense::MODULE, dense::KERNELS),
        (irregular::MODULE, irregular::KERNELS),
        (compute::MODULE, compute::KERNELS),
        (image::MODULE, image::KERNELS),
    ];
    let blind = blind::MODULES.into_iter().chain(blind_2::MODULES);
    let blind = blind.chain(blind_3::MODULES).chain(blind_4::MODULES).chain(blind_5::MODULES);
    let blind = blind.chain(blind_6::MODULES).chain(blind_7::MODULES).chain(blind_8::MODULES);
    let blind = blind.chain(blind_9::MODULES).chain(blind_10::MODULES).chain(blind_11::MODULES);
    let blind = blind.chain(blind_12::MODULES);
    halves.into_iter().chain(blind).flat_map(|(module, kernels)| {
        kernels.iter().flat_map(move |kernel| {
            kernel.sizes.into_iter().flat_map(move |n| {
                kernel.blocks.iter().map(move |&block| Case { kernel, module, n, block })
            })
        })
    })
}
