use proptest::prelude::*;

use super::*;
use crate::results::record::{Amount, InstructionProfile, LaunchCost};

const CUDA: &str = "// Adds one.
static __device__ int one(int a)
{
    return a + 1; // } not a brace
}

#define WIDE 1
int count;
extern \"C\" __global__ void k(int *x)
{
    if (x[0] == '{') {
        x[1] = one(x[1]);
    }
}
";

const PTX: &str = "// head
.visible .entry k_more(
)
{
\tret;
}
.visible .entry k(
\t.param .u64 k_param_0
)
{
\t.loc\t1 11 5


\tld.global.u32 \t%r1, [%rd1];
\t@%p1 bra \t$L__BB0_2;

\t.loc\t1 4 12
\tadd.s32 \t%r2, %r1, 1;
\tst.global.u32 \t[%rd1+4], %r2;
\tret;
}
";

fn kernel() -> KernelProfile {
    let at = |ptx, source, warps, lanes, sectors| InstructionProfile {
        ptx,
        source,
        work: LineWork {
            warps,
            lanes,
            requests: u64::from(sectors > 0) * warps,
            sectors,
            ideal_sectors: u64::from(sectors > 0) * 4 * warps,
            ..LineWork::default()
        },
    };
    KernelProfile {
        name: "k".to_owned(),
        instructions: vec![
            at(14, 11, 10, 320, 40),
            at(15, 11, 10, 320, 0),
            at(18, 4, 10, 160, 0),
            at(19, 12, 10, 160, 320),
            at(20, 14, 10, 320, 0),
        ],
        seconds: 4e-6,
        costs: vec![LaunchCost::made_up(&[(Amount::L2, 2000.0), (Amount::Issue, 1000.0)])],
        ..KernelProfile::default()
    }
}

#[test]
fn each_line_has_the_work_of_its_instructions() {
    let source = source(&kernel(), CUDA);
    assert_eq!(source.lines.len(), CUDA.lines().count());
    let line = |number: usize| &source.lines[number - 1];
    assert_eq!((line(11).work.warps, line(11).partners.as_slice()), (20, &[14, 15][..]));
    assert_eq!((line(4).work.idle_lanes(), line(12).work.conflicts()), (160, 280));
    let share = |number, heat, of: f64| (source.share(line(number), heat) - of).abs() < 1e-9;
    assert!(share(11, Heat::Executed, 0.4) && share(12, Heat::Conflicting, 1.0));
    // Lines with as much come in their order.
    assert_eq!(source.hottest(Heat::Executed), [10, 3, 11, 13]);
    assert_eq!(source.hottest(Heat::Divergent), [3, 11]);
    assert!(Listing::default().share(line(4), Heat::Executed).abs() < 1e-9);
    // Of the time, the store moves 8 of 9 sectors; instructions take a part each.
    assert_eq!(source.hottest(Heat::Time), [11, 10, 3, 13]);
    let all: f64 = source.lines.iter().map(|line| source.share(line, Heat::Time)).sum();
    assert!((all - 1.0).abs() < 1e-9 && source.share(line(12), Heat::Time) > 0.5, "{all}");
}

#[test]
fn the_kernel_is_cut_out_of_its_ptx() {
    let ptx = ptx(&kernel(), PTX);
    let text: Vec<&str> = ptx.lines.iter().map(|line| line.text.trim()).collect();
    assert_eq!(text[0], ".visible .entry k(");
    assert_eq!(text.last(), Some(&"}"));
    assert!(!text.iter().any(|line| line.starts_with(".loc")), "{text:?}");
    assert!(!text.windows(2).any(|two| two == ["", ""]), "{text:?}");
    let load = ptx.lines.iter().find(|line| line.text.contains("ld.global")).unwrap();
    assert_eq!((load.number, load.work.warps, load.partners.as_slice()), (14, 10, &[11][..]));
    assert!(!load.text.contains('\t'));
}

#[test]
fn the_cursor_finds_the_other_text() {
    let kernel = kernel();
    let (source, ptx) = (source(&kernel, CUDA), ptx(&kernel, PTX));
    let at = |number| source.place(number).unwrap();
    let number = |place: Option<usize>| place.map(|place| ptx.lines[place].number);
    assert_eq!(number(source.partner_in(at(4), &ptx, Heat::Executed)), Some(18));
    // Of two instructions of one line the first; by conflicts the one that has some.
    assert_eq!(number(source.partner_in(at(11), &ptx, Heat::Executed)), Some(14));
    // A line without instructions goes with the nearest that has some.
    assert_eq!(number(source.partner_in(at(5), &ptx, Heat::Executed)), Some(18));
    assert_eq!(number(source.partner_in(at(13), &ptx, Heat::Executed)), Some(20));
    let store = ptx.place(19).unwrap();
    let back = ptx.partner_in(store, &source, Heat::Executed).unwrap();
    assert_eq!(source.lines[back].number, 12);
    assert_eq!(Listing::default().partner_in(0, &source, Heat::Executed), None);
}

#[test]
fn functions_end_with_their_braces() {
    assert_eq!(functions(CUDA), [1..5, 8..14]);
}

/// The functions of every kernel file: each kernel lies in exactly one.
#[test]
fn every_kernel_of_this_program_is_a_function() {
    for algorithm in crate::algorithms::ALL {
        for variant in algorithm.variants() {
            let source = algorithm.module(variant.name).source;
            let lines: Vec<&str> = source.lines().collect();
            let functions = functions(source);
            let kernels = lines.iter().filter(|line| line.contains("__global__ void")).count();
            let found = functions.iter().filter(|range| {
                lines[(*range).clone()].iter().any(|line| line.contains("__global__ void"))
            });
            assert_eq!(found.count(), kernels, "{} {}", algorithm.name(), variant.name);
        }
    }
}

#[test]
fn what_a_line_did_is_told_in_words() {
    let kernel = kernel();
    let told = tells(&kernel.instructions[3].work);
    assert_eq!(
        told,
        ["10 warp instructions", "16 of 32 lanes active", "32 sectors per request (ideal 4)"]
    );
    assert!(tells(&LineWork::default()).is_empty());
}

proptest! {
    /// Whatever the text, every instruction whose line is listed counts there and
    /// nowhere else.
    #[test]
    fn nothing_is_counted_twice_or_lost(
        lines in prop::collection::vec((0u32..30, 0u32..30, 0u64..1000), 0..40),
        text in "[a-z{}/*\n \"]{0,120}",
    ) {
        let instructions: Vec<InstructionProfile> = lines
            .iter()
            .map(|&(ptx, source, warps)| InstructionProfile {
                ptx,
                source,
                work: LineWork { warps, ..LineWork::default() },
            })
            .collect();
        let kernel = KernelProfile { instructions, ..KernelProfile::default() };
        let listing = source(&kernel, &text);
        let many = text.lines().count() as u32;
        let expected: u64 =
            lines.iter().filter(|it| (1..=many).contains(&it.1)).map(|it| it.2).sum();
        prop_assert_eq!(listing.lines.iter().map(|line| line.work.warps).sum::<u64>(), expected);
        prop_assert_eq!(listing.total.warps, lines.iter().map(|it| it.2).sum::<u64>());
        for range in functions(&text) {
            prop_assert!(range.start < range.end && range.end <= many as usize);
        }
        pair(&listing, &ptx(&kernel, &text));
    }
}
