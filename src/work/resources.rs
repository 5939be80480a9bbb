//! What kernels take on a GPU: the table that the assembler's report is kept in.

use serde::{Deserialize, Serialize};

use crate::emulator::Issues;

/// What one kernel takes on one architecture, as `ptxas -v` reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Resources {
    /// 32-bit registers per thread.
    pub registers: u32,
    /// Statically allocated shared memory per block, in bytes.
    pub static_shared: u32,
    /// Stack frame per thread, in bytes (local arrays and spills).
    pub stack: u32,
    /// Whether the registers are estimated from the PTX, because no assembler saw it.
    #[serde(default)]
    pub estimated: bool,
}

/// A table like `kernels/ptx/NAME.csv`: a row for each kernel and architecture. A row of the
/// architecture [`ResourceTable::ESTIMATE`] stands for those that no other row is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResourceTable<'a>(pub &'a str);

impl<'a> ResourceTable<'a> {
    /// The first line of a table of estimates.
    pub const HEADER: &'static str =
        "kernel,architecture,registers,static_shared_bytes,stack_bytes\n";

    /// The architecture of an estimate.
    pub const ESTIMATE: &'static str = "estimate";

    /// What `kernel` takes on a GPU of compute capability `cc` (as 90 for 9.0): the row for
    /// that architecture, else for the newest one below, else the estimate.
    pub fn resources(self, kernel: &str, cc: u32) -> Option<Resources> {
        let row = self.row(kernel, cc)?;
        let [_, architecture, registers, shared, stack, ..] = row[..] else { return None };
        let number = |text: &str| text.parse().unwrap_or(0);
        Some(Resources {
            registers: number(registers),
            static_shared: number(shared),
            stack: number(stack),
            estimated: architecture == Self::ESTIMATE,
        })
    }

    /// How often the machine code of `kernel` waits where its PTX would wait once: pairs of
    /// a line of the PTX, of a load or of a loop's branch, and a number of waits, by line.
    /// Lines that are not there wait as the PTX says.
    pub fn waits(self, kernel: &str, cc: u32) -> Vec<(u32, f32)> {
        let row = self.row(kernel, cc).unwrap_or_default();
        let pair = |text: &str| {
            let (line, waits) = text.split_once('=')?;
            Some((line.parse().ok()?, waits.parse().ok()?))
        };
        row.get(7).map(|waits| waits.split(' ').filter_map(pair).collect()).unwrap_or_default()
    }

    /// Machine instructions of each basic block of the PTX of `kernel`: pairs of the line of
    /// an instruction of the block and what [`Issues`] says, by line. Empty if not known.
    pub fn issues(self, kernel: &str, cc: u32) -> Vec<(u32, Issues)> {
        let row = self.row(kernel, cc).unwrap_or_default();
        let pair = |text: &str| {
            let (line, kinds) = text.split_once('=')?;
            let kinds: Vec<f32> = kinds.split(':').filter_map(|it| it.parse().ok()).collect();
            Some((line.parse().ok()?, kinds.try_into().ok()?))
        };
        row.get(8).map(|issues| issues.split(' ').filter_map(pair).collect()).unwrap_or_default()
    }

    /// Registers of 32 bits that the functions of `kernel` save on their stack, at most. None if
    /// not known.
    pub fn saved(self, kernel: &str, cc: u32) -> Option<u32> {
        let row = self.row(kernel, cc).filter(|row| row[1] != Self::ESTIMATE)?;
        row.get(5)?.parse().ok().map(|bytes: u32| bytes / 4)
    }

    fn row(self, kernel: &str, cc: u32) -> Option<Vec<&'a str>> {
        let rows = self.0.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
        let architecture = |row: &Vec<&str>| match *row.get(1)? {
            Self::ESTIMATE => Some(0),
            name => name.strip_prefix("sm_")?.parse().ok().filter(|&found: &u32| found <= cc),
        };
        rows.filter(|row| row.len() > 4 && row[0] == kernel)
            .filter_map(|row| Some((architecture(&row)?, row)))
            .max_by_key(|(architecture, _)| *architecture)
            .map(|(_, row)| row)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_row_of_the_nearest_older_architecture_goes_before_an_estimate() {
        let rows = "k,estimate,40,8,0,0,0,\nk,sm_70,20,4,0,0,0,\nk,sm_90,18,4,16,48,48,7=2 9=1.5,8=4:1:0.5:0:2:0\n";
        let text = format!("header\n{rows}");
        let table = ResourceTable(&text);
        let registers = |cc| table.resources("k", cc).map(|it| (it.registers, it.estimated));
        assert_eq!(registers(100), Some((18, false)));
        assert_eq!(registers(89), Some((20, false)));
        assert_eq!(registers(60), Some((40, true)));
        assert_eq!(table.resources("other", 90), None);
        assert_eq!(table.waits("k", 90), [(7, 2.0), (9, 1.5)]);
        assert_eq!(table.waits("k", 60), []);
        assert_eq!(table.issues("k", 90), [(8, [4.0, 1.0, 0.5, 0.0, 2.0, 0.0])]);
        assert_eq!(table.issues("k", 70), []);
        assert_eq!([90, 70, 60].map(|cc| table.saved("k", cc)), [Some(12), Some(0), None]);
    }
}
