//! A file whose kernels join the variants of a built-in algorithm.

use super::header::Header;
use super::kernels::Kernels;
use super::{OwnFile, Problem, leak};
use crate::algorithms::contract::Contract;
use crate::algorithms::{self, Algorithm, Defaults, Mismatch, Spec, Traffic};
use crate::experiment::{Case, ParamValue, Sizes, UnknownName};
use crate::work::{Dim3, HostBuffer, Inputs, Module, Sampling, Step, View, Work};
use bind::{Bound, bind};

mod bind;

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
    let module = super::module(file, kernels);
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
    let Header { view, tolerance, bytes, flops, params, .. } = header;
    let texts = [("view", view), ("tolerance", tolerance), ("bytes", bytes), ("flops", flops)];
    let text = texts.into_iter().find_map(|(key, it)| Some((key, it.as_ref()?.line)));
    let param = params.first().map(|(name, _)| ("params", name.line));
    let mut launches = std::iter::once(&header.launch).chain(header.kernels.iter().map(|it| &it.1));
    let args = launches.find_map(|it| {
        let texts = [("output", &it.output), ("reference", &it.reference)];
        let text = texts.into_iter().find_map(|(key, it)| Some((key, it.as_ref()?.line)));
        text.or_else(|| Some(("args", it.args.as_ref()?.first()?.line)))
    });
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
            bound.entry.clone_into(&mut launch.kernel);
            for &index in &bound.written {
                if let Some(crate::work::Arg::Buffer(buffer)) = launch.args.get(index)
                    && let Some(buffer) = work.buffers.get_mut(*buffer)
                {
                    buffer.written = true;
                }
            }
            let args = bound.order.iter().filter_map(|&index| launch.args.get(index).cloned());
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
        if bound.is_none() {
            return self.base.sampling(&base);
        }
        // Later launches would read what blocks outside the sample did not write.
        if (self.contract.work)(&base).launches().count() > 1 {
            return Sampling::Refused("later kernels use the output of all blocks of the first");
        }
        Sampling::Unknown(self.inputs(case))
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
