//! Random functions on integers of all widths, through every compiler and the emulator, against
//! what Rust computes.

use std::fmt::{self, Display, Formatter};

use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use warpscope::emulator::{self, Memory, Options};
use warpscope::work::Dim3;

use super::request;
use crate::support::Place;
use crate::support::compilers::{self, One};

/// Functions of a source, sources for each compiler, and threads, which have inputs of their own.
const FUNCTIONS: usize = 24;
const SOURCES: u64 = 3;
const THREADS: usize = 128;

/// An integer type of C.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Type {
    bits: u32,
    signed: bool,
}

impl Type {
    fn any(random: &mut ChaCha8Rng) -> Self {
        Self { bits: *[8, 16, 32, 64].choose(random).unwrap(), signed: random.random() }
    }

    /// The number that a conversion to this type gives.
    fn of(self, value: i128) -> i128 {
        let kept = value & ((1 << self.bits) - 1);
        if self.signed && kept >> (self.bits - 1) != 0 { kept - (1 << self.bits) } else { kept }
    }
}

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let name = match self.bits {
            8 => "char",
            16 => "short",
            32 => "int",
            _ => "long long",
        };
        write!(f, "{} {name}", if self.signed { "signed" } else { "unsigned" })
    }
}

/// An expression; an operation converts its operands to its type first.
#[derive(Debug)]
enum Expression {
    Variable(usize),
    Number(i128),
    Operation(&'static str, Type, Vec<Expression>),
}

/// Operations and how many operands they have.
const OPERATIONS: [(&str, usize); 19] = [
    ("+", 2),
    ("-", 2),
    ("*", 2),
    ("&", 2),
    ("|", 2),
    ("^", 2),
    ("<<", 2),
    (">>", 2),
    ("/", 2),
    ("%", 2),
    ("/ few", 1),
    ("% few", 1),
    ("<", 2),
    ("==", 2),
    ("min", 2),
    ("?", 3),
    ("~", 1),
    ("negate", 1),
    ("convert", 1),
];

impl Expression {
    fn any(random: &mut ChaCha8Rng, variables: usize, depth: u32) -> Self {
        if depth == 0 || random.random_ratio(1, 10) {
            if random.random_ratio(7, 10) {
                return Self::Variable(random.random_range(0..variables));
            }
            let ends =
                [0, 1, 3, 127, 128, 255, 1000, 32_768, 52_429, 65_535, 1 << 31, u32::MAX.into()];
            return Self::Number(*ends.choose(random).unwrap());
        }
        let &(name, operands) = OPERATIONS.choose(random).unwrap();
        let mut operands: Vec<Self> =
            (0..operands).map(|_| Self::any(random, variables, depth - 1)).collect();
        if name.ends_with("few") {
            operands.push(Self::Number(
                *[2, 3, 5, 7, 10, 13, 25, 60, 100, 127].choose(random).unwrap(),
            ));
        }
        Self::Operation(name, Type::any(random), operands)
    }

    /// Its value, and what it is in C.
    fn evaluate(&self, variables: &[i128]) -> i128 {
        let (name, to, operands) = match self {
            Self::Variable(index) => return variables[*index],
            Self::Number(number) => return *number,
            Self::Operation(name, to, operands) => (*name, *to, operands),
        };
        let values: Vec<i128> = operands.iter().map(|it| it.evaluate(variables)).collect();
        let operand = |index: usize| to.of(values[index]);
        let a = operand(0);
        let shift = || values[1] as u32 & (to.bits - 1);
        let divisor = || operand(1) & ((1 << (to.bits - 1)) - 1) | 1;
        to.of(match name {
            "+" => a + operand(1),
            "-" => a - operand(1),
            // Of 64 bits at most, whose low ones are those of the product.
            "*" => a.wrapping_mul(operand(1)),
            "&" => a & operand(1),
            "|" => a | operand(1),
            "^" => a ^ operand(1),
            "<<" => a << shift(),
            ">>" => a >> shift(),
            "/" => a / divisor(),
            "%" => a % divisor(),
            "/ few" => a / values[1],
            "% few" => a % values[1],
            "<" => return (a < operand(1)).into(),
            "==" => return (a == operand(1)).into(),
            "min" => a.min(operand(1)),
            "?" => operand(if a > 3 { 1 } else { 2 }),
            "~" => !a,
            "negate" => -a,
            _ => a,
        })
    }
}

impl Display for Expression {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (name, to, operands) = match self {
            Self::Variable(index) => return write!(f, "v{index}"),
            Self::Number(number) => return write!(f, "{number}ull"),
            Self::Operation(name, to, operands) => (*name, to, operands),
        };
        let operand = |index: usize| format!("({to})({})", operands[index]);
        let wide = |index: usize| format!("(unsigned long long){}", operand(index));
        let a = operand(0);
        match name {
            "+" | "-" | "*" => write!(f, "({to})({} {name} {})", wide(0), wide(1)),
            "&" | "|" | "^" => write!(f, "({to})({a} {name} {})", operand(1)),
            "<<" | ">>" => {
                let a = if name == "<<" { wide(0) } else { a };
                write!(f, "({to})({a} {name} ((unsigned)({}) & {}))", operands[1], to.bits - 1)
            }
            "/" | "%" => {
                let mask = (1_u64 << (to.bits - 1)) - 1;
                write!(f, "({to})({a} {name} ({to})(({} & {mask}ull) | 1))", operand(1))
            }
            "/ few" | "% few" => write!(f, "({to})({a} {} {})", &name[..1], operand(1)),
            "<" | "==" => write!(f, "(int)({a} {name} {})", operand(1)),
            "min" => {
                let b = operand(1);
                write!(f, "({a} < {b} ? {a} : {b})")
            }
            "?" => write!(f, "({a} > ({to})3 ? {} : {})", operand(1), operand(2)),
            "~" => write!(f, "({to})~{a}"),
            "negate" => write!(f, "({to})(0 - {})", wide(0)),
            _ => write!(f, "{a}"),
        }
    }
}

