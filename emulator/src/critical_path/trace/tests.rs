use super::*;

/// A block that reads an array again and again, each time further. In the end the array is larger
/// than 64 KiB.
fn growing(blocks: usize) -> Trace {
    let mut trace = Trace::default();
    trace.record(Some(blocks));
    let mut cycles = 0.0;
    for round in 1..=64 {
        for line in 0..round * 16 {
            cycles += 1.0;
            // Warps are not followed in order of time.
            trace.begin(Kind::Load, if line % 2 == 0 { cycles + 64.0 } else { cycles });
            trace.add(line * LINE);
            trace.add(line * LINE + 1);
        }
    }
    trace.take()
}

#[test]
fn a_part_of_the_sets_tells_what_all_of_them_find() {
    let share = |trace: Trace| {
        let (_, found) = replay(&[trace], 64 << 10, 1 << 20, 1, 1.0);
        found.found as f64 / found.asked as f64
    };
    let (whole, part) = (growing(1), growing(64));
    assert_eq!(whole.part, Part::default());
    assert!(part.part > whole.part && part.sectors.len() <= MOST_SECTORS / 64);
    assert!(part.accesses.iter().all(|access| access.count > 0), "none is empty");
    let (whole, part) = (share(whole), share(part));
    assert!((0.2..0.6).contains(&whole), "{whole}");
    assert!((whole - part).abs() < 0.05, "{whole} of all, {part} of a part");
}

#[test]
fn loads_that_go_past_l1_find_nothing_there() {
    let found = |kind| {
        let mut trace = Trace::default();
        trace.record(Some(1));
        for _ in 0..4 {
            trace.begin(kind, 0.0);
            trace.add(7);
        }
        let (_, found) = replay(&[trace.take()], 64 << 10, 1 << 20, 1, 1.0);
        (found.asked, found.found)
    };
    assert_eq!(found(Kind::Load), (4, 3));
    assert_eq!(found(Kind::Past), (4, 0));
}

#[test]
fn sectors_changed_in_place_count_where_a_block_has_half_of_their_line() {
    let pieces = |loads: &[u64], stores: &[u64]| {
        let mut trace = Trace::default();
        trace.record(Some(1));
        for (kind, sectors) in [(Kind::Load, loads), (Kind::Store, stores)] {
            trace.begin(kind, 0.0);
            for &sector in sectors {
                trace.add(sector);
            }
        }
        trace.take().pieces()
    };
    assert_eq!(pieces(&[2, 3, 6], &[2, 3, 6]), (3, 3), "second halves");
    assert_eq!(pieces(&[1, 2, 3], &[2, 3]), (3, 0), "some of the other half is read");
    assert_eq!(pieces(&[0, 1], &[4, 5]), (2, 0), "written elsewhere");
    assert_eq!(pieces(&[0, 0, 1], &[]), (0, 0), "nothing is written");
}

#[test]
fn traces_are_brought_to_the_same_part() {
    let mut traces = [growing(1), growing(64), growing(16)];
    Trace::align(&mut traces);
    assert!(traces.iter().all(|trace| trace.part == traces[1].part));
    let kept = traces.map(|trace| {
        let each = |&access: &Access| (access.cycles, trace.sectors_of(access).to_vec());
        trace.accesses.iter().map(each).collect::<Vec<_>>()
    });
    assert!(kept.iter().all(|it| *it == kept[1]), "the same blocks");
}
