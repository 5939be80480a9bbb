//! Every way of carrying out an atomic against the plain one: lane after lane.

use crate::compile::load;
use crate::lane::Word;
use crate::launch::{Options, Outcome, run};
use crate::machine::{Dim3, Memory};
use crate::program::{Kernel, Rmw};

/// Cells of 8 bytes that the lanes share.
const CELLS: usize = 64;

/// What an instruction does: its words, its function, and bits.
const FUNCTIONS: &[(&str, Rmw, u32)] = &[
    ("add.u32", Rmw::Add, 32),
    ("min.u32", Rmw::MinU, 32),
    ("max.s32", Rmw::MaxS, 32),
    ("and.b32", Rmw::And, 32),
    ("or.b32", Rmw::Or, 32),
    ("xor.b32", Rmw::Xor, 32),
    ("exch.b32", Rmw::Exchange, 32),
    ("cas.b32", Rmw::CompareExchange, 32),
    ("inc.u32", Rmw::Increment, 32),
    ("add.f32", Rmw::AddFloat, 32),
    ("add.u64", Rmw::Add, 64),
    ("min.s64", Rmw::MinS, 64),
    ("max.u64", Rmw::MaxU, 64),
    ("exch.b64", Rmw::Exchange, 64),
    ("cas.b64", Rmw::CompareExchange, 64),
    ("add.f64", Rmw::AddFloat, 64),
];

/// A kernel in which each lane that takes part works on the cell that it is told.
fn text(space: &str, words: &str, bits: u32, result: bool) -> String {
    let r = if bits == 64 { "%d" } else { "%r" };
    let c = if words.starts_with("cas") { format!(", {r}2") } else { String::new() };
    let atomic = if result {
        format!("atom.{space}.{words} {r}0, [%at], {r}1{c};")
    } else {
        format!("red.{space}.{words} [%at], {r}1{c};")
    };
    let each =
        |text: &str| [0, 256].map(|first| text.replace("FIRST", &first.to_string())).concat();
    let (copy_in, base, copy_out) = if space == "shared" {
        (
            each("ld.global.u64 %d3, [%own+FIRST]; st.shared.u64 [%mine+FIRST], %d3;"),
            "%room",
            each("ld.shared.u64 %d3, [%mine+FIRST]; st.global.u64 [%own+FIRST], %d3;"),
        )
    } else {
        (String::new(), "%cells", String::new())
    };
    format!(
        ".version 8.6\n.target sm_90\n.address_size 64\n\
         .visible .entry k(.param .u64 cells, .param .u64 lanes) {{\n\
         .reg .pred %p;\n.reg .b32 %r<4>, %t, %taking;\n\
         .reg .b64 %d<4>, %cells, %lanes, %own, %mine, %room, %at;\n\
         .shared .align 8 .b8 room[512];\n\
         ld.param.u64 %cells, [cells]; ld.param.u64 %lanes, [lanes]; mov.u32 %t, %tid.x;\n\
         mul.wide.u32 %own, %t, 8; mov.u64 %room, room; add.u64 %mine, %room, %own;\n\
         add.u64 %own, %own, %cells; {copy_in} mad.wide.u32 %lanes, %t, 32, %lanes;\n\
         ld.global.u32 %taking, [%lanes]; ld.global.u32 %r3, [%lanes+4];\n\
         ld.global.u64 %d1, [%lanes+8]; ld.global.u64 %d2, [%lanes+16];\n\
         cvt.u32.u64 %r1, %d1; cvt.u32.u64 %r2, %d2;\n\
         mov.u32 %r0, 0; mov.u64 %d0, 0; cvt.u64.u32 %at, %r3; add.u64 %at, %at, {base};\n\
         setp.ne.u32 %p, %taking, 0; bar.sync 0; @%p {atomic} bar.sync 0;\n\
         @!%p bra Done; {}\nDone: {copy_out} ret;\n}}\n",
        if bits == 64 {
            "st.global.u64 [%lanes+24], %d0;"
        } else {
            "st.global.u32 [%lanes+24], %r0;"
        }
    )
}

