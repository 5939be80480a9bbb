//! A file whose kernels join the variants of a built-in algorithm.

use super::at::{self, At, Names};
use super::header::Header;
use super::kernels::{Kernel, Kernels};
use super::{OwnFile, Problem, leak};
use crate::algorithms::contract::{CKind, CParam, Contract, Generic, Of};
use crate::algorithms::{self, Algorithm, Defaults, Mismatch, ParamKind, Spec, Traffic};
use crate::experiment::{Case, ParamValue, Sizes, UnknownName};
use crate::own::ctype::{CType, Scalar};
use crate::own::signature::SignatureParam;
use crate::work::{Dim3, Element, HostBuffer, Inputs, Module, Sampling, Step, View, Work};

/// The system of a file that is like the built-in algorithm `like`, which the file names
/// in `line`.
pub(super) fn system(
    file: &OwnFile,
    header: &Header,
    like: &str,
    line: Option<u32>,
    kernels: &Kernels,
) -> Result<&'static dyn Algorithm, Problem> {
    let base = algorithms::ALL.iter().copied().find(|it| it.name() == like);
    let Some(base) = base else {
        let known: Vec<&str> = algorithms::ALL.iter().map(|it| it.name()).collect();
        let message = UnknownName::new("built-in algorithm", like, &known).to_string();
        return Err(Problem::new(line, message));
    };
    let Some(contract) = base.contract() else {
        let message = format!("{like} takes no kernels of a file");
        return Err(Problem::new(line, message));
    };
    if let Some((key, line)) = unused(header) {
        let message = format!("`{key}` has no effect on a file like {like}; remove it");
        return Err(Problem::new(line, message));
    }
    for (name, _) in &header.kernels {
        super::known_kernel(name, kernels)?;
    }
    let mut bound = Vec::new();
    for kernel in &kernels.found {
        let mut found = bind(file, kernel, base, contract)?;
        found.overrides(header, base)?;
        bound.push(found);
    }
    let (defaults, sizes) = defaults(header, base)?;
    let mut variants = base.variants().to_vec();
    variants.extend(super::variants(file, &kernels.found, &variants, true));
    let module = super::module(file);
    let spec = Spec {
        name: leak(file.name.clone()),
        summary: leak(format!("{} Kernels of {} among them.", base.summary(), file.name)),
        variants: variants.leak(),
        params: base.params(),
        options: base.options(),
        size: base.size(),
        defaults,
        distributions: base.distributions(),
        module,
        recording: &[],
    };
    let spec: &'static Spec = Box::leak(Box::new(spec));
    Ok(Box::leak(Box::new(Like { spec, base, contract, bound, sizes })))
}

/// The built-in algorithm with the kernels of a file.
struct Like {
    spec: &'static Spec,
    base: &'static dyn Algorithm,
    contract: &'static Contract,
    bound: Vec<Bound>,
    sizes: Sizes,
}

/// A key that has no effect with `like`, and its line.
fn unused(header: &Header) -> Option<(&'static str, u32)> {
    let Header { output, view, reference, tolerance, bytes, flops, params, .. } = header;
    let texts = [
        ("output", output),
        ("view", view),
        ("reference", reference),
        ("tolerance", tolerance),
        ("bytes", bytes),
        ("flops", flops),
    ];
    let text = texts.into_iter().find_map(|(key, it)| Some((key, it.as_ref()?.line)));
    let param = params.first().map(|(name, _)| ("params", name.line));
    let mut launches = std::iter::once(&header.launch).chain(header.kernels.iter().map(|it| &it.1));
    let args = launches.find_map(|it| Some(("args", it.args.as_ref()?.first()?.line)));
    let of_kernel = header.kernels.iter().find_map(|(_, keys)| {
        let block = keys.block.as_ref().map(|it| ("block", it.line));
        block.or(keys.coarsen.as_ref().map(|it| ("coarsen", it.line)))
    });
    text.or(param).or(args).or(of_kernel)
}

