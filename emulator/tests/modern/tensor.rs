//! What goes wrong with tensor maps, and what the sanitizer says of them.

use warpscope_emulator::{Launch, Module, Report, TensorElement, TensorMap, TrapKind};

/// Copies a box that starts at `at`; the kernel of the recordings.
fn copy(kernel: &str, at: (&str, &str), map: Option<&TensorMap>) -> Report {
    let text = super::read("tensor.ptx");
    let start = text.find(&format!(".entry {kernel}(")).unwrap();
    let end = start + text[start..].find("\n}\n").unwrap() + 3;
    let head = ".version 8.0\n.target sm_90a\n.address_size 64\n.visible ";
    let text = format!("{head}{}", text[start..end].replace(at.0, at.1));
    let module = Module::load_file(&text, "tensor.ptx").unwrap();
    let kernel = module.kernel(kernel).unwrap();
    let launch = Launch::new(&kernel).block(32).input(&[1_u32; 4096]).input(&[0_u32; 4096]);
    let launch = match map {
        Some(map) => launch.tensor_map(usize::from(kernel.name().contains("store")), 0, map),
        None => (0..16).fold(launch, |launch, _| launch.value(0_u64)),
    };
    launch.sanitize(&module).run()
}

fn map() -> TensorMap {
    TensorMap::new(TensorElement::U32, &[100, 40], &[32, 16])
}

const SAME: (&str, &str) = ("{12, 7}", "{12, 7}");

#[test]
fn a_box_counts_as_written_and_touches_its_sectors() {
    let clean = copy("t_2d_0", SAME, Some(&map()));
    assert_eq!((clean.trap, clean.findings.len()), (None, 0), "{:?}", clean.findings);
    // The tensor itself is not watched, and the report says so.
    assert!(clean.limits.iter().any(|limit| limit.contains("cp.async.bulk.tensor.2d")));
    // 16 rows of 128 bytes, 400 bytes apart: every other one starts in the middle of a sector.
    assert_eq!(clean.counters.global_load_sectors, 8 * 5 + 8 * 4);
}

#[test]
fn what_tensor_maps_cannot_do_is_a_trap() {
    let trap = |kernel: &str, at: (&str, &str), map: Option<&TensorMap>| {
        let trap = copy(kernel, at, map).trap.unwrap();
        (trap.kind, trap.message)
    };
    let (kind, message) = trap("t_2d_0", ("{12, 7}", "{13, 7}"), Some(&map()));
    assert_eq!(kind, TrapKind::Misaligned);
    assert!(message.contains("the box starts at element 13"), "{message}");
    let (_, message) = trap("t_2d_0", SAME, None);
    assert!(message.contains("there is no tensor map at"), "{message}");
    let flat = TensorMap::new(TensorElement::U32, &[100], &[32]);
    assert!(trap("t_2d_0", SAME, Some(&flat)).1.contains("has 2 coordinates for 1 dimensions"));
    let large = TensorMap::new(TensorElement::U32, &[100, 4000], &[32, 16]);
    let (kind, message) = trap("t_2d_0", ("{12, 7}", "{12, 170}"), Some(&large));
    assert_eq!(kind, TrapKind::OutOfBounds, "{message}");
    let before = trap("t_store_in", ("{16, 8}", "{16, -8}"), Some(&map()));
    assert!(before.1.contains("a box that starts before the tensor"), "{}", before.1);
    let odd = trap("t_2d_0", ("[tile], [map", "[tile+16], [map"), Some(&map()));
    assert_eq!(odd.0, TrapKind::Misaligned, "{}", odd.1);
}
