//! What kernels do with their pointers, by their PTX.

use crate::emulator::ptx::{Item, parse};
use crate::own::uses::{Does, Use, Uses};

/// The uses of the first function of a module with this body and these parameters of 8 bytes each.
fn uses(params: u32, body: &str) -> Uses {
    let params: Vec<String> = (0..params).map(|it| format!(".param .u64 p{it}")).collect();
    let text = format!(
        ".version 7.8\n.target sm_50\n.address_size 64\n.visible .entry k({}) {{\n\
         .reg .b32 %r<9>; .reg .b64 %rd<20>; .reg .f32 %f<4>; .reg .pred %p<2>;\n{body}\nret; }}\n",
        params.join(", ")
    );
    let module = parse(&text, "k.ptx").unwrap();
    let Some(Item::Function(function)) = module.items.first() else { panic!() };
    Uses::new(function)
}

#[test]
fn loads_stores_and_atomics_are_told_apart() {
    let found = uses(
        5,
        "ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1]; ld.param.u64 %rd3, [p2];\n\
         ld.param.u64 %rd4, [p3]; mov.u32 %r1, %tid.x;\n\
         cvta.to.global.u64 %rd5, %rd1; mul.wide.u32 %rd6, %r1, 4; add.s64 %rd7, %rd5, %rd6;\n\
         ld.global.nc.u32 %r2, [%rd7];\n\
         mul.wide.u32 %rd8, %r2, 4; add.s64 %rd9, %rd2, %rd8;\n\
         ld.global.f32 %f1, [%rd9]; st.global.f32 [%rd9+4], %f1;\n\
         add.s64 %rd10, %rd3, 8; red.global.add.f32 [%rd10+4], %f1;\n\
         atom.global.cas.b32 %r3, [%rd4], 0, 1;",
    );
    let of = |param| *found.of(param, 0).unwrap();
    assert!(of(0).does(Does::Read) && !of(0).changes() && of(0).does(Does::Index), "{:?}", of(0));
    assert!(
        of(1).does(Does::Read) && of(1).only_stores() && !of(1).does(Does::Index),
        "{:?}",
        of(1)
    );
    assert!(
        of(2).does(Does::Count) && !of(2).does(Does::Read) && !of(2).only_stores(),
        "{:?}",
        of(2)
    );
    assert!(of(3).only_exchanges(), "{:?}", of(3));
    assert_eq!([0, 1, 2, 3].map(|it| of(it).bytes()), [None, None, Some(16), Some(4)]);
    // Nothing is done with it.
    assert_eq!(found.of(4, 0), None);
}

#[test]
fn places_and_values_from_a_counter_depend_on_the_order() {
    let found = uses(
        4,
        "ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1]; ld.param.u64 %rd3, [p2];\n\
         ld.param.u64 %rd6, [p3]; st.global.u32 [%rd6], %r2;\n\
         atom.global.add.u32 %r1, [%rd1], 1; mul.wide.u32 %rd4, %r1, 4; add.s64 %rd5, %rd2, %rd4;\n\
         st.global.v2.u32 [%rd5], {%r1, %r1}; st.global.u32 [%rd3], %r1;",
    );
    assert!(found.of(1, 0).is_some_and(|it| it.does(Does::StoreByOrder) && it.does(Does::Store)));
    assert!(found.of(2, 0).is_some_and(|it| it.does(Does::StoreByOrder) && it.bytes() == Some(4)));
    assert!(found.of(3, 0).is_some_and(|it| !it.does(Does::StoreByOrder) && it.bytes() == Some(4)));
}

#[test]
fn a_pointer_that_is_passed_on_or_changed_in_a_loop_is_followed_as_far_as_possible() {
    let found = uses(
        3,
        "ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1+8]; ld.param.u64 %rd3, [p2];\n\
         st.global.u64 [%rd3], %rd1;\n$L: st.global.v4.f32 [%rd2], {%f1, %f1, %f1, %f1};\n\
         add.s64 %rd2, %rd2, 16; setp.ne.s64 %p1, %rd2, 0; @%p1 bra $L;",
    );
    assert_eq!(found.of(0, 0), None);
    assert!(found.of(1, 8).is_some_and(|it| it.only_stores() && it.bytes().is_none()));
    assert!(found.of(2, 0).is_some_and(Use::only_stores));
    // More pointers than are followed.
    let many: String = (0..70).map(|it| format!("ld.param.u64 %rd1, [p0+{}];\n", 8 * it)).collect();
    assert_eq!(uses(1, &format!("{many}st.global.u32 [%rd1], 1;")), Uses::default());
}
