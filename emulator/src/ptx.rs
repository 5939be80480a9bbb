//! PTX text to a syntax tree with source positions.
//!
//! The grammar is that of the PTX ISA, taken generally: any instruction with
//! any modifiers and operands parses, and every node knows its line. What an
//! instruction means, and whether it is supported, is decided in
//! `compile`. Names borrow from the text; nothing is copied.

mod ast;
mod declarations;
mod expression;
mod lexer;
mod parser;

pub use ast::{
    Address, Cluster, Function, Guard, Instruction, Item, Module, Operand, Param, RegisterDecl,
    SourceLine, Space, Statement, Variable,
};
pub use lexer::Position;
pub use parser::parse;

/// Why a text is not PTX that this program can read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}:{}:{}: {message}", position.line, position.column)]
pub struct ParseError {
    /// The file as named by the caller.
    pub path: String,
    /// Where.
    pub position: Position,
    /// What was found and what was expected.
    pub message: String,
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const OURS: &str = include_str!("../../kernels/ptx/histogram.ptx");

    #[test]
    fn our_own_ptx_parses() {
        let module = parse(OURS, "histogram.ptx").unwrap();
        assert_eq!((module.version, module.target, module.address_size), ((7, 8), "sm_50", 64));
        assert_eq!(module.files, [(1, "kernels/histogram.cu")]);
        let entries: Vec<_> = module
            .items
            .iter()
            .filter_map(|item| match item {
                Item::Function(function) if function.entry => {
                    Some((function.name, function.params.len()))
                }
                _ => None,
            })
            .collect();
        assert_eq!(entries.len(), 4);
        assert!(entries.contains(&("histogram_shared_range", 4)));
    }

    #[test]
    fn operands_of_every_form_parse() {
        let text = ".version 8.0 .target sm_90a, debug .address_size 64
            .global .align 4 .u32 table[2][2] = {{1, 2}, {3, 0x4U}};
            .func (.param .b32 out) f (.param .align 8 .b8 in[16]) ;
            .visible .entry k() .maxntid 256, 1, 1 {
              .reg .pred p, q; .reg .f32 %f<4>; /* a comment
              of two lines */ .shared .b8 buffer[];
              L1: @!p ld.global.v2.f32 {%f0, %f1}, [%rd1+-8];
              add.f32 %f2, %f0, 0f3F800000; fma.rn.f64 a, b, -1.5, 0d3FF0000000000000;
              shfl.sync.down.b32 %r1|p, %r2, 1, 31, -1; mov.u64 %rd2, generic(table)+4;
              setp.lt.and.s32 p|q, %r1, 07, !q; call (x), f, (y, z);
              ld.const.u32 %r1, [16]; bra.uni L1; }";
        let module = parse(text, "t").unwrap();
        let Some(Item::Function(kernel)) = module.items.last() else { panic!("no kernel") };
        let body = kernel.body.as_ref().unwrap();
        let words: Vec<_> = body
            .iter()
            .filter_map(|statement| match statement {
                Statement::Instruction(instruction) => Some(instruction),
                _ => None,
            })
            .collect();
        assert_eq!(words.len(), 9);
        assert!(words[0].guard.is_some_and(|guard| guard.negated));
        assert_eq!(
            words[0].operands[1],
            Operand::Address(Address { base: Some("%rd1"), offset: -8 })
        );
        assert_eq!(words[0].position.line, 7);
        assert_eq!(words[1].operands[2], Operand::Float32(0x3F80_0000));
        assert_eq!(words[2].operands[2], Operand::Float64((-1.5_f64).to_bits()));
        assert_eq!(words[3].operands[0], Operand::Pair("%r1", "p"));
        assert_eq!(
            words[4].operands[1],
            Operand::Symbol { name: "table", offset: 4, generic: true }
        );
        assert_eq!(words[5].operands[2], Operand::Int(7));
        assert_eq!(words[5].operands[3], Operand::Not("q"));
        assert_eq!(words[7].operands[1], Operand::Address(Address { base: None, offset: 16 }));
    }

    #[test]
    fn errors_name_the_place() {
        for (text, place, part) in [
            ("", "t.ptx:1:1", "not a PTX file"),
            (".version 7.8\n.target sm_50\n.entry k( {", "t.ptx:3:11", "`.param`"),
            (".version 7.8 .target sm_50 .entry k() { add.s32 %r1, ; }", "t.ptx:1:54", "operand"),
            (".version 7.8 .entry k() { /* ", "t.ptx:1:27", "never closed"),
            (".version 7.8 .entry k() { add 0fXY; }", "t.ptx:1:31", "not a number"),
            (".version 7.8 .entry k() { é", "t.ptx:1:27", "unexpected character"),
        ] {
            let error = parse(text, "t.ptx").unwrap_err().to_string();
            assert!(error.starts_with(place) && error.contains(part), "{error}");
        }
    }

    proptest! {
        #[test]
        fn any_text_parses_or_is_refused(text in "\\PC{0,200}") {
            let _ = parse(&text, "t");
        }

        #[test]
        fn our_ptx_with_a_flaw_parses_or_is_refused(at in 0..OURS.len(), with in "\\PC{0,3}", cut in 0..40_usize) {
            let mut text = OURS.to_owned();
            let end = (at + cut).min(text.len());
            if text.is_char_boundary(at) && text.is_char_boundary(end) {
                text.replace_range(at..end, &with);
                let _ = parse(&text, "t");
            }
        }
    }
}