/// The experiment that the file opens on: that of the built-in algorithm, unless the file
/// has its own sizes, block or coarsening.
fn defaults(header: &Header, base: &dyn Algorithm) -> Result<(Defaults, Sizes), Problem> {
    let (own, own_sizes) = super::plain::defaults(header)?;
    let base_defaults = base.defaults();
    let sizes = if header.sizes.is_some() { own_sizes } else { base.sizes() };
    let most = base.size().most;
    if let Some(key) = header.sizes.as_ref().filter(|_| own.sizes.1 > most) {
        let message = format!("sizes of {} go up to {most}", base.name());
        return Err(Problem::new(key.line, message));
    }
    let defaults = Defaults {
        sizes: if header.sizes.is_some() { own.sizes } else { base_defaults.sizes },
        block: if header.launch.block.is_some() { own.block } else { base_defaults.block },
        coarsen: if header.launch.coarsen.is_some() { own.coarsen } else { base_defaults.coarsen },
    };
    Ok((defaults, sizes))
}

/// A kernel with the contract's parameters that it takes.
#[derive(Debug)]
struct Bound {
    name: &'static str,
    /// For each of its parameters the index in [`Contract::params`].
    order: Vec<usize>,
    /// Its type for `T`, if one of its parameters has it.
    generic: Option<Element>,
    /// Indices in [`Contract::params`] of inputs that it may write.
    written: Vec<usize>,
    dynamic_shared: bool,
    /// Number of blocks and shared memory, where the file overrides the contract.
    grid: Option<Vec<At>>,
    shared: Option<At>,
}

impl Bound {
    /// Takes grid and shared memory from the header.
    fn overrides(&mut self, header: &Header, base: &dyn Algorithm) -> Result<(), Problem> {
        let params = base.params().iter().filter(|it| matches!(it.kind, ParamKind::Int { .. }));
        let known: Vec<&str> =
            Names::FIXED.into_iter().chain(params.map(|param| param.name)).collect();
        let own = header.kernels.iter().find(|(name, _)| name.value == self.name);
        let own = own.map(|(_, keys)| keys);
        let grid = own.and_then(|it| it.grid.as_ref()).or(header.launch.grid.as_ref());
        let shared = own.and_then(|it| it.shared.as_ref()).or(header.launch.shared.as_ref());
        self.grid = grid.map(|it| At::dimensions(it, &known)).transpose()?;
        self.shared = shared.map(|it| At::read(it, &known)).transpose()?;
        Ok(())
    }

    /// Grid and shared memory of a case, where the file has its own.
    fn launch(&self, file: &str, case: &Case) -> Result<(Option<[u32; 3]>, Option<u32>), String> {
        let names = Names { case, coarsen: case.coarsen };
        let grid = self.grid.as_ref().map(|it| at::grid(file, it, names)).transpose()?;
        let shared = self.shared.as_ref().map(|it| at::shared(file, it, names)).transpose()?;
        Ok((grid, shared))
    }
}

/// Binds the parameters of a kernel to those of the contract: by name, or by position
/// where PTX has no names.
fn bind(
    file: &OwnFile,
    kernel: &Kernel,
    base: &dyn Algorithm,
    contract: &'static Contract,
) -> Result<Bound, Problem> {
    let signature = &kernel.signature;
    let refuse = || mismatch(kernel, base, contract, file.is_ptx());
    if base.variants().iter().any(|variant| variant.name == signature.name) {
        let message = format!(
            "{} has a variant `{}` already; rename the kernel",
            base.name(),
            signature.name
        );
        return Err(Problem::new(signature.line, message));
    }
    let mut bound = Bound {
        name: leak(signature.name.clone()),
        order: Vec::new(),
        generic: None,
        written: Vec::new(),
        dynamic_shared: kernel.dynamic_shared,
        grid: None,
        shared: None,
    };
    for (position, param) in signature.params.iter().enumerate() {
        let named = |it: &CParam| it.name == param.name;
        let index = if file.is_ptx() {
            (position < contract.params.len()).then_some(position)
        } else {
            contract.params.iter().position(named)
        };
        let index = index.ok_or_else(refuse)?;
        let expected = contract.params[index];
        let found = if file.is_ptx() {
            of_ptx(&param.ctype, expected.kind)
        } else {
            fits(&param.ctype, expected.kind, contract.generic.as_ref())
        };
        match found.ok_or_else(refuse)? {
            Fit::Exact => {}
            Fit::Generic(element) => {
                if bound.generic.is_some_and(|known| known != element) {
                    return Err(refuse());
                }
                bound.generic = Some(element);
            }
        }
        let writes = matches!(param.ctype, CType::Pointer { constant: false, .. });
        if writes && matches!(expected.kind, CKind::In(_)) {
            bound.written.push(index);
        }
        bound.order.push(index);
    }
    Ok(bound)
}

