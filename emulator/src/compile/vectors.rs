//! Registers that are vectors (`.reg .v4 .f32 v`), and moves of several registers at once.

use crate::compile::compiler::Compiler;
use crate::compile::memory::vector;
use crate::compile::refuse::{Compiled, operands, unsupported};
use crate::compile::types::Type;
use crate::program::Op;
use crate::ptx::{Instruction, Operand};

/// The elements of a special register that is a vector. The fourth is 0.
fn special(name: &str) -> Option<[&'static str; 3]> {
    Some(match name {
        "%tid" => ["%tid.x", "%tid.y", "%tid.z"],
        "%ntid" => ["%ntid.x", "%ntid.y", "%ntid.z"],
        "%ctaid" => ["%ctaid.x", "%ctaid.y", "%ctaid.z"],
        "%nctaid" => ["%nctaid.x", "%nctaid.y", "%nctaid.z"],
        "%clusterid" => ["%clusterid.x", "%clusterid.y", "%clusterid.z"],
        "%nclusterid" => ["%nclusterid.x", "%nclusterid.y", "%nclusterid.z"],
        "%cluster_ctaid" => ["%cluster_ctaid.x", "%cluster_ctaid.y", "%cluster_ctaid.z"],
        "%cluster_nctaid" => ["%cluster_nctaid.x", "%cluster_nctaid.y", "%cluster_nctaid.z"],
        _ => return None,
    })
}

impl<'a> Compiler<'a> {
    /// The instruction with `{v.x, v.y}` in place of each register `v` that is a vector, if it
    /// names one.
    pub(crate) fn expand(&self, instruction: &Instruction<'a>) -> Option<Instruction<'a>> {
        let elements = |operand: &Operand<'a>| match operand {
            Operand::Name(name) => {
                let count = self.names.vector(name)?.len() as u8;
                Some((0..count).map(|index| Operand::Element(name, index)).collect())
            }
            _ => None,
        };
        if !instruction.operands.iter().any(|operand| elements(operand).is_some()) {
            return None;
        }
        let mut expanded = instruction.clone();
        for operand in &mut expanded.operands {
            if let Some(elements) = elements(operand) {
                *operand = Operand::Vector(elements);
            }
        }
        Some(expanded)
    }

    /// `mov.v4.f32 v, {a, b, c, d}`: every source is read before any destination is written.
    pub(crate) fn mov_vector(&mut self, instruction: &Instruction<'a>, ty: Type) -> Compiled {
        let [d, a] = operands(instruction)?;
        let from: Vec<Operand<'a>> = match a {
            Operand::Vector(parts) => parts.clone(),
            // `ptxas` gives one value to the first element and leaves the others open.
            Operand::Int(_) | Operand::Float32(_) | Operand::Float64(_) => {
                let Operand::Vector(to) = d else { return unsupported(instruction) };
                let kept = to.iter().skip(1).cloned();
                std::iter::once(a.clone()).chain(kept).collect()
            }
            Operand::Name(name) => match special(name) {
                Some(names) => {
                    names.into_iter().map(Operand::Name).chain([Operand::Int(0)]).collect()
                }
                None => return unsupported(instruction),
            },
            _ => return unsupported(instruction),
        };
        let Operand::Vector(to) = d else { return unsupported(instruction) };
        let count = usize::from(vector(instruction, d)?);
        if from.len() != count {
            return Err(format!("`{}` does not take {} values", instruction.word, from.len()));
        }
        let mut values = Vec::with_capacity(count);
        for part in &from {
            let (value, copy) = (self.value(ty, part)?, self.names.fresh(ty.wide())?);
            self.push(Op::mov(ty.wide(), [copy, value]));
            values.push(copy);
        }
        for (part, a) in to.iter().zip(values) {
            let d = self.destination(ty, part)?;
            self.push(Op::mov(ty.wide(), [d, a]));
            self.settle(ty, d);
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::{Launch, LoadError, load};

    // An H200 (driver 580.159.04) leaves the same words, but refuses `mov.v8` and a `_` in
    // `mov.b128`.
    /// What a kernel with this body leaves in `out`, four words for each of two threads.
    fn run(body: &str) -> Result<[u32; 8], LoadError> {
        let text = format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n\
             .visible .entry k(.param .u64 out) {{\n\
             .reg .b64 %out, %rd<9>; .reg .b32 %t, %r<9>; .reg .f32 %f<9>; .reg .b16 %h<9>;\n\
             .reg .pred %p<3>;\n\
             ld.param.u64 %out, [out]; mov.u32 %t, %tid.x;\n\
             mad.wide.u32 %out, %t, 16, %out;\n{body}\nret; }}\n"
        );
        let kernel = load(&text, "t.ptx", "k")?;
        let report = Launch::new(&kernel).block(2).output::<u32>(8).run();
        assert_eq!(report.trap, None);
        Ok(report.buffer::<u32>(0).try_into().unwrap())
    }

