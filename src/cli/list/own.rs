//! `warpscope list FILE` and `warpscope list SYSTEM --contract`.

use std::io::Write;

use anyhow::bail;
use serde_json::json;

use crate::algorithms::Algorithm;
use crate::algorithms::contract::CParam;
use crate::own::{Description, OwnFile, contract_text, describe, place_in_header};

/// Prints what the program understood of a file.
pub(super) fn file(file: &OwnFile, as_json: bool, out: &mut impl Write) -> anyhow::Result<()> {
    let description = describe(file)?;
    if as_json {
        serde_json::to_writer_pretty(&mut *out, &description)?;
        writeln!(out)?;
    } else {
        out.write_all(text(&description, &file.source).as_bytes())?;
    }
    Ok(())
}

fn text(it: &Description, source: &str) -> String {
    let mut text = it.file.clone();
    if !it.compiler.is_empty() {
        text.push_str(&format!(", compiled by {}", it.compiler));
    }
    text.push('\n');
    let reference = match (&it.like, &it.reference) {
        (Some(like), _) => format!("computed on the CPU, as for {like}"),
        (None, Some(kernel)) => format!("the output of {kernel}"),
        (None, None) => "none".to_owned(),
    };
    let tolerance = match it.tolerance.as_deref() {
        None if it.like.is_some() => String::new(),
        None | Some("0") => ", exact".to_owned(),
        Some(tolerance) => format!(", relative error up to {tolerance}"),
    };
    if let Some(like) = &it.like {
        text.push_str(&format!("  like       {like}: the kernels are further variants of it\n"));
    }
    if let Some(output) = &it.output {
        text.push_str(&format!("  output     {output}\n"));
    }
    text.push_str(&format!("  reference  {reference}{tolerance}\n"));
    for (name, values) in &it.params {
        let values: Vec<String> = values.iter().map(ToString::to_string).collect();
        text.push_str(&format!("  parameter  {name}: {} (default first)\n", values.join(", ")));
    }
    let (block, coarsen) = (it.block, it.coarsen);
    text.push_str(&format!(
        "  defaults   -n {} --block {block} --coarsen {coarsen}\n  kernels\n",
        it.sizes
    ));
    for kernel in &it.kernels {
        let place = match place_in_header(source, kernel.line) {
            Some((header, line)) => format!("line {line} of {header}"),
            None => format!("line {}", kernel.line),
        };
        text.push_str(&format!("    {} ({place})\n", kernel.name));
        let own = kernel.block.as_ref().map(|block| format!(" of {block} threads"));
        let own = own.unwrap_or_default();
        text.push_str(&format!("      grid       {} blocks{own}\n", kernel.grid));
        text.push_str(&format!(
            "      shared     {} bytes of dynamic shared memory\n",
            kernel.shared
        ));
        let own = [
            ("kernel", &kernel.kernel),
            ("output", &kernel.output),
            ("reference", &kernel.reference),
        ];
        for (name, own) in own {
            if let Some(own) = own {
                text.push_str(&format!("      {name:<9}  {own}\n"));
            }
        }
        let estimated = if kernel.registers_estimated { ", estimated: no ptxas" } else { "" };
        let registers = kernel.registers;
        text.push_str(&format!("      registers  {registers} per thread{estimated}\n"));
        let width = kernel.args.iter().map(|it| it.0.chars().count()).max().unwrap_or(0) + 2;
        for (param, given) in &kernel.args {
            text.push_str(&format!("      {param:<width$}{given}\n"));
        }
    }
    if !it.left_out.is_empty() {
        text.push_str("  left out\n");
    }
    for kernel in &it.left_out {
        let line = kernel.line.map(|line| format!(" (line {line})")).unwrap_or_default();
        text.push_str(&format!("    {}{line}: {}\n", kernel.name, kernel.reason));
    }
    text
}

/// Prints what a user's kernel has to accept to be like `algorithm`, with a template.
pub(super) fn contract(
    algorithm: &dyn Algorithm,
    as_json: bool,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let name = algorithm.name();
    let Some(contract) = algorithm.contract() else {
        bail!("{name} takes no kernels of a file: it has no contract");
    };
    if !as_json {
        write!(out, "{}\n{}", contract_text(algorithm, contract), contract.template)?;
        return Ok(());
    }
    let param = |param: &CParam| {
        json!({
            "name": param.name,
            "declaration": param.declaration(),
            "meaning": param.meaning,
            "needed_for": param.needed_for.map(|(name, value)| format!("{name}={value}")),
        })
    };
    let contract = json!({
        "algorithm": name,
        "task": contract.task,
        "params": contract.params.iter().map(param).collect::<Vec<_>>(),
        "grid": contract.grid,
        "shared": contract.shared,
        "template": contract.template,
    });
    serde_json::to_writer_pretty(&mut *out, &contract)?;
    writeln!(out)?;
    Ok(())
}
