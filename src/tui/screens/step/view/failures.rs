//! Kernels that trap, do not end, or need more than a block can have.

use std::sync::Arc;
use std::time::Duration;

use super::tests::{answer, go};
use crate::own::{self, OwnFile};
use crate::tui::Start;
use crate::tui::app::action::{Action, Command};
use crate::tui::app::effect::Effect;
use crate::tui::app::model::{Model, Screen};
use crate::tui::app::update::update;
use crate::tui::app::view::tests::text;
use crate::tui::fixture::{PLAIN, press};
use crate::work::trace::Ending;

/// A file of the user with one kernel of this body and these lines in its header.
fn own(name: &str, header: &str, body: &str) -> Model {
    let source = format!(
        "/* warpscope\nsizes = \"2^6..2^8\"\nblock = 64\ngrid = \"ceil(n / block)\"\n\
         args = [\"out: u32[n] zeros\"]\noutput = \"out\"\n{header}*/\n.version 7.8\n\
         .target sm_50\n.address_size 64\n.visible .entry mine(.param .u64 out)\n{{\n\
         .reg .pred %p<4>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\nld.param.u64 %rd1, [out];\n\
         mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n{body}\n\
         ret;\n}}\n"
    );
    let file = OwnFile {
        name: name.to_owned(),
        ptx: source.clone(),
        source,
        resources: String::new(),
        compiler: String::new(),
        like: None,
    };
    let system = own::system(&file).unwrap();
    let experiment = crate::algorithms::opening(system);
    let start = Start { experiment, read_only: true, ..Start::default() };
    Model::new(&start, PLAIN)
}

fn stepped(mut model: Model) -> Model {
    let effects = press(&mut model, Command::Show(Screen::Step), 1.0);
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Record { .. })), "{effects:?}");
    answer(&mut model, effects);
    model
}

#[test]
fn a_trap_is_the_last_step_and_says_why() {
    let mut model = stepped(own("step-trap.ptx", "", "st.global.u32 [%rd3+4096], %r1;"));
    let shown = text(&model, 120, 40);
    assert!(shown.contains("The block traps:") && shown.contains("End shows where"), "{shown}");
    go(&mut model, Command::Last);
    let shown = text(&model, 120, 40);
    assert!(shown.contains("The kernel traps here:"), "{shown}");
    assert!(shown.contains("PTX · st.global.u32"), "{shown}");
    // And back to the start.
    go(&mut model, Command::First);
    assert!(text(&model, 80, 24).contains("PTX · ld.param.u64"));
}

#[test]
fn a_block_that_needs_too_much_is_named_and_the_screen_goes_on() {
    let model =
        stepped(own("step-large.ptx", "shared = \"400000\"\n", "st.global.u32 [%rd3], %r1;"));
    let shown = text(&model, 120, 40);
    assert!(shown.contains("Not recorded:") && shown.contains("shared memory"), "{shown}");
    assert!(shown.contains("Enter tries again"), "{shown}");
}

#[test]
fn a_trace_that_is_full_says_that_the_block_goes_on() {
    let mut model = own("step-full.ptx", "", "st.global.u32 [%rd3], %r1;");
    let effects = press(&mut model, Command::Show(Screen::Step), 1.0);
    let Some(Effect::Record { id, wanted }) = effects.into_iter().next() else { panic!() };
    // As a kernel without end would leave it after 64 MiB.
    let mut recorded = super::tests::record_of(*wanted).unwrap();
    recorded.ending = Ending::Full;
    let action = Action::Recorded { id, result: Ok(Arc::new(recorded)) };
    update(&mut model, action, Duration::from_secs(2));
    let shown = text(&model, 80, 24);
    assert!(shown.contains("the trace is full after") && shown.contains("goes on"), "{shown}");
    assert!(shown.contains("block 0 of"), "{shown}");
}

#[test]
fn a_kernel_without_end_is_cut_off_at_the_limit() {
    let body = "$L: ld.global.u32 %r2, [%rd3];\nadd.u32 %r2, %r2, 1;\n\
                st.global.u32 [%rd3], %r2;\nbra $L;";
    let mut model = stepped(own("step-endless.ptx", "", body));
    assert!(text(&model, 80, 24).contains("the trace is full after"));
    go(&mut model, Command::Last);
    go(&mut model, Command::Left);
    assert!(text(&model, 80, 24).contains("warp 0 of 2"));
}