    #[test]
    fn elements_and_whole_vectors_are_the_same_registers() {
        let found = run(".reg .v4 .u32 v, w; mov.v4.u32 v, {1, 2, %t, 4};\n\
             add.u32 v.y, v.r, v.w; mov.v4.u32 w, v; mov.u32 v.x, 9;\n\
             mul.lo.u32 w.a, w.g, 10; st.global.v4.u32 [%out], w;");
        assert_eq!(found.unwrap(), [1, 5, 0, 50, 1, 5, 1, 50]);
    }

    #[test]
    fn vectors_are_loaded_where_they_were_stored() {
        let found =
            run(".reg .v2 .u32 v<3>; mov.v2.u32 v0, {7, %t}; st.global.v2.u32 [%out], v0;\n\
             st.global.v2.u32 [%out+8], {%t, 8}; ld.global.v2.u32 v2, [%out];\n\
             ld.global.v2.u32 {v1.y, v1.x}, [%out+8]; add.u32 v2.x, v2.x, v1.x;\n\
             @%p1 mov.v2.u32 v2, {0, 0}; st.global.v2.u32 [%out], v2;");
        assert_eq!(found.unwrap(), [15, 0, 0, 8, 15, 1, 1, 8]);
    }

    #[test]
    fn signed_elements_keep_their_bits_only() {
        let found = run(".reg .v2 .s16 v; mov.u32 %r1, 0x0001FFFE; st.global.u32 [%out], %r1;\n\
             ld.global.v2.s16 v, [%out]; cvt.u32.u16 %r2, v.x; cvt.s32.s16 %r3, v.x;\n\
             st.global.v2.u32 [%out], {%r2, %r3};");
        assert_eq!(found.unwrap()[..4], [0xFFFE, 0xFFFF_FFFE, 0, 0]);
    }

    #[test]
    fn atomics_give_old_values_to_elements() {
        let found = run(".reg .v2 .u32 v; mov.v2.u32 v, {0, 5};\n\
             atom.global.add.u32 v.x, [%out], 3; atom.global.add.u32 v.y, [%out], v.y;\n\
             st.global.v2.u32 [%out+8], v;");
        assert_eq!(found.unwrap(), [8, 0, 0, 3, 8, 0, 0, 3]);
    }

    #[test]
    fn several_registers_move_at_once() {
        let found = run("mov.v2.u32 {%r1, %r2}, {3, 4}; mov.v2.b32 {%r1, %r2}, {%r2, %r1};\n\
             mov.v4.u32 {%r3, %r4, %r5, %r6}, %ntid; add.u32 %r3, %r3, %r6;\n\
             mov.v4.u32 {%r5, _, _, _}, %tid; st.global.v4.u32 [%out], {%r1, %r2, %r3, %r5};");
        assert_eq!(found.unwrap(), [4, 3, 2, 0, 4, 3, 2, 1]);
        let wide = "mov.v8.b32 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, {1,2,3,4,5,6,7,%t};\n\
             mov.v8.b32 {%r8,%r7,%r6,%r5,%r4,%r3,%r2,%r1}, {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8};\n\
             st.global.v4.u32 [%out], {%r1, %r2, %r7, %r8};";
        assert_eq!(run(wide).unwrap(), [0, 7, 2, 1, 1, 7, 2, 1]);
    }

