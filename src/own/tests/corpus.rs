//! The headers of `tests/own`, read without a compiler: kernels that do nothing stand
//! for their PTX.

use std::fs;
use std::path::Path;

use super::{case, file, ptx};
use crate::own::ctype::{CType, scalar_of};
use crate::own::signature::signatures;
use crate::own::system;
use crate::own::with_constants;
use crate::syntax::{Host, written_out};

/// The size of a structure whose members are pointers and numbers.
fn bytes(source: &str, name: &str) -> u64 {
    let fields = Host::new(&written_out(source)).fields(name).unwrap();
    let bytes = fields.iter().map(|field| match scalar_of(&[&field.of]) {
        Some(scalar) if !field.pointer => scalar.bytes().unwrap(),
        _ => 8,
    });
    let largest = bytes.clone().max().unwrap();
    bytes.fold(0, |end: u64, own| end.next_multiple_of(own) + own).next_multiple_of(largest)
}

#[test]
fn every_right_file_is_a_system_whose_default_cases_can_be_launched() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/own/right");
    let mut seen = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let source = fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        let (found, left_out) = signatures(&source);
        assert!(left_out.is_empty(), "{name}: {left_out:?}");
        let types = |params: &[crate::own::signature::SignatureParam]| -> Vec<String> {
            let ty = |ctype: &CType| match ctype {
                CType::Scalar(scalar) => format!("b{}", 8 * scalar.bytes().unwrap()),
                CType::Other(name) => format!("b8[{}]", bytes(&source, name)),
                CType::Pointer { .. } => "u64".to_owned(),
            };
            params.iter().map(|param| ty(&param.ctype)).collect()
        };
        let types: Vec<(String, Vec<String>)> =
            found.iter().map(|it| (it.name.clone(), types(&it.params))).collect();
        let types: Vec<(&str, Vec<&str>)> = types
            .iter()
            .map(|(name, types)| (name.as_str(), types.iter().map(String::as_str).collect()))
            .collect();
        let entries: Vec<(&str, &[&str])> =
            types.iter().map(|(name, types)| (*name, types.as_slice())).collect();
        let mut file = file(name, &source, &ptx(&entries));
        if name == "33_variables.cu" {
            let variables = ".global .u32 primes;\n.global .u32 last_digits[10];\n.visible";
            file.ptx = file.ptx.replacen(".visible", variables, 1);
            file.ptx = with_constants(&file).unwrap();
        }
        let system = system(&file).unwrap_or_else(|error| panic!("{error}"));
        for kernel in &found {
            for n in [system.defaults().sizes.0, system.defaults().sizes.1] {
                let case = case(system, &kernel.name, n);
                assert_eq!(system.obstacle(&case), None, "{case}");
                let work = system.work(&case);
                assert_eq!(work.launches().count(), 1, "{case}");
                assert!(system.outputs(&case).iter().all(|it| *it < work.buffers.len()));
            }
        }
        seen += 1;
    }
    assert!(seen >= 20, "{seen}");
}
