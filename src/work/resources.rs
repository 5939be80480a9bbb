//! What kernels take on a GPU: the table that the assembler's report is kept in.

use serde::{Deserialize, Serialize};

use crate::emulator::MachineCode;

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

    /// Facts about the machine code of `kernel`, from the assembler or estimated from the PTX. Without a
    /// disassembler, the assembler reports none by line.
    pub fn machine_code(self, kernel: &str, cc: u32) -> MachineCode {
        let Some(mut row) = self.row(kernel, cc) else { return MachineCode::default() };
        if let Some(estimate) = self.row(kernel, 0).filter(|it| it.len() > 8)
            && row.len() > 8
            && row[8].is_empty()
        {
            row[7..9].copy_from_slice(&estimate[7..9]);
        }
        let number = |text: &str| text.parse().ok();
        let kinds = |text: &str| {
            let kinds: Vec<f32> = text.split(':').filter_map(|it| it.parse().ok()).collect();
            kinds.try_into().ok()
        };
        MachineCode {
            waits: by_line(row.get(7), number),
            issues: by_line(row.get(8), kinds),
            ahead: by_line(row.get(9), number),
            saves: row.get(10).map(|saves| {
                let pair = |text: &str| {
                    let (name, words) = text.split_once('=')?;
                    Some((name.to_owned(), words.parse().ok()?))
                };
                saves.split(' ').filter_map(pair).collect()
            }),
            in_registers: row[1] != Self::ESTIMATE && row[4] == "0",
        }
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

/// A column of pairs such as `17=0.5 21=2`: a line of the PTX and what is known of it.
fn by_line<T>(column: Option<&&str>, read: impl Fn(&str) -> Option<T>) -> Vec<(u32, T)> {
    let pair = |text: &str| {
        let (line, found) = text.split_once('=')?;
        Some((line.parse().ok()?, read(found)?))
    };
    column.map(|pairs| pairs.split(' ').filter_map(pair).collect()).unwrap_or_default()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_estimated_where_the_disassembler_is_missing() {
        let estimate = "k,estimate,40,8,0,0,0,7=0.25,8=4:1:1:0:2:0:1:0\n";
        let table = |row: &str| format!("header\nk,sm_90,18,4,16,48,48,{row}\n{estimate}");
        let code = |row: &str| ResourceTable(&table(row)).machine_code("k", 90);
        assert_eq!((code(",,,").waits, code(",,,").issues.len()), (vec![(7, 0.25)], 1));
        assert_eq!(code("5=2,6=3:1:1:0:1:0:0:9,,").waits, [(5, 2.0)]);
        assert_eq!(ResourceTable(&table(",,,")).resources("k", 90).unwrap().registers, 18);
    }

    #[test]
    fn the_row_of_the_nearest_older_architecture_goes_before_an_estimate() {
        let rows = "k,estimate,40,8,0,0,0,\nk,sm_70,20,4,0,0,0,\nk,sm_90,18,4,16,48,48,7=2 9=1.5,8=4:1:0.5:0:2:0:1:9,8=12,f=12\n";
        let text = format!("header\n{rows}");
        let table = ResourceTable(&text);
        let registers = |cc| table.resources("k", cc).map(|it| (it.registers, it.estimated));
        assert_eq!(registers(100), Some((18, false)));
        assert_eq!(registers(89), Some((20, false)));
        assert_eq!(registers(60), Some((40, true)));
        assert_eq!(table.resources("other", 90), None);
        let code = |cc| table.machine_code("k", cc);
        assert_eq!(code(90).waits, [(7, 2.0), (9, 1.5)]);
        assert_eq!(code(90).issues, [(8, [4.0, 1.0, 0.5, 0.0, 2.0, 0.0, 1.0, 9.0])]);
        assert_eq!(code(90).ahead, [(8, 12.0)]);
        let saves = |cc| code(cc).saves;
        assert_eq!(saves(90), Some(vec![("f".to_owned(), 12)]));
        assert_eq!([saves(70), saves(60)], [None, None]);
        assert_eq!([90, 70, 60].map(|cc| code(cc).in_registers), [false, true, false]);
        let known = MachineCode { in_registers: true, ..MachineCode::default() };
        assert_eq!(code(70), known);
    }
}