/// Where each lane goes, in bytes.
fn places(pattern: u32, size: u32, random: &mut impl FnMut() -> u32) -> [u32; 32] {
    let cells = 512 / size;
    let first = random() % (cells - 31);
    std::array::from_fn(|lane| {
        let lane = lane as u32;
        size * match pattern {
            0 => first + lane,
            1 => first,
            2 => random() % cells,
            3 => first + random() % 3,
            _ => first + 31 - lane,
        }
    })
}

/// What the atomic makes of cells and of the lanes' results.
fn expected(f: Rmw, bits: u32, cells: &mut [u32], lanes: &mut [u32]) {
    for lane in lanes.chunks_mut(8).filter(|lane| lane[0] != 0) {
        let at = lane[1] as usize / 4;
        let wide = |words: &[u32]| u64::from(words[0]) | u64::from(words[1]) << 32;
        if bits == 32 {
            let old = cells[at];
            cells[at] = u32::rmw(f, old, lane[2], lane[4]);
            lane[6] = old;
        } else {
            let old = wide(&cells[at..]);
            let new = u64::rmw(f, old, wide(&lane[2..]), wide(&lane[4..]));
            (cells[at], cells[at + 1]) = (new as u32, (new >> 32) as u32);
            (lane[6], lane[7]) = (old as u32, (old >> 32) as u32);
        }
    }
}

/// Random numbers of 31 bits, the same each time.
fn numbers() -> impl FnMut() -> u32 {
    let mut state = 1_u64;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as u32
    }
}

/// What a warp makes of cells and of the lanes' words, `beside` other host threads or not.
fn ran(
    kernel: &Kernel,
    cells: &[u32],
    lanes: &[u32],
    beside: bool,
) -> (Outcome, Vec<u32>, Vec<u32>) {
    let mut memory = Memory::new();
    let args = [cells, lanes].map(|words| memory.allocate(4 * words.len() as u64));
    memory.write_u32(args[0], cells);
    memory.write_u32(args[1], lanes);
    let other = beside.then(|| memory.claim(false));
    let (one, options) = (Dim3::linear(1), Options::default());
    let ran = run(kernel, one, Dim3::linear(32), 0, &args, &memory, options);
    drop(other);
    assert!(ran.trap.is_none(), "{:?}", ran.trap);
    (ran.outcome, memory.read_u32(args[0]), memory.read_u32(args[1]))
}

#[test]
fn lanes_come_in_order_whichever_way_they_lie() {
    let mut random = numbers();
    for &(words, f, bits) in FUNCTIONS {
        for (space, result) in
            [("shared", true), ("shared", false), ("global", true), ("global", false)]
        {
            if !result && ["exch", "cas"].contains(&&words[..words.len() - 4]) {
                continue;
            }
            let kernel = load(&text(space, words, bits, result), "k.ptx", "k").unwrap();
            for turn in 0..30 {
                let places = places(turn % 5, bits / 8, &mut random);
                let mask = [u32::MAX, random() | 1, 1 << (random() % 32)][turn as usize / 5 % 3];
                // Small values, so that comparisons hold now and then; floats of everyday size.
                let float = f == Rmw::AddFloat;
                let mut value = |high: bool| match (float, bits) {
                    (true, 32) => (random() as f32 / 1024.0).to_bits(),
                    (true, _) if high => 0x4000_0000 | random() & 0xf_ffff,
                    (false, _) if high => random() & 0x8000_0001,
                    _ => random() & 3,
                };
                let mut cells: Vec<u32> = (0..2 * CELLS).map(|at| value(at % 2 == 1)).collect();
                let mut lanes: Vec<u32> = (0..32)
                    .flat_map(|lane| {
                        let [b, c] = [(); 2].map(|()| [value(false), value(true)]);
                        [mask >> lane & 1, places[lane], b[0], b[1], c[0], c[1], 0, 0]
                    })
                    .collect();
                let flushed = float && space == "global";
                let f = if flushed { Rmw::AddFlushed } else { f };
                let [alone, beside] =
                    [false, true].map(|beside| ran(&kernel, &cells, &lanes, beside));
                assert_eq!(alone, beside, "{space} {words} {places:?} {mask:#x}");
                expected(f, bits, &mut cells, &mut lanes);
                if !result {
                    lanes.chunks_mut(8).for_each(|lane| (lane[6], lane[7]) = (0, 0));
                }
                assert_eq!((alone.1, alone.2), (cells, lanes), "{space} {words} {mask:#x}");
            }
        }
    }
}

