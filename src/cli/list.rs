//! `warpscope list`: what can be run.

use std::io::Write;

use anyhow::bail;
use clap::Args;
use serde_json::{Value, json};

use super::Exit;
use crate::algorithms::{self, Algorithm, Defaults, Param, ParamKind, Size, Variant};
use crate::analysis::glossary::{self, Entry};
use crate::experiment::{Case, DEFAULT_SEED, Distribution, Target};
use crate::own::is_own_name;
use crate::results::record::Metric;
use crate::runner::{plan, source};
use crate::units::{BlockSize, Elements, MOST_ELEMENTS};
use crate::work::{PhaseKind, PhaseName};

mod own;

/// List algorithms with their variants and parameters, or what a file with kernels says.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  warpscope list
  warpscope list my.cu
  warpscope list histogram --contract
  warpscope list --terms
  warpscope list --terms \"bank conflict\"
  warpscope list --json")]
pub struct List {
    /// One algorithm, or a file with kernels: what the program understood of it
    #[arg(value_name = "ALGORITHM|FILE", conflicts_with = "terms")]
    pub what: Option<String>,
    /// Print what a kernel of a file has to accept to be like ALGORITHM, with a template
    #[arg(long, requires = "what")]
    pub contract: bool,
    /// The built-in algorithm that the kernels of the file belong to
    #[arg(long, value_name = "ALGORITHM", requires = "what", conflicts_with = "contract")]
    pub like: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Explain the words on screens and in reports, or those that contain WORD
    #[arg(long, value_name = "WORD", num_args = 0..=1, default_missing_value = "")]
    pub terms: Option<String>,
}

pub(super) fn run(list: &List, out: &mut impl Write) -> anyhow::Result<Exit> {
    if let Some(word) = &list.terms {
        return terms(word, list.json, out);
    }
    let listed = match list.what.as_deref() {
        None => algorithms::all(),
        Some(name) if is_own_name(name) => {
            if list.contract {
                bail!("--contract is about a built-in algorithm; leave it out for {name}");
            }
            let opened = source::open(name, list.like.as_deref(), &Target::default())?;
            own::file(&opened.file, list.json, out)?;
            return Ok(Exit::Fine);
        }
        Some(_) if list.like.is_some() => bail!("{}", super::own::LIKE_NEEDS_A_FILE),
        Some(name) => vec![plan::algorithm(name)?],
    };
    if list.contract {
        for algorithm in listed {
            own::contract(algorithm, list.json, out)?;
        }
    } else if list.json {
        serde_json::to_writer_pretty(&mut *out, &as_json(&listed))?;
        writeln!(out)?;
    } else {
        out.write_all(as_text(&listed).as_bytes())?;
    }
    Ok(Exit::Fine)
}

/// The glossary, as far as a word or a synonym contains `part`.
fn terms(part: &str, json: bool, out: &mut impl Write) -> anyhow::Result<Exit> {
    let entries: Vec<&Entry> = glossary::all().iter().filter(|it| it.has(part)).collect();
    if entries.is_empty() {
        bail!("the glossary has no word with `{part}`; `warpscope list --terms` lists all");
    }
    if json {
        let entry = |it: &&Entry| {
            let counters: Vec<&str> = it.behind.iter().map(|counter| counter.name()).collect();
            json!({ "term": it.name, "also": it.also, "text": it.text, "counters": counters })
        };
        let entries: Vec<Value> = entries.iter().map(entry).collect();
        serde_json::to_writer_pretty(&mut *out, &entries)?;
        writeln!(out)?;
        return Ok(Exit::Fine);
    }
    for entry in entries {
        writeln!(out, "{}", entry.name)?;
        writeln!(out, "  {}", entry.text)?;
        if !entry.behind.is_empty() {
            writeln!(out, "  {}", entry.counters())?;
        }
    }
    Ok(Exit::Fine)
}

fn as_text(listed: &[&dyn Algorithm]) -> String {
    let mut text = String::new();
    for algorithm in listed {
        text.extend([format!("{}: {}\n  variants\n", algorithm.name(), algorithm.summary())]);
        let longest = algorithm.variants().iter().map(|variant| variant.name.len()).max();
        let width = longest.unwrap_or(0).max(8) + 2;
        for variant in algorithm.variants() {
            let (phases, source) = (phases(*algorithm, variant), source(*algorithm, variant));
            text.extend([format!("    {:<width$}{}\n", variant.name, variant.summary)]);
            text.extend([format!("    {:<width$}phases: {phases}; source: {source}\n", "")]);
        }
        text.push_str("  parameters\n");
        for param in algorithm.params() {
            let (allowed, default) = (param.allowed(), param.default());
            text.extend([format!(
                "    {:<10}{} ({allowed}, default {default})\n",
                param.name, param.summary
            )]);
        }
        let Defaults { block, coarsen, .. } = algorithm.defaults();
        let sizes = algorithm.sizes();
        let Size { noun, most } = algorithm.size();
        text.extend([format!(
            "  n counts {noun}, up to {}\n  defaults  -n {sizes} --block {block} --coarsen {coarsen}\n",
            Elements(most)
        )]);
        if algorithm.distributions().len() < Distribution::ALL.len() {
            text.extend([format!("  input     {}\n", names(algorithm.distributions()))]);
        }
        text.push('\n');
    }
    text.extend([format!(
        "Common axes: block 1 to {}, coarsening 1 and up, n 0 to {} ({}),\ninput {}.\n",
        BlockSize::MOST,
        Elements(MOST_ELEMENTS),
        "also written 2^20, 1M, 1Mi",
        names(&Distribution::ALL)
    )]);
    text
}