/// How a type fits the contract's.
enum Fit {
    Exact,
    /// It fits, with this type for `T`.
    Generic(Element),
}

/// Whether integers of one size have the other signedness, or the types are the same.
fn alike(a: Element, b: Element) -> bool {
    a == b || (a.bytes() == b.bytes() && a.is_integer() && b.is_integer())
}

fn fits(found: &CType, expected: CKind, generic: Option<&Generic>) -> Option<Fit> {
    match (found, expected) {
        (CType::Scalar(Scalar::Number(found)), CKind::Scalar(expected)) => {
            alike(*found, expected).then_some(Fit::Exact)
        }
        (CType::Pointer { constant: true, .. }, CKind::Out(_)) => None,
        (CType::Pointer { to, .. }, CKind::In(of) | CKind::Out(of)) => {
            let found = to.element()?;
            match of {
                Of::Fixed(expected) => alike(found, expected).then_some(Fit::Exact),
                Of::T => {
                    let (_, element) =
                        generic?.values.iter().find(|(_, element)| alike(found, *element))?;
                    Some(Fit::Generic(*element))
                }
            }
        }
        _ => None,
    }
}

/// The same for PTX, where a pointer is any 64 bits.
fn of_ptx(found: &CType, expected: CKind) -> Option<Fit> {
    let CType::Scalar(Scalar::Number(found)) = found else { return None };
    let expected = match expected {
        CKind::Scalar(element) => element.bytes(),
        CKind::In(_) | CKind::Out(_) => 8,
    };
    (found.bytes() == expected).then_some(Fit::Exact)
}

/// The error for a kernel of another signature: both, side by side.
fn mismatch(
    kernel: &Kernel,
    base: &dyn Algorithm,
    contract: &Contract,
    by_position: bool,
) -> Problem {
    let signature = &kernel.signature;
    let wanted: Vec<String> = contract.params.iter().map(CParam::declaration).collect();
    let given: Vec<String> = signature.params.iter().map(SignatureParam::declaration).collect();
    let how = if by_position { "bind by position" } else { "bind by name, in any order" };
    let title = format!("like {}", base.name());
    let width = wanted.iter().map(String::len).chain([title.len()]).max().unwrap_or(0) + 3;
    let mut message = format!(
        "the parameters of `{}` are not those of {}; they {how}\n  {title:<width$}{}",
        signature.name,
        base.name(),
        signature.name
    );
    let mut rest: Vec<&String> = given.iter().collect();
    let mut rows: Vec<(String, String)> = Vec::new();
    for (param, wanted) in contract.params.iter().zip(&wanted) {
        let same = |given: &String| {
            given.ends_with(&format!("*{}", param.name))
                || given.ends_with(&format!(" {}", param.name))
        };
        let index = if by_position {
            (!rest.is_empty()).then_some(0)
        } else {
            rest.iter().position(|it| same(it))
        };
        let given = index.map(|index| rest.remove(index).clone()).unwrap_or_default();
        rows.push((wanted.clone(), given));
    }
    rows.extend(rest.into_iter().map(|given| (String::new(), given.clone())));
    for (wanted, given) in rows {
        message.push_str(format!("\n  {wanted:<width$}{given}").trim_end());
    }
    Problem::new(signature.line, message)
}

impl Like {
    /// The case as the built-in algorithm knows it, and the file's kernel if it is one.
    fn split(&self, case: &Case) -> (Case, Option<&Bound>) {
        let bound = self.bound.iter().find(|it| it.name == case.variant);
        let variant = match bound {
            Some(_) => self.contract.variant.to_owned(),
            None => case.variant.clone(),
        };
        (Case { algorithm: self.base.name().to_owned(), variant, ..case.clone() }, bound)
    }

    fn base_case(&self, case: &Case) -> Case {
        self.split(case).0
    }