/// Cells of 16 bits, and several of a lane: rows of them change at once where the memory is not
/// shared with other host threads, and lane by lane where it is.
#[test]
fn rows_of_halves_and_of_several_cells_change_as_lane_by_lane() {
    const FORMS: &[(&str, u32)] = &[
        ("red.global.add.noftz.f16 [%at], %h0;", 2),
        ("atom.global.add.noftz.bf16 %h2, [%at], %h0;", 2),
        ("atom.global.cas.b16 %h2, [%at], %h0, %h1;", 2),
        ("red.global.add.noftz.v2.f16 [%at], {%h0, %h1};", 4),
        ("atom.global.max.noftz.v4.bf16 {%h2, %h3, %h4, %h5}, [%at], {%h0, %h1, %h1, %h0};", 8),
        ("red.global.add.noftz.v8.bf16 [%at], {%h0, %h1, %h0, %h0, %h1, %h1, %h0, %h1};", 16),
        ("red.global.add.v2.f32 [%at], {%r0, %r1};", 8),
        ("atom.global.add.v4.f32 {%r2, %r3, %r4, %r5}, [%at], {%r0, %r1, %r1, %r0};", 16),
        ("atom.global.min.noftz.v2.f16x2 {%r2, %r3}, [%at], {%r0, %r1};", 8),
    ];
    let mut random = numbers();
    for &(form, size) in FORMS {
        let text = format!(
            ".version 8.6\n.target sm_90\n.address_size 64\n\
             .visible .entry k(.param .u64 cells, .param .u64 lanes) {{\n\
             .reg .pred %p;\n.reg .b16 %h<6>;\n.reg .b32 %r<6>, %t, %taking;\n\
             .reg .b64 %lanes, %at;\n\
             ld.param.u64 %at, [cells]; ld.param.u64 %lanes, [lanes]; mov.u32 %t, %tid.x;\n\
             mad.wide.u32 %at, %t, {size}, %at; mad.wide.u32 %lanes, %t, 32, %lanes;\n\
             ld.global.u32 %taking, [%lanes]; setp.ne.u32 %p, %taking, 0;\n\
             ld.global.v2.u32 {{%r0, %r1}}, [%lanes+8]; cvt.u16.u32 %h0, %r0; cvt.u16.u32 %h1, %r1;\n\
             mov.u32 %r2, 0; mov.u32 %r3, 0; mov.u32 %r4, 0; mov.u32 %r5, 0;\n\
             mov.u16 %h2, 0; mov.u16 %h3, 0; mov.u16 %h4, 0; mov.u16 %h5, 0;\n\
             @%p {form}\n\
             st.global.v4.u32 [%lanes+16], {{%r2, %r3, %r4, %r5}};\n\
             st.global.v4.u16 [%lanes], {{%h2, %h3, %h4, %h5}};\nret;\n}}\n"
        );
        let kernel = load(&text, "k.ptx", "k").unwrap();
        for mask in [u32::MAX, 0x0ff0_1235, 1 << 9, 0x8000_0001] {
            // Equal at times, so that comparisons hold, and now and then no number at all.
            let mut value = || random() & 0x7003_7003;
            let cells: Vec<u32> = (0..8 * size).map(|_| value()).collect();
            let lanes: Vec<u32> = (0..32)
                .flat_map(|lane| [mask >> lane & 1, 0, value(), value(), 0, 0, 0, 0])
                .collect();
            let [alone, beside] = [false, true].map(|beside| ran(&kernel, &cells, &lanes, beside));
            assert_eq!(alone, beside, "{form} {mask:#x}");
            assert!(mask != u32::MAX || alone.1 != cells, "{form}");
        }
    }
}