fn names(distributions: &[Distribution]) -> String {
    distributions.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// The file with a variant's kernels: `kernels/matmul_async.cu`. Variants for newer GPUs have
/// files of their own.
fn source(algorithm: &dyn Algorithm, variant: &Variant) -> String {
    format!("kernels/{}.cu", algorithm.module(variant.name).name)
}

/// The phases of a variant at the algorithm's defaults: `count`, or
/// `sum blocks, final (host)`.
fn phases(algorithm: &dyn Algorithm, variant: &Variant) -> String {
    let names = phase_names(algorithm, variant).into_iter().map(|phase| match phase.kind {
        PhaseKind::Kernel => phase.name,
        kind => format!("{} ({})", phase.name, kind.name()),
    });
    names.collect::<Vec<_>>().join(", ")
}

fn phase_names(algorithm: &dyn Algorithm, variant: &Variant) -> Vec<PhaseName> {
    let Defaults { sizes: (_, n), block, coarsen } = algorithm.defaults();
    let value = |param: &Param| (param.name.to_owned(), param.default());
    let case = Case {
        algorithm: algorithm.name().to_owned(),
        variant: variant.name.to_owned(),
        block,
        coarsen: if variant.coarsens { coarsen } else { 1 },
        n,
        params: algorithm.params().iter().map(value).collect(),
        dist: algorithm.distributions().first().copied().unwrap_or_default(),
        seed: DEFAULT_SEED,
    };
    match algorithm.obstacle(&case) {
        None => algorithm.work(&case).phases().names,
        Some(_) => Vec::new(),
    }
}

fn as_json(listed: &[&dyn Algorithm]) -> Value {
    let of_algorithm = |algorithm: &&dyn Algorithm| {
        let variants: Vec<Value> = algorithm
            .variants()
            .iter()
            .map(|variant| {
                json!({
                    "name": variant.name,
                    "short": variant.short,
                    "summary": variant.summary,
                    "idea": variant.idea,
                    "coarsens": variant.coarsens,
                    "source": source(*algorithm, variant),
                    "phases": phase_names(*algorithm, variant)
                        .into_iter()
                        .map(|phase| json!({ "name": phase.name, "kind": phase.kind }))
                        .collect::<Vec<_>>(),
                })
            })
            .collect();
        let (size, defaults) = (algorithm.size(), algorithm.defaults());
        let params: Vec<Value> = algorithm.params().iter().map(of_param).collect();
        json!({
            "name": algorithm.name(),
            "summary": algorithm.summary(),
            "variants": variants,
            "params": params,
            "size": { "noun": size.noun, "most": size.most },
            "defaults": {
                "n": algorithm.sizes().to_string(),
                "block": defaults.block,
                "coarsen": defaults.coarsen,
            },
            "dist": algorithm.distributions().iter().map(ToString::to_string).collect::<Vec<_>>(),
        })
    };
    let names: Vec<String> = Distribution::ALL.iter().map(ToString::to_string).collect();
    json!({
        "algorithms": listed.iter().map(of_algorithm).collect::<Vec<_>>(),
        "axes": {
            "block": { "low": 1, "high": BlockSize::MOST },
            "coarsen": { "low": 1 },
            "n": { "low": 0, "high": MOST_ELEMENTS },
            "dist": names,
        },
    })
}

fn of_param(param: &Param) -> Value {
    let (name, summary, default) = (param.name, param.summary, param.default());
    match param.kind {
        ParamKind::Int { low, high, steps, .. } => json!({
            "name": name, "summary": summary, "default": default,
            "low": low, "high": high, "steps": steps,
        }),
        ParamKind::Word(words) => json!({
            "name": name, "summary": summary, "default": default, "words": words,
        }),
        ParamKind::File(kind) => json!({
            "name": name, "summary": summary, "default": default, "file": kind,
        }),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_histogram_is_listed_with_everything_that_can_be_set() {
        let text = as_text(algorithms::ALL);
        for part in ["histogram: ", "global", "shared", "2 to 65536, default 8", "zipf:1.2"] {
            assert!(text.contains(part), "{part} is missing from {text}");
        }
        let json = as_json(algorithms::ALL);
        let histogram = &json["algorithms"][0];
        assert_eq!(histogram["name"], "histogram");
        assert_eq!(histogram["variants"][1]["name"], "shared");
        let param = |name: &str| {
            let params = histogram["params"].as_array().unwrap();
            params.iter().find(|param| param["name"] == name).unwrap().clone()
        };
        assert_eq!(param("bins")["high"], 65_536);
        assert_eq!(param("binning")["words"][0], "modulo");
        assert_eq!(histogram["variants"][0]["phases"][0]["name"], "count");
        assert_eq!(histogram["defaults"]["block"], 128);
    }

    #[test]
    fn every_algorithm_tells_its_phases_and_where_it_begins() {
        let text = as_text(algorithms::ALL);
        for part in [
            "phases: sum blocks, final: to the host (copy), final (host), final: to the GPU (copy)",
            "phases: multiply; source: kernels/matmul_async.cu",
            "n counts values, up to ",
            "-n 2^10..2^21 --block 256 --coarsen 4",
        ] {
            assert!(text.contains(part), "{part} is missing from {text}");
        }
        for algorithm in as_json(algorithms::ALL)["algorithms"].as_array().unwrap() {
            for variant in algorithm["variants"].as_array().unwrap() {
                assert!(!variant["phases"].as_array().unwrap().is_empty(), "{variant}");
                let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
                    .join(variant["source"].as_str().unwrap());
                assert!(source.exists(), "{variant}");
            }
        }
    }
}