    /// The contract's work with the first launch taken by a kernel of the file.
    fn with_kernel(&self, case: &Case, bound: &Bound, mut work: Work) -> Work {
        work.module = self.spec.module;
        if let Some(Step::Launch(launch)) = work.steps.first_mut() {
            bound.name.clone_into(&mut launch.kernel);
            for &index in &bound.written {
                if let Some(crate::work::Arg::Buffer(buffer)) = launch.args.get(index)
                    && let Some(buffer) = work.buffers.get_mut(*buffer)
                {
                    buffer.written = true;
                }
            }
            let args = bound.order.iter().filter_map(|&index| launch.args.get(index).copied());
            launch.args = args.collect();
            if !bound.dynamic_shared {
                launch.shared_bytes = 0;
            }
            // A case whose expressions have no value is never run.
            let (grid, shared) = bound.launch(self.spec.name, case).unwrap_or_default();
            if let Some([x, y, z]) = grid {
                launch.grid = Dim3 { x, y, z };
            }
            launch.shared_bytes = shared.unwrap_or(launch.shared_bytes);
        }
        work
    }

    /// Why a kernel does not compute a case that the built-in variant does.
    fn cannot(&self, case: &Case, bound: &Bound) -> Option<String> {
        let needed = self.contract.params.iter().enumerate().find_map(|(index, param)| {
            let (name, value) = param.needed_for?;
            let missing = case.word(name) == Some(value) && !bound.order.contains(&index);
            missing.then(|| {
                format!(
                    "{name}={value} needs a kernel with the parameter `{}`",
                    param.declaration()
                )
            })
        });
        let typed = || {
            let generic = self.contract.generic?;
            let element = bound.generic.filter(|element| *element != (generic.of)(case))?;
            let (value, _) = generic.values.iter().find(|(_, it)| *it == element)?;
            let (name, param) = (bound.name, generic.param);
            Some(format!("`{name}` takes {} values; run it with {param}={value}", element.c_name()))
        };
        let launch = || bound.launch(self.spec.name, case).err();
        needed.or_else(typed).or_else(launch)
    }
}

impl Algorithm for Like {
    fn spec(&self) -> &'static Spec {
        self.spec
    }

    fn sizes(&self) -> Sizes {
        self.sizes.clone()
    }

    fn module(&self, variant: &str) -> Module {
        let own = self.bound.iter().any(|it| it.name == variant);
        if own { self.spec.module } else { self.base.module(variant) }
    }

    fn obstacle(&self, case: &Case) -> Option<String> {
        let (base, bound) = self.split(case);
        let cannot = bound.and_then(|bound| self.cannot(&base, bound));
        cannot.or_else(|| self.base.obstacle(&base))
    }

    fn file(&self, name: &str, path: &str) -> Result<ParamValue, String> {
        self.base.file(name, path)
    }

    fn missing_input(&self, case: &Case) -> Option<String> {
        self.base.missing_input(&self.base_case(case))
    }

    fn work(&self, case: &Case) -> Work {
        let (base, bound) = self.split(case);
        match bound {
            Some(bound) => self.with_kernel(&base, bound, (self.contract.work)(&base)),
            None => self.base.work(&base),
        }
    }

    fn sampling(&self, case: &Case) -> Sampling {
        let (base, bound) = self.split(case);
        if bound.is_some() {
            return Sampling::Refused("the work of a block of a user's kernel is not known");
        }
        self.base.sampling(&base)
    }

    fn input_key(&self, case: &Case) -> String {
        self.base.input_key(&self.base_case(case))
    }

    fn inputs(&self, case: &Case) -> Inputs {
        self.base.inputs(&self.base_case(case))
    }

    fn reference_key(&self, case: &Case) -> String {
        self.base.reference_key(&self.base_case(case))
    }

    fn reference(&self, case: &Case, inputs: &Inputs) -> Vec<HostBuffer> {
        self.base.reference(&self.base_case(case), inputs)
    }

    fn outputs(&self, case: &Case) -> Vec<usize> {
        self.base.outputs(&self.base_case(case))
    }

    fn verify(
        &self,
        case: &Case,
        inputs: &Inputs,
        reference: &[HostBuffer],
        outputs: &[HostBuffer],
    ) -> Result<(), Mismatch> {
        self.base.verify(&self.base_case(case), inputs, reference, outputs)
    }

    fn traffic(&self, case: &Case) -> Traffic {
        self.base.traffic(&self.base_case(case))
    }

    fn operations(&self, case: &Case) -> u64 {
        self.base.operations(&self.base_case(case))
    }

    fn view(&self, case: &Case, inputs: &Inputs, outputs: &[HostBuffer]) -> Option<View> {
        self.base.view(&self.base_case(case), inputs, outputs)
    }
}
