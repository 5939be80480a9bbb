//! `warpscope list`: what can be run.

use std::io::Write;

use serde_json::{Value, json};

use super::Exit;
use crate::algorithms::{self, Algorithm, Param, ParamKind};
use crate::cli::list::List;
use crate::experiment::Distribution;
use crate::units::{BlockSize, Elements, MOST_ELEMENTS};

pub(super) fn run(list: &List, out: &mut impl Write) -> anyhow::Result<Exit> {
    if list.json {
        serde_json::to_writer_pretty(&mut *out, &as_json())?;
        writeln!(out)?;
    } else {
        out.write_all(as_text().as_bytes())?;
    }
    Ok(Exit::Fine)
}

fn as_text() -> String {
    let mut text = String::new();
    for algorithm in algorithms::ALL {
        text.extend([format!("{}: {}\n  variants\n", algorithm.name(), algorithm.summary())]);
        for variant in algorithm.variants() {
            text.extend([format!("    {:<10}{}\n", variant.name, variant.summary)]);
        }
        text.push_str("  parameters\n");
        for param in algorithm.params() {
            let (allowed, default) = (param.allowed(), param.default());
            text.extend([format!(
                "    {:<10}{} ({allowed}, default {default})\n",
                param.name, param.summary
            )]);
        }
        text.push('\n');
    }
    let names: Vec<String> = Distribution::ALL.iter().map(ToString::to_string).collect();
    text.extend([format!(
        "Common axes: block 1 to {}, coarsening 1 and up, n 0 to {} ({}),\ninput {}.\n",
        BlockSize::MOST,
        Elements(MOST_ELEMENTS),
        "also written 2^20, 1M, 1Mi",
        names.join(", ")
    )]);
    text
}

fn as_json() -> Value {
    let of_algorithm = |algorithm: &&dyn Algorithm| {
        let variants: Vec<Value> = algorithm
            .variants()
            .iter()
            .map(|variant| {
                json!({
                    "name": variant.name,
                    "summary": variant.summary,
                    "coarsens": variant.coarsens,
                })
            })
            .collect();
        let params: Vec<Value> = algorithm.params().iter().map(of_param).collect();
        json!({
            "name": algorithm.name(),
            "summary": algorithm.summary(),
            "variants": variants,
            "params": params,
        })
    };
    let names: Vec<String> = Distribution::ALL.iter().map(ToString::to_string).collect();
    json!({
        "algorithms": algorithms::ALL.iter().map(of_algorithm).collect::<Vec<_>>(),
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
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_histogram_is_listed_with_everything_that_can_be_set() {
        let text = as_text();
        for part in ["histogram: ", "global", "shared", "2..=65536, default 8", "zipf:1.2"] {
            assert!(text.contains(part), "{part} is missing from {text}");
        }
        let json = as_json();
        let histogram = &json["algorithms"][0];
        assert_eq!(histogram["name"], "histogram");
        assert_eq!(histogram["variants"][1]["name"], "shared");
        let param = |name: &str| {
            let params = histogram["params"].as_array().unwrap();
            params.iter().find(|param| param["name"] == name).unwrap().clone()
        };
        assert_eq!(param("bins")["high"], 65_536);
        assert_eq!(param("binning")["words"][0], "modulo");
    }
}
