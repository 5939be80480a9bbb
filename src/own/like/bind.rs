//! Which parameters of a contract a kernel takes.

use crate::algorithms::contract::{CKind, CParam, Contract, Generic, Of};
use crate::algorithms::{Algorithm, ParamKind};
use crate::experiment::Case;
use crate::own::at::{self, At, Names};
use crate::own::ctype::{CType, Scalar};
use crate::own::header::Header;
use crate::own::kernels::Kernel;
use crate::own::signature::SignatureParam;
use crate::own::{OwnFile, Problem, args, leak};
use crate::work::Element;

/// A kernel with the contract's parameters that it takes.
#[derive(Debug)]
pub(super) struct Bound {
    pub(super) name: &'static str,
    /// Its name in the PTX.
    pub(super) entry: &'static str,
    /// For each of its parameters the index in [`Contract::params`].
    pub(super) order: Vec<usize>,
    /// Its type for `T`, if one of its parameters has it.
    pub(super) generic: Option<Element>,
    /// Indices in [`Contract::params`] of inputs that it may write.
    pub(super) written: Vec<usize>,
    pub(super) dynamic_shared: bool,
    /// Number of blocks and shared memory, where the file overrides the contract.
    pub(super) grid: Option<Vec<At>>,
    pub(super) shared: Option<At>,
}

impl Bound {
    /// Takes grid and shared memory from the header.
    pub(super) fn overrides(
        &mut self,
        header: &Header,
        base: &dyn Algorithm,
    ) -> Result<(), Problem> {
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
    pub(super) fn launch(
        &self,
        file: &str,
        case: &Case,
    ) -> Result<(Option<[u32; 3]>, Option<u32>), String> {
        let names = Names { case, coarsen: case.coarsen };
        let grid = self.grid.as_ref().map(|it| at::grid(file, it, names)).transpose()?;
        let shared = self.shared.as_ref().map(|it| at::shared(file, it, names)).transpose()?;
        Ok((grid, shared))
    }
}

/// Binds the parameters of a kernel to those of the contract: by name, or by position
/// where PTX has no names.
pub(super) fn bind(
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
        entry: leak(kernel.entry.clone()),
        order: Vec::new(),
        generic: None,
        written: Vec::new(),
        dynamic_shared: kernel.dynamic_shared,
        grid: None,
        shared: None,
    };
    for (position, param) in signature.params.iter().enumerate() {
        let (index, fit) = place(param, position, contract, file.is_ptx()).ok_or_else(refuse)?;
        if let Fit::Generic(element) = fit {
            if bound.generic.is_some_and(|known| known != element) {
                return Err(refuse());
            }
            bound.generic = Some(element);
        }
        let writes = matches!(param.ctype, CType::Pointer { constant: false, .. });
        if writes && matches!(contract.params[index].kind, CKind::In(_)) {
            bound.written.push(index);
        }
        bound.order.push(index);
    }
    Ok(bound)
}

/// The index in [`Contract::params`] that a parameter binds to, if its type fits.
fn place(
    param: &SignatureParam,
    position: usize,
    contract: &Contract,
    is_ptx: bool,
) -> Option<(usize, Fit)> {
    let named = |it: &CParam| it.name == param.name;
    let index = if is_ptx { Some(position) } else { contract.params.iter().position(named) }?;
    let expected = contract.params.get(index)?.kind;
    let fit = if is_ptx {
        of_ptx(&param.ctype, expected)
    } else {
        fits(&param.ctype, expected, contract.generic.as_ref())
    };
    fit.map(|fit| (index, fit))
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

/// The error for a kernel of another signature: both, side by side, with a mark where they
/// differ.
fn mismatch(kernel: &Kernel, base: &dyn Algorithm, contract: &Contract, is_ptx: bool) -> Problem {
    let signature = &kernel.signature;
    let how = if is_ptx { "bind by position" } else { "bind by name, in any order" };
    let mut rest: Vec<(usize, &SignatureParam)> = signature.params.iter().enumerate().collect();
    let mut rows: Vec<(String, String, bool)> = Vec::new();
    for param in contract.params {
        let given =
            if is_ptx { Some(0) } else { rest.iter().position(|it| it.1.name == param.name) };
        let given = given.filter(|it| *it < rest.len()).map(|index| rest.remove(index));
        let fits = |(at, it)| place(it, at, contract, is_ptx).is_some();
        let text = given.map(|(_, it)| it.declaration()).unwrap_or_default();
        // A kernel may leave a parameter out.
        rows.push((param.declaration(), text, given.is_none_or(fits)));
    }
    rows.extend(rest.into_iter().map(|(_, it)| (String::new(), it.declaration(), false)));
    let title = format!("like {}", base.name());
    let table = args::side_by_side((&title, &signature.name), rows.into_iter());
    let (name, base) = (&signature.name, base.name());
    let message =
        format!("the parameters of `{name}` are not those of {base}; they {how}\n{table}");
    Problem::new(signature.line, message)
}