    #[test]
    fn bytes_and_halves_pack_into_one_register() {
        let found = run(".reg .b8 c<4>; .reg .u16 h<2>; mov.u32 %r1, 0x04030201;\n\
             mov.b32 {c0, c1, c2, c3}, %r1; mov.b32 %r2, {c3, c2, c1, c0};\n\
             mov.b16 h0, {c1, c0}; mov.b16 {c2, _}, h0; cvt.u32.u8 %r3, c2;\n\
             cvt.u32.u16 %r4, h0; st.global.v4.u32 [%out], {%r1, %r2, %r3, %r4};");
        assert_eq!(found.unwrap()[..4], [0x0403_0201, 0x0102_0304, 2, 0x0102]);
        let halves = ".reg .f16x2 a, b; .reg .v2 .f16 v; mov.b32 a, 0x3c004000;\n\
             add.f16x2 b, a, a; mov.b32 {v.x, v.y}, b; mov.b32 %r1, v; mov.b64 %rd1, {b, a};\n\
             mov.b64 {%r2, %r3}, %rd1; st.global.v4.u32 [%out], {%r1, %r2, %r3, %t};";
        assert_eq!(run(halves).unwrap()[..4], [0x4000_4400, 0x4000_4400, 0x3c00_4000, 0]);
        let quarter = ".reg .b128 q; .reg .v2 .b32 v; mov.v2.u32 v, {1, 2}; mov.b64 %rd1, v;\n\
             mov.b128 q, {%r1, %r2, v.y, 3}; mov.b128 {_, _, %r3, %r4}, q; mov.b64 v, %rd1;\n\
             st.global.v4.u32 [%out], {v.y, v.x, %r3, %r4};";
        assert_eq!(run(quarter).unwrap()[..4], [2, 1, 2, 3]);
    }

    #[test]
    fn a_vector_of_one_register_is_the_register() {
        let found = run("mov.u32 %r1, 6; st.global.b32 [%out], { %r1 };\n\
             ld.global.b32 { %r2 }, [%out]; @!%p1 st.global.b32 [%out+4], { %r2 };");
        assert_eq!(found.unwrap()[..2], [6, 6]);
    }

    #[test]
    fn names_of_directives_and_types_are_names() {
        let found = run(".reg .u32 version, reg, v2, u32, add; mov.u32 version, 1;\n\
             add.u32 reg, version, 1; mov.u32 v2, reg; mov.u32 u32, v2; add.u32 add, u32, v2;\n\
             bra ret;\nentry: st.global.u32 [%out+4], add; bra END;\n\
             ret: st.global.u32 [%out], reg; bra entry;\nEND:");
        assert_eq!(found.unwrap()[..2], [2, 4]);
    }

    #[test]
    fn what_is_no_vector_is_refused() {
        for (body, part) in [
            (".reg .v3 .f32 v;", "expected a register name"),
            (".reg .v2 .pred v;", "predicates"),
            (".reg .v2 .u32 v; mov.u32 %r1, v.z;", "v.z"),
            (".reg .v2 .u32 v; mov.v4.u32 v, {1, 2, 3, 4};", "2 registers"),
            (".reg .v2 .u32 v; mov.v2.u32 v, {1, 2, 3};", "3 values"),
            (".reg .v2 .u32 v; add.u32 v, v, 1;", "expected a register"),
            (".reg .v2 .u32 v<2>; mov.u32 %r1, v2.x;", "v2.x"),
            (".reg .v2 .u64 v; mov.u32 v.x, 1;", "v.x"),
        ] {
            let error = run(body).unwrap_err().to_string();
            assert!(error.contains(part), "{body}: {error}");
        }
    }
}
