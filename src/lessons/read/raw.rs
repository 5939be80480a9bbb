//! A lesson as its file has it, before names are looked up.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, de};
use toml::Spanned;

use crate::experiment::{Distribution, ParamValue, Sizes};
use crate::figure::Time;
use crate::lessons::lesson::View;
use crate::results::record::{Cause, Counter};
use crate::units::{BlockSize, Elements, parse_count};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawLesson {
    pub(super) title: Spanned<String>,
    pub(super) summary: Spanned<String>,
    pub(super) minutes: Spanned<u32>,
    #[serde(default)]
    pub(super) needs: Vec<Spanned<String>>,
    pub(super) claim: RawClaim,
    #[serde(default)]
    pub(super) experiments: BTreeMap<String, Spanned<RawTrial>>,
    #[serde(default)]
    pub(super) values: BTreeMap<String, Spanned<RawValue>>,
    pub(super) steps: Vec<Spanned<RawStep>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawClaim {
    pub(super) text: Spanned<String>,
    pub(super) source: Spanned<String>,
    pub(super) today: Spanned<String>,
}

/// An experiment in the words of an experiment file; what is missing is the algorithm's
/// default.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawTrial {
    pub(super) algorithm: String,
    pub(super) variants: Option<Vec<String>>,
    pub(super) blocks: Option<Vec<BlockSize>>,
    pub(super) coarsenings: Option<Vec<u32>>,
    pub(super) sizes: Option<Sizes>,
    #[serde(default)]
    pub(super) params: BTreeMap<String, Many>,
    pub(super) dist: Option<Distribution>,
    pub(super) seed: Option<u64>,
    pub(super) gpu: Option<String>,
    #[serde(default = "yes")]
    pub(super) recorded: bool,
}

fn yes() -> bool {
    true
}

/// One value of a parameter, or several.
#[derive(Deserialize)]
#[serde(untagged, expecting = "a value or a list of values")]
pub(super) enum Many {
    One(ParamValue),
    Several(Vec<ParamValue>),
}

impl Many {
    pub(super) fn values(&self) -> Vec<ParamValue> {
        match self {
            Self::One(value) => vec![value.clone()],
            Self::Several(values) => values.clone(),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawValue {
    pub(super) experiment: String,
    #[serde(default, deserialize_with = "time")]
    pub(super) time: Time,
    pub(super) kind: Kind,
    #[serde(default)]
    pub(super) of: RawSelect,
    pub(super) over: Option<RawSelect>,
    #[serde(default, deserialize_with = "counter")]
    pub(super) counter: Option<Counter>,
    #[serde(default, deserialize_with = "counter")]
    pub(super) per: Option<Counter>,
    pub(super) least: Option<Number>,
    pub(super) most: Option<Number>,
    pub(super) is: Option<String>,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    Time,
    Ratio,
    Count,
    Crossing,
    Fastest,
    Best,
    Cause,
    Curve,
}

#[derive(Deserialize, Default, Clone)]
#[serde(deny_unknown_fields)]
pub(super) struct RawSelect {
    pub(super) variant: Option<String>,
    pub(super) block: Option<u32>,
    pub(super) coarsen: Option<u32>,
    pub(super) n: Option<Number>,
    #[serde(default)]
    pub(super) params: BTreeMap<String, ParamValue>,
}

/// A number, also written as `2^10` or `1M`.
#[derive(Clone, Copy)]
pub(super) struct Number(pub(super) f64);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Written;
        impl de::Visitor<'_> for Written {
            type Value = Number;

            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("a number, or a text such as \"2^10\"")
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Number, E> {
                Ok(Number(value as f64))
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Number, E> {
                Ok(Number(value as f64))
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Number, E> {
                if value.is_finite() { Ok(Number(value)) } else { Err(E::custom("not a number")) }
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Number, E> {
                parse_count(text).map(|it| Number(it as f64)).map_err(E::custom)
            }
        }
        deserializer.deserialize_any(Written)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawStep {
    pub(super) id: String,
    pub(super) kind: StepKind,
    pub(super) title: Spanned<String>,
    pub(super) text: Spanned<String>,
    pub(super) hints: Option<Vec<Spanned<String>>>,
    pub(super) experiment: Option<String>,
    pub(super) view: Option<View>,
    pub(super) ask: Option<RawAsk>,
    pub(super) value: Option<String>,
    pub(super) options: Option<Vec<Spanned<RawOption>>>,
    pub(super) expect: Option<String>,
    pub(super) axes: Option<BTreeMap<String, Vec<Word>>>,
    pub(super) goal: Option<Vec<RawRule>>,
    pub(super) solution: Option<RawSolution>,
    pub(super) template: Option<Spanned<String>>,
    pub(super) faster: Option<Number>,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum StepKind {
    Say,
    Predict,
    Run,
    Observe,
    Why,
    Change,
    Write,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum RawAsk {
    Curves,
    Factor,
    Cell,
    Count,
    Draw,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawOption {
    pub(super) key: Option<String>,
    pub(super) text: Option<Spanned<String>>,
    pub(super) note: Option<Spanned<String>>,
    pub(super) points: Option<Vec<(Number, Number)>>,
    pub(super) number: Option<Number>,
    pub(super) when: Option<Vec<RawRule>>,
    #[serde(default, deserialize_with = "cause")]
    pub(super) cause: Option<Cause>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawRule {
    pub(super) value: String,
    pub(super) least: Option<Number>,
    pub(super) most: Option<Number>,
    pub(super) is: Option<String>,
}

/// A kernel, or a changed axis.
#[derive(Deserialize)]
#[serde(untagged, expecting = "a text, or a table such as { bins = 256 }")]
pub(super) enum RawSolution {
    Source(String),
    Change(BTreeMap<String, Word>),
}

/// A value of an axis as a word: `256`, `"2^10"`, `"zipf:1.2"`.
#[derive(Deserialize, Clone)]
#[serde(from = "ParamValue")]
pub(super) struct Word(pub(super) String);

impl From<ParamValue> for Word {
    fn from(value: ParamValue) -> Self {
        Self(value.to_string())
    }
}

/// A size as `n` has it.
pub(super) fn elements(number: Number) -> Result<u64, String> {
    let n = number.0;
    if n < 0.0 || n.fract() != 0.0 || n > 1e18 {
        return Err(format!("n = {n} is not a size"));
    }
    (n as u64).to_string().parse::<Elements>().map(|it| it.0).map_err(|error| error.to_string())
}

fn time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Time, D::Error> {
    match String::deserialize(deserializer)?.as_str() {
        "kernels" => Ok(Time::Kernels),
        "end-to-end" => Ok(Time::EndToEnd),
        other => Err(de::Error::unknown_variant(other, &["kernels", "end-to-end"])),
    }
}

fn counter<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Counter>, D::Error> {
    Counter::deserialize(deserializer).map(Some)
}

fn cause<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Cause>, D::Error> {
    Cause::deserialize(deserializer).map(Some)
}
