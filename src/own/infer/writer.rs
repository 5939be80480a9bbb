//! Finds the keys of a header block for each kernel.

use std::collections::HashMap;

use super::arguments::Arguments;
use super::keys::Keys;
use super::order::Order;
use super::reach::{Asked, Reach};
use super::simplify::simplify;
use super::size::{self, Size};
use super::text::text;
use super::threads::{Threads, with_block};
use super::types::bytes_of;
use super::usual;
use crate::own::ctype::{CType, Scalar};
use crate::own::kernels::Kernel;
use crate::own::signature::SignatureParam;
use crate::syntax::{Given, Host, Launch, Memory, Value};
use crate::work::Element;

/// Writes the keys of kernels.
pub(super) struct Writer<'h> {
    pub(super) host: &'h Host<'h>,
    pub(super) size: &'h Size,
    reach: &'h Reach<'h>,
    pub(super) order: Order,
    /// Type, length and content of each buffer, by name.
    buffers: HashMap<String, String>,
    /// The highest power of `n` in the length of a buffer.
    pub(super) degree: u32,
    /// Whether the kernel walks along rows, whose beginnings it is given.
    pub(super) rows: bool,
    /// The bound of indices whose range host code does not tell: `n`, or `n * n`.
    pub(super) places: &'static str,
}

