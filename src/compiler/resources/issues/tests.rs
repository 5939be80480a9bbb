use super::*;

#[test]
fn an_unrolled_loop_counts_once() {
    let ptx = ".entry k()\n{\nLOOP:\nld.global.f32 %f1, [%rd1];\nadd.s64 %rd1, %rd1, 4;\n\
        @%p1 bra LOOP;\nret;\n}\n";
    let listing = ".text.k:\n.L_x_1:\n//## File \"k.ptx\", line 4\n/*0000*/ LDG.E R2, [R4.64] ;\n\
        /*0010*/ LDG.E R3, [R4.64+0x4] ;\n//## File \"k.ptx\", line 5\n\
        /*0020*/ IADD3 R4, R4, 0x8, RZ ;\n//## File \"k.ptx\", line 6\n\
        /*0030*/ @P0 BRA `(.L_x_1) ;\n//## File \"k.ptx\", line 7\n/*0040*/ EXIT ;\n\
        /*0050*/ NOP ;\n$__internal_0:\n/*0060*/ MOV R2, R3 ;\n";
    let found = issues(ptx, listing);
    let expected = [
        ("k".to_owned(), 4, [2.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0]),
        ("k".to_owned(), 7, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
    ];
    assert_eq!(found, expected);
}

/// A listing of instructions, each with the PTX line that it is from; labels stand alone.
fn listing(code: &[(u32, &str)]) -> String {
    let line = |(line, text): &(u32, &str)| {
        if text.ends_with(':') {
            format!("{text}\n")
        } else {
            format!("//## File \"k.ptx\", line {line}\n/*0000*/ {text} ;\n")
        }
    };
    format!(".text.k:\n{}", code.iter().map(line).collect::<String>())
}

const CHOICE: &str = ".entry k()\n{\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra OVER;\n\
    st.shared.u32 [%r2], %r3;\nadd.s32 %r4, %r3, 1;\nOVER:\nbar.sync 0;\nret;\n}\n";

#[test]
fn what_runs_under_predicates_counts_for_the_block_before_it() {
    let code = [
        (3, "ISETP.NE.AND P0, PT, R1, RZ, PT"),
        (5, "@!P0 STS [R2], R3"),
        (6, "@!P0 VIADD R4, R3, 0x1"),
        (8, "BAR.SYNC.DEFER_BLOCKING 0x0"),
        (9, "EXIT"),
    ];
    let found = issues(CHOICE, &listing(&code));
    let all: Vec<(u32, f64)> = found.iter().map(|(_, line, kinds)| (*line, kinds[0])).collect();
    assert_eq!(all, [(3, 3.0), (8, 2.0)]);
    assert_eq!(without(CHOICE, &listing(&code)), [("k".to_owned(), 4, 0.0)]);
}

#[test]
fn a_branch_that_is_left_parts_the_blocks() {
    let code = [
        (3, "ISETP.NE.AND P0, PT, R1, RZ, PT"),
        (4, "@P0 BRA `(.L_x_1)"),
        (5, "STS [R2], R3"),
        (0, ".L_x_1:"),
        (8, "BAR.SYNC.DEFER_BLOCKING 0x0"),
        (9, "EXIT"),
    ];
    let found = issues(CHOICE, &listing(&code));
    let all: Vec<(u32, f64)> = found.iter().map(|(_, line, kinds)| (*line, kinds[0])).collect();
    assert_eq!(all, [(3, 2.0), (5, 1.0), (8, 2.0)]);
    assert!(without(CHOICE, &listing(&code)).is_empty());
}

#[test]
fn what_is_moved_out_of_a_loop_runs_as_often_as_what_is_before_it() {
    let ptx = ".entry k()\n{\nmov.u32 %r1, 0;\nLOOP:\nld.global.u32 %r2, [%rd1];\n\
        add.s32 %r1, %r1, %r2;\nsetp.ne.s32 %p1, %r1, 9;\n@%p1 bra LOOP;\nret;\n}\n";
    let code = [
        (3, "IMAD.MOV.U32 R1, RZ, RZ, RZ"),
        (5, "LDC.64 R4, c[0x0][0x210]"),
        (0, ".L_x_1:"),
        (5, "LDG.E R2, desc[UR4][R4.64]"),
        (6, "IADD3 R1, R1, R2, RZ"),
        (7, "ISETP.NE.AND P0, PT, R1, 0x9, PT"),
        (8, "@P0 BRA `(.L_x_1)"),
        (9, "EXIT"),
    ];
    let found = issues(ptx, &listing(&code));
    let all: Vec<(u32, f64)> = found.iter().map(|(_, line, kinds)| (*line, kinds[0])).collect();
    assert_eq!(all, [(3, 2.0), (5, 4.0), (9, 1.0)]);
}

#[test]
fn products_of_doubles_take_their_unit_for_long() {
    let doubles = |shape: &str| {
        let ptx = ".entry k()\n{\nmma.sync.f64 %fd1, %fd2;\nret;\n}\n";
        let code = [(3, format!("DMMA.{shape} R4, R2, R2, R4")), (4, "EXIT".to_owned())];
        let code: Vec<(u32, &str)> = code.iter().map(|(line, text)| (*line, &**text)).collect();
        let found = issues(ptx, &listing(&code));
        found.iter().map(|(_, _, kinds)| kinds[5]).sum::<f64>()
    };
    let found = ["8x8x4", "16x8x4", "16x8x8", "16x8x16"].map(doubles);
    assert_eq!(found.map(|many| many as u32), [8, 8, 16, 32]);
}
