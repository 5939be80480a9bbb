//! Loads from shared memory that machine code joins into one.
//!
//! `ptxas` joins loads of neighbouring words into one of up to 16 bytes. The joined load makes the passes of
//! its width. Those are mostly more than one of the words needs, and fewer than all of them need one by one: of 16
//! lanes that are 32 bytes apart, 8 for 16 bytes, where each of the four words alone takes 4. Products of
//! matrices whose results are in registers depend on such loads (`benches/data/h200/findings.md`).

use std::collections::HashMap;

use crate::program::{Block, Kernel, Op, Transfer, Window};

/// The widest load, in bytes.
const WIDEST: i64 = 16;

/// Where a load begins, from what the address register holds, and its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wide {
    pub(crate) offset: i64,
    pub(crate) bytes: u32,
}

impl Wide {
    fn end(self) -> i64 {
        self.offset + i64::from(self.bytes)
    }

    /// A load that brings all of both.
    fn with(self, other: Self) -> Self {
        let offset = self.offset.min(other.offset);
        let bytes = (self.end().max(other.end()) - offset).min(WIDEST) as u32;
        Self { offset, bytes: bytes.next_power_of_two() }
    }
}

/// The loads of a basic block that bring words of others too: their indices among the kernel's
/// instructions, and how wide they are.
pub(crate) fn wide_loads(
    kernel: &Kernel,
    block: &Block,
    is_joined: impl Fn(usize) -> bool,
) -> Vec<(usize, Wide)> {
    // Addresses of 32 bits are made wide, for each access anew.
    let mut narrow = HashMap::new();
    // By what the address register holds, the loads of 16 bytes of memory.
    let mut groups: HashMap<_, Vec<_>> = HashMap::new();
    for index in block.first as usize..block.end as usize {
        match kernel.insts[index].op {
            Op::Widen { signed: false, d, a } => {
                narrow.insert(d, a);
            }
            Op::Load(it @ Transfer { window: Window::Shared, a, site, .. }) => {
                let offset = kernel.sites[usize::from(site)].offset;
                let base = narrow.get(&a).map_or((true, a), |a| (false, *a));
                let load = Wide { offset, bytes: it.bytes() };
                let group = groups.entry((base, offset.div_euclid(WIDEST)));
                group.or_default().push((index, load));
            }
            _ => {}
        }
    }
    let mut wide = Vec::new();
    for members in groups.values() {
        let (mut joined, own): (Vec<_>, Vec<_>) =
            members.iter().copied().partition(|(index, _)| is_joined(*index));
        // What another load reads as well says nothing of widths.
        joined.retain(|(_, it)| own.iter().all(|(_, load)| load.with(*it) != *load));
        // Two loads are of 8 bytes each.
        let unit = if own.len() > 1 { WIDEST / 2 } else { WIDEST };
        for (index, load) in own {
            let part = |it: Wide| it.offset.div_euclid(unit);
            let with = joined.iter().filter(|(_, it)| part(*it) == part(load));
            let all = with.fold(load, |all, (_, it)| all.with(*it));
            if all != load {
                wide.push((index, all));
            }
        }
    }
    wide
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::compile::load;

    /// The wide loads among loads of words from the register `%a` at these offsets, where those of the
    /// places in `joined` are joined to another one.
    fn found(offsets: &[i64], joined: &[usize]) -> Vec<(usize, i64, u32)> {
        let loads: String = offsets.iter().fold(String::new(), |text, offset| {
            text + &format!("ld.shared.u32 %d, [%a + {offset}]; add.u32 %s, %s, %d;\n")
        });
        let text = format!(
            ".version 8.6\n.target sm_90\n.address_size 64\n\
             .visible .entry k(.param .u64 out) {{\n.shared .align 16 .b8 words[4096];\n\
             .reg .b32 %a, %d, %s;\n.reg .b64 %out;\nld.param.u64 %out, [out];\n\
             mov.u32 %a, words; mov.u32 %s, 0;\n{loads}st.global.u32 [%out], %s; ret; }}\n"
        );
        let kernel = load(&text, "k.ptx", "k").unwrap();
        let block = &kernel.blocks[0];
        let is_load = |index: &usize| {
            matches!(kernel.insts[*index].op, Op::Load(Transfer { window: Window::Shared, .. }))
        };
        let loads: Vec<usize> =
            (block.first as usize..block.end as usize).filter(is_load).collect();
        assert_eq!(loads.len(), offsets.len());
        let place = |index: usize| loads.iter().position(|it| *it == index).unwrap();
        let wide = wide_loads(&kernel, block, |index| joined.contains(&place(index)));
        let mut wide: Vec<_> =
            wide.into_iter().map(|(index, it)| (place(index), it.offset, it.bytes)).collect();
        wide.sort_unstable();
        let from = wide.first().map_or(0, |it| it.1);
        wide.into_iter().map(|(place, offset, bytes)| (place, offset - from, bytes)).collect()
    }

    #[test]
    fn loads_are_as_wide_as_those_that_machine_code_joined() {
        assert_eq!(found(&[0, 4, 8, 12], &[1, 2, 3]), [(0, 0, 16)]);
        // Any of them may stand for all, in any order.
        assert_eq!(found(&[12, 0, 8, 4], &[0, 1, 3]), [(2, 0, 16)]);
        let two = [(0, 0, 16), (4, 16, 16)];
        assert_eq!(found(&[0, 4, 8, 12, 16, 20, 24, 28], &[1, 2, 3, 5, 6, 7]), two);
        assert_eq!(found(&[0, 4, 8, 12], &[1, 3]), [(0, 0, 8), (2, 8, 8)]);
        assert_eq!(found(&[0, 4, 128], &[1]), [(0, 0, 8)]);
        assert_eq!(found(&[0, 4, 8, 12], &[]), []);
        // Words that are loaded twice count once.
        assert_eq!(found(&[0, 0, 4], &[1]), []);
        assert_eq!(found(&[0, 4, 4, 8, 12, 12], &[1, 2, 3, 4, 5]), [(0, 0, 16)]);
    }
}
