//! Old values out, new values in, lane after lane.

use crate::lane::Word;
use crate::machine::{AllLanes, AtomicScalar, Checked};
use crate::program::Rmw;

/// Runs a loop for a function, with the commonest as constants in loops of their own.
macro_rules! each_function {
    ($f:expr, $name:ident, $body:block) => {
        each_function!(
            $f, $name, $body,
            [
                Add, AddFloat, AddFlushed, MinU, MinS, MaxU, MaxS, And, Or, Xor, Exchange,
                CompareExchange, Increment, Decrement, AddF16, AddBf16, Arrive
            ]
        )
    };
    ($f:expr, $name:ident, $body:block, [$($each:ident),*]) => {
        match $f {
            $(Rmw::$each => {
                const $name: Rmw = Rmw::$each;
                $body
            })*
            other => {
                #[allow(non_snake_case, reason = "a constant in the other loops")]
                let $name = other;
                $body
            }
        }
    };
}

pub(super) use each_function;

/// Carries out an atomic, lane by lane in order; `alone` where only this host thread works on
/// the memory. `d` gets the old values.
#[inline(never)]
pub(super) fn read_modify_write<W: Word + AtomicScalar>(
    checked: &Checked,
    (at, alone): (u32, bool),
    f: Rmw,
    [b, c]: [&[W; 32]; 2],
    mut d: Option<&mut [W; 32]>,
) {
    if checked.places().together() {
        return together(checked, (at, alone), f, [b, c], d);
    }
    if alone {
        return each_function!(f, F, {
            match d {
                Some(d) => checked.replace(at, |lane, old: W| {
                    d[lane] = old;
                    W::rmw(F, old, b[lane], c[lane])
                }),
                None => checked.replace(at, |lane, old: W| W::rmw(F, old, b[lane], c[lane])),
            }
        });
    }
    checked.fetch();
    let mut keep = |lane: usize, old: W| {
        if let Some(d) = &mut d {
            d[lane] = old;
        }
    };
    if f == Rmw::Add {
        return checked.each(|lane| keep(lane, checked.add(at, lane, b[lane])));
    }
    each_function!(f, F, {
        checked.each(|lane| {
            keep(lane, checked.update(at, lane, |old| W::rmw(F, old, b[lane], c[lane])));
        });
    });
}

/// The same on words of all lanes, where only this host thread works on the memory.
#[inline(never)]
pub(super) fn replace_words(
    all: &AllLanes,
    f: Rmw,
    [b, c]: [&[u32; 32]; 2],
    d: Option<&mut [u32; 32]>,
) {
    each_function!(f, F, {
        match d {
            Some(d) => all.replace(|lane, old: u32| {
                d[lane] = old;
                u32::rmw(F, old, b[lane], c[lane])
            }),
            None => all.replace(|lane, old: u32| u32::rmw(F, old, b[lane], c[lane])),
        }
    });
}

/// The same for lanes on one place, which changes once: each lane gets what those before it
/// have made of it.
#[inline(never)]
fn together<W: Word + AtomicScalar>(
    checked: &Checked,
    (at, alone): (u32, bool),
    f: Rmw,
    [b, c]: [&[W; 32]; 2],
    d: Option<&mut [W; 32]>,
) {
    let first = checked.places().mask().trailing_zeros() as usize & 31;
    each_function!(f, F, {
        let all = |mut value: W| {
            checked.each(|lane| value = W::rmw(F, value, b[lane], c[lane]));
            value
        };
        let mut old = match F {
            _ if alone => checked.replace_one(at, first, all),
            Rmw::Add => checked.add(at, first, all(W::default())),
            _ => checked.update(at, first, all),
        };
        if let Some(d) = d {
            checked.each(|lane| {
                d[lane] = old;
                old = W::rmw(F, old, b[lane], c[lane]);
            });
        }
    });
}

/// The same as [`read_modify_write`], on cells of 16 bits.
pub(super) fn halves(
    checked: &Checked,
    (at, alone): (u32, bool),
    f: Rmw,
    [b, c]: [&[u32; 32]; 2],
    mut d: Option<&mut [u32; 32]>,
) {
    each_function!(f, F, {
        let new = |lane: usize, old: u16| {
            let [b, c] = [b[lane], c[lane]].map(|value| value & 0xffff);
            u32::rmw(F, u32::from(old), b, c) as u16
        };
        let mut keep = |lane: usize, old: u16| {
            if let Some(d) = &mut d {
                d[lane] = u32::from(old);
            }
        };
        if alone {
            checked.replace(at, |lane, old| {
                keep(lane, old);
                new(lane, old)
            });
        } else {
            checked.each(|lane| keep(lane, checked.update(at, lane, |old| new(lane, old))));
        }
    });
}