impl<'h> Writer<'h> {
    pub(super) fn new(
        host: &'h Host<'h>,
        (size, reach): (&'h Size, &'h Reach<'h>),
        kernels: &[Kernel],
        launches: &[Option<Launch>],
    ) -> Self {
        let order = Order::of(host, kernels, launches);
        let buffers = HashMap::new();
        Self { host, size, reach, order, buffers, degree: 1, rows: false, places: "n" }
    }

    /// The keys of kernel `at`, from its launch if there is one. Call it in the order of the launches.
    pub(super) fn keys(&mut self, at: usize, kernel: &Kernel, launch: Option<&Launch>) -> Keys {
        self.rows = kernel.signature.params.iter().any(|it| self.has_offsets(it));
        // Without a launch, a kernel shows whether its blocks have two dimensions.
        let square = Value::Dim3(Box::new([16, 16, 1].map(Value::Number)));
        let guess = (launch.is_none() && kernel.second[0]).then_some(&square);
        let threads = Threads::of(self.host, launch.and_then(|it| it.block.as_ref()).or(guess))
            .of_template(launch.map_or(&[], |it| &it.numbers));
        let say = |value: &Value| self.say(value, &threads);
        let memory = launch.iter().flat_map(|it| &it.arguments).filter_map(|it| it.memory.as_ref());
        let lengths = memory.map(|it| say(it.bytes.as_ref().or(it.elements.as_ref())?));
        let mut lengths = lengths.map(|it| it.is_some_and(|it| it.contains("n * n"))).peekable();
        let square = lengths.peek().is_some() && lengths.all(|it| it);
        let places = if square { "n * n" } else { "n" };
        let known = launch.and_then(|it| it.grid.as_ref().filter(|grid| size::is_told(grid, it)));
        let grid = known.and_then(|grid| match grid {
            Value::Dim3(values) => {
                let mut texts = values.iter().map(&say).collect::<Option<Vec<_>>>()?;
                while texts.len() > 1 && texts.last().is_some_and(|it| it == "1") {
                    texts.pop();
                }
                Some(texts)
            }
            one => Some(vec![say(one)?]),
        });
        let guess = |threads: &u32| format!("ceil(n / {threads})");
        let grid = grid.unwrap_or_else(|| match (&threads.numbers[..], kernel.second) {
            ([_], [false, true]) if launch.is_none() => {
                vec!["ceil(n / block)".to_owned(), "n".to_owned()]
            }
            ([_], _) => vec!["ceil(n / block)".to_owned()],
            (several, _) => several.iter().map(guess).collect(),
        });
        let shared = launch.and_then(|it| it.shared.as_ref()).and_then(&say);
        let shared = shared.filter(|it| it != "0");
        let alone = grid == ["1"] && !self.size.has_blocks_of(&threads.numbers);
        let threads = Threads { alone, ..threads };
        let element =
            self.host.dynamic_shared(&kernel.entry).and_then(|of| bytes_of(self.host, &of));
        let element = element.unwrap_or(4).max(4);
        let guess = || kernel.dynamic_shared.then(|| format!("{element} * block"));
        // Guess for unknown lengths: one element per thread.
        let fixed: u64 = grid
            .iter()
            .zip(&threads.numbers)
            .filter_map(|(blocks, threads)| Some(blocks.parse::<u64>().ok()? * u64::from(*threads)))
            .product();
        let length = match grid.iter().filter(|it| it.contains('n')).count() {
            0 if fixed > 1 && grid.len() > 1 => fixed.to_string(),
            1 if fixed > 1 && grid.len() > 1 => format!("{fixed} * n"),
            0 | 1 => "n".to_owned(),
            _ => "n * n".to_owned(),
        };
        self.places = places;
        let passed = Arguments { at, kernel, launch, threads: &threads, length: &length };
        let before = (self.buffers.clone(), self.degree);
        let mut written = self.arguments(&passed, &[]);
        let shared = shared.or_else(guess);
        let asked = Asked {
            entry: &kernel.entry,
            grid: &grid,
            block: &threads.numbers,
            shared: shared.as_deref(),
            args: &written.args,
        };
        let lengths = self.reach.lengths(&asked, &written.guessed);
        if lengths.iter().any(Option::is_some) {
            (self.buffers, self.degree) = before;
            written = self.arguments(&passed, &lengths);
        }
        let several = threads.numbers.len() > 1;
        let numbers: Vec<String> = threads.numbers.iter().map(ToString::to_string).collect();
        let quoted: Vec<String> = grid.iter().map(|it| format!("\"{it}\"")).collect();
        let list = |texts: &[String]| format!("[{}]", texts.join(", "));
        Keys {
            block: if several { list(&numbers) } else { numbers.concat() },
            fixed: threads.fixed && !several,
            grid: if quoted.len() > 1 { list(&quoted) } else { quoted.concat() },
            shared: shared.map(|it| format!("\"{it}\"")),
            args: written.args,
            output: written.output,
            choices: self.host.choices(&kernel.entry),
            reference: None,
        }
    }

    /// The expression of a value.
    pub(super) fn say(&self, value: &Value, threads: &Threads) -> Option<String> {
        text(&self.simple(value, threads, 1))
    }

    /// A value in the names of a header block, simplified. `element` is the size in bytes of unknown
    /// types.
    pub(super) fn simple(&self, value: &Value, threads: &Threads, element: u64) -> Value {
        with_block(&simplify(&self.bind(value, threads, element)), threads)
    }

    /// The name of the buffer that kernel `at` reads in some memory, and its producer, if the producer
    /// writes a buffer of the same shape, such as `f32[n]`.
    pub(super) fn produced_in(
        &self,
        at: usize,
        memory: &str,
        shape: &str,
    ) -> Option<(String, String)> {
        let first = self.order.producer(at, memory)?;
        let known = self.buffers.get(memory)?.strip_prefix(shape)?;
        known.starts_with(' ').then(|| (memory.to_owned(), first.to_owned()))
    }

    /// The name of a buffer. Kernels share it if type, length and content are the same.
    pub(super) fn shared_name(
        &mut self,
        kernel: &Kernel,
        param: &SignatureParam,
        memory: Option<&Memory>,
        text: &str,
    ) -> String {
        let name = memory.map_or(&param.name, |it| &it.name);
        let own = format!("{name}_{}", kernel.signature.name);
        let known = self.buffers.get(name).is_some_and(|it| it != text);
        let name = if known { own } else { name.clone() };
        self.buffers.insert(name.clone(), text.to_owned());
        name
    }

    /// Type and value of a scalar: `i32 = n`. `sized` is whether `n` is known already, and `square`
    /// whether the grid is one of `n` by `n` threads.
    pub(super) fn number(
        &self,
        param: &SignatureParam,
        given: Option<&Given>,
        threads: &Threads,
        (sized, square): (&mut bool, bool),
    ) -> String {
        let (element, said) = self.known_number(&param.ctype, given, threads);
        let side = || (square && usual::is_side(&param.name)).then(|| "n".to_owned());
        let likely = || usual::whole(&param.name).or_else(side).filter(|_| element.is_integer());
        let said = said.or_else(likely);
        let may_be_size = element.is_integer() && usual::whole(&param.name).is_none();
        let is_size = may_be_size && !std::mem::replace(sized, true);
        let said = said.filter(|_| !is_size);
        let said = said.unwrap_or_else(|| if is_size { "n" } else { "1" }.to_owned());
        format!("{} = {said}", element.short())
    }

    /// Type and value of a scalar, if the value is known.
    pub(super) fn known_number(
        &self,
        ctype: &CType,
        given: Option<&Given>,
        threads: &Threads,
    ) -> (Element, Option<String>) {
        let value = given.and_then(|it| it.value.as_ref());
        let (element, value) = match ctype {
            CType::Scalar(Scalar::Number(element)) => (*element, value),
            CType::Scalar(Scalar::Bool) => (Element::U8, value),
            _ => (Element::U32, None),
        };
        let said = value.and_then(|value| {
            let mut bound = self.simple(value, threads, 1);
            if element.range().is_none() {
                bound = computed(bound, element);
            }
            let fits = match (&bound, element.range()) {
                (Value::Real(_), range) => range.is_none(),
                (Value::Number(number), Some((least, most))) => (least..=most).contains(number),
                _ => true,
            };
            text(&bound).filter(|_| fits)
        });
        (element, said)
    }

    /// Replaces names by `n`, `block` or their values.
    fn bind(&self, value: &Value, threads: &Threads, element: u64) -> Value {
        let name = |name: &str| Some(Value::Name(name.to_owned(), None));
        value.replaced(&|it| match it {
            Value::Name(it, None) if it == "i" => name("i"),
            Value::Name(it, _) if !threads.fixed && threads.name.as_ref() == Some(it) => {
                name("block")
            }
            Value::Name(it, number) if self.size.is(it, *number) => name("n"),
            // Of `n = 1 << bits`, the bits.
            Value::Name(it, Some(number))
                if self.size.is_power(*number) && self.host.is_exponent(it) =>
            {
                Some(Value::Call("log2", vec![Value::Name("n".to_owned(), None)]))
            }
            Value::Name(it, None) if usual::are_entries(it) => Some(usual::entries()),
            Value::Name(it, number) => number.or_else(|| usual::number(it)).map(Value::Number),
            Value::SizeOf(of) => {
                Some(Value::Number(bytes_of(self.host, of).unwrap_or(element).into()))
            }
            _ => None,
        })
    }
}

/// Smaller numbers are written with an exponent.
const SMALL: f64 = 1e-4;

/// A number instead of an expression of known floats, as the type of `element` holds it.
pub(super) fn computed(value: Value, element: Element) -> Value {
    let mut real = false;
    value.each(&mut |it| real |= matches!(it, Value::Real(_)));
    let known = || value.real().filter(|it| it.is_finite());
    match &value {
        Value::Op(..) if real && let Some(number) = known() => {
            let small = number.abs() < SMALL;
            Value::Real(match element {
                Element::F32 if small => format!("{:e}", number as f32),
                Element::F32 => (number as f32).to_string(),
                _ if small => format!("{number:e}"),
                _ => number.to_string(),
            })
        }
        _ => value,
    }
}
