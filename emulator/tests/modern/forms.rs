//! Which forms are accepted, against `ptxas` 12.9: `benches/h200/modern/forms.py` wrote
//! `tests/ptx_modern/forms.txt`.

use warpscope_emulator::Module;

/// Forms that `ptxas` refuses and the emulator runs: it does not compare the kinds of registers
/// and literals.
const LENIENT: &[&str] = &[
    "add.f32 f0, f1, 1;",
    "add.u32 r0, r1, 0f3f800000;",
    "mov.u16 h0, r0;",
    "shl.b32 r0, r1, h0;",
    "mov.f32 f0, 1;",
    "mov.u32 r0, 1.5;",
];

#[test]
fn forms_are_refused_where_ptxas_refuses_them() {
    let mut wrong = Vec::new();
    for line in super::read("forms.txt").lines() {
        let (verdict, form) = line.split_once(' ').unwrap();
        let text = format!(
            ".version 8.4\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 o) {{\n\
             .reg .b32 r<8>; .reg .b64 d<4>; .reg .v4 .f32 v; .reg .v2 .b32 w; .reg .f32 f<4>;\n\
             .reg .u64 u; .reg .s64 s; .reg .pred p; .reg .b16 h<4>; .reg .b128 q;\n{form}\nret; }}"
        );
        let loaded = Module::load(&text).and_then(|module| module.kernel("k").map(|_| ()));
        if loaded.is_ok() != (verdict == "accepted") && !LENIENT.contains(&form) {
            wrong.push(format!("{verdict} {form} {loaded:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