/// A function of two numbers: variables one after the other, some of them in a loop.
struct Function {
    /// Each variable, its first value and how often its loop goes round.
    steps: Vec<(Type, Expression, Option<Expression>)>,
}

/// Variables of a function that are its inputs, converted.
const INPUTS: usize = 4;

impl Function {
    fn any(random: &mut ChaCha8Rng) -> Self {
        let inputs =
            (0..INPUTS).map(|index| (Type::any(random), Expression::Variable(index % 2), None));
        let mut steps: Vec<_> = inputs.collect();
        for variables in INPUTS..INPUTS + 4 {
            let value = Expression::any(random, variables, 3);
            let times = random.random_ratio(1, 4).then(|| Expression::any(random, variables, 1));
            steps.push((Type::any(random), value, times));
        }
        Self { steps }
    }

    fn evaluate(&self, inputs: [u64; 2]) -> u64 {
        let inputs = inputs.map(i128::from);
        let mut variables: Vec<i128> = Vec::new();
        for (index, (to, value, times)) in self.steps.iter().enumerate() {
            let known = if index < INPUTS { &inputs[..] } else { &variables };
            let mut value = to.of(value.evaluate(known));
            let times = times.as_ref().map_or(0, |times| times.evaluate(known) as u32 & 7);
            for round in 0..times {
                value = to.of(value * 5 + variables[0] + i128::from(round));
            }
            variables.push(value);
        }
        variables[INPUTS..].iter().fold(0, |sum: u64, &value| {
            sum.wrapping_mul(0x0100_0000_01b3).wrapping_add(value as u64)
        })
    }
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (index, (to, value, times)) in self.steps.iter().enumerate() {
            let value =
                if index < INPUTS { ["x", "y"][index % 2].to_owned() } else { value.to_string() };
            writeln!(f, "        {to} v{index} = ({to})({value});")?;
            if let Some(times) = times {
                writeln!(f, "        for (int i = 0; i < (int)((unsigned)({times}) & 7); i++)")?;
                let wide = "(unsigned long long)";
                writeln!(f, "            v{index} = ({to})({wide}v{index} * 5 + {wide}v0 + i);")?;
            }
        }
        writeln!(f, "        unsigned long long sum = 0;")?;
        for index in INPUTS..self.steps.len() {
            writeln!(f, "        sum = sum * 0x100000001b3ull + (unsigned long long)v{index};")?;
        }
        Ok(())
    }
}

#[test]
fn random_functions_are_what_rust_computes() {
    let place = Place::new();
    let all = compilers::all("random_functions", &place.path("cache"));
    for (number, One { name, setup, .. }) in all.iter().enumerate() {
        for seed in 0..SOURCES {
            let random = &mut ChaCha8Rng::seed_from_u64(seed * 100 + number as u64);
            let functions: Vec<Function> = (0..FUNCTIONS).map(|_| Function::any(random)).collect();
            let inputs: Vec<[u64; 2]> = (0..THREADS)
                .map(|_| [0; 2].map(|_| random.random::<u64>() >> random.random_range(0..60)))
                .collect();
            let mut source = String::from(
                "__global__ void k(const unsigned long long *in, unsigned long long *out)\n{\n    \
                 int t = threadIdx.x;\n    unsigned long long x = in[2 * t], y = in[2 * t + 1];\n",
            );
            for (index, function) in functions.iter().enumerate() {
                let at = format!("t * {FUNCTIONS} + {index}");
                source += &format!("    {{\n{function}        out[{at}] = sum;\n    }}\n");
            }
            source += "}\n";
            let compiled = setup.compile(&request(&source));
            let compiled = compiled.unwrap_or_else(|error| panic!("{name}: {error}\n{source}"));
            let found = run(&compiled.ptx, &inputs);
            for (index, function) in functions.iter().enumerate() {
                for (thread, &input) in inputs.iter().enumerate() {
                    let (found, wanted) =
                        (found[thread * FUNCTIONS + index], function.evaluate(input));
                    assert_eq!(found, wanted, "{name}, seed {seed}, of {input:?}:\n{function}");
                }
            }
        }
    }
}

/// What the kernel computes, function by function for each thread.
fn run(ptx: &str, inputs: &[[u64; 2]]) -> Vec<u64> {
    let kernel = emulator::load(ptx, "my.ptx", "k").unwrap();
    let words: Vec<u32> =
        inputs.iter().flatten().flat_map(|&it| [it as u32, (it >> 32) as u32]).collect();
    let mut memory = Memory::new();
    let input = memory.allocate(4 * words.len() as u64);
    let output = memory.allocate(8 * (THREADS * FUNCTIONS) as u64);
    memory.write_u32(input, &words);
    let (grid, block) = (Dim3::linear(1), Dim3::linear(THREADS as u32));
    emulator::launch(&kernel, grid, block, 0, &[input, output], &memory, Options::default())
        .unwrap();
    let words = memory.read_u32(output);
    words.chunks(2).map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32).collect()
}
