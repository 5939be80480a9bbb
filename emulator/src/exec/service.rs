//! Functions that the driver gives to kernels: `printf` and failed assertions.

use crate::exec::print;
use crate::exec::print::Values;
use crate::machine::{At, BlockContext, Fault, MOST_PRINTED, MOST_PRINTS, TrapKind, Warp, lanes};
use crate::program::Service;

/// Longest text that is read from a kernel's memory.
const LONGEST: usize = 64 << 10;

/// The text that ends with a zero byte at a generic address.
fn text(warp: &Warp, context: &BlockContext, lane: usize, address: u64) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    while text.len() < LONGEST {
        match context.byte(warp, lane, address.wrapping_add(text.len() as u64))? {
            0 => break,
            byte => text.push(byte),
        }
    }
    Some(text)
}

/// The values that one lane hands to `printf`.
struct Packed<'a, 'm> {
    warp: &'a Warp,
    context: &'a BlockContext<'m>,
    lane: usize,
    at: u64,
}

impl Values for Packed<'_, '_> {
    fn next(&mut self, bytes: u32) -> u64 {
        let size = u64::from(bytes);
        self.at = self.at.checked_next_multiple_of(size).unwrap_or(0);
        let read = |at| self.context.byte(self.warp, self.lane, at).unwrap_or(0);
        let value = (0..size).fold(0, |value, index| {
            value | u64::from(read(self.at.wrapping_add(index))) << (8 * index)
        });
        self.at = self.at.wrapping_add(size);
        value
    }

    fn text(&mut self, address: u64) -> Option<Vec<u8>> {
        text(self.warp, self.context, self.lane, address)
    }
}

/// Carries out service `index` for the lanes of `mask`, one after the other.
#[cold]
pub(crate) fn run(
    warp: &mut Warp,
    context: &mut BlockContext,
    index: u16,
    mask: u32,
) -> Result<(), Fault> {
    let service = context.kernel.services[usize::from(index)];
    for lane in lanes(mask) {
        match service {
            Service::Print { stack, format, values, result, site } => {
                let base = warp.regs64[usize::from(stack)][lane];
                let format = warp.local.load(lane, base + format, 8);
                let at = warp.local.load(lane, base + values, 8);
                let Some(format) = text(warp, context, lane, format) else {
                    return Err(Fault {
                        kind: TrapKind::OutOfBounds,
                        at: At::Site(site),
                        lanes: 1 << lane,
                        message: format!("the format of printf at {format:#x} cannot be read"),
                    });
                };
                let mut packed = Packed { warp, context, lane, at };
                let (text, used) = print::print(&format, &mut packed);
                if !context.print(&text) {
                    return Err(Fault {
                        kind: TrapKind::RunawayLoop,
                        at: At::Site(site),
                        lanes: 1 << lane,
                        message: format!(
                            "the block printed more than {} MiB or {MOST_PRINTS} times; the first \
                             MiB of the launch is kept",
                            MOST_PRINTED >> 20
                        ),
                    });
                }
                if let Some(result) = result {
                    warp.local.store(lane, base + result, 4, u64::from(used));
                }
            }
            Service::Assert { stack, message, file, line, function, site } => {
                let base = warp.regs64[usize::from(stack)][lane];
                let words = |offset| {
                    let address = warp.local.load(lane, base + offset, 8);
                    let text = text(warp, context, lane, address).unwrap_or_default();
                    String::from_utf8_lossy(&text).into_owned()
                };
                let line = warp.local.load(lane, base + line, 4);
                return Err(Fault {
                    kind: TrapKind::Trap,
                    at: At::Site(site),
                    lanes: 1 << lane,
                    message: format!(
                        "{}:{line}: {}: assertion `{}` failed",
                        words(file),
                        words(function),
                        words(message)
                    ),
                });
            }
        }
    }
    Ok(())
}
