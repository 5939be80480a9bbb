//! The order of launches, and which kernel produces what another one reads.

use std::collections::{HashMap, HashSet};

use super::output::{reads, writes};
use super::variables::complete;
use crate::own::kernels::Kernel;
use crate::syntax::{Host, Launch, Written};

/// The sources of what kernels read.
pub(super) struct Order {
    /// Memory that a kernel only reads, before any kernel has written it.
    inputs: HashSet<String>,
    /// The kernel that wrote some memory last before a kernel, given by its index, reads it.
    producers: HashMap<(usize, String), String>,
}

impl Order {
    pub(super) fn of(host: &Host, kernels: &[Kernel], launches: &[Option<Launch>]) -> Self {
        let mut order = Self { inputs: HashSet::new(), producers: HashMap::new() };
        // The last launch that wrote each memory, and its kernel.
        let mut last: HashMap<&str, (&str, &Launch)> = HashMap::new();
        for at in in_order(launches) {
            let Some(launch) = &launches[at] else { continue };
            let name = kernels[at].signature.name.as_str();
            let mut written = Vec::new();
            let params = 0..kernels[at].signature.params.len();
            for (index, given) in params.zip(&launch.arguments) {
                let Some(memory) = &given.memory else { continue };
                let writes = writes(host, &kernels[at], index);
                let first = last.get(memory.name.as_str()).filter(|it| it.0 != name);
                // Kernels that change memory filled by the host in place may be alternatives.
                let follows = || {
                    let ways = || first.is_some_and(|it| host.are_ways(it.1, launch));
                    memory.written == Written::Nothing && !ways()
                        || first.is_some_and(|it| host.follows(it.1, launch, &memory.name))
                };
                let reads = !writes || reads(host, &kernels[at], index) && follows();
                if writes {
                    written.push(memory.name.as_str());
                }
                match first.filter(|_| reads) {
                    Some((first, _)) => {
                        order.producers.insert((at, memory.name.clone()), (*first).to_owned());
                    }
                    None if !writes => {
                        order.inputs.insert(memory.name.clone());
                    }
                    None => {}
                }
            }
            last.extend(written.into_iter().map(|memory| (memory, (name, launch))));
        }
        order
    }

    /// Whether a kernel reads this memory as the host filled it.
    pub(super) fn is_input(&self, memory: &str) -> bool {
        self.inputs.contains(memory)
    }

    /// The kernel that produces what kernel `at` reads in this memory.
    pub(super) fn producer(&self, at: usize, memory: &str) -> Option<&str> {
        self.producers.get(&(at, memory.to_owned())).map(String::as_str)
    }
}

/// Most launches of a kernel that are followed.
const MOST_LAUNCHES: usize = 8;

/// Further launches of kernels that write what another kernel reads later, such as `init` for a
/// second buffer. Each is a kernel with a name of its own, behind the one that it launches.
pub(super) fn with_repeated(host: &Host, kernels: &[Kernel]) -> (Vec<Kernel>, Vec<Option<Launch>>) {
    let first = |it: &Kernel| Some(complete(host, it, host.launch(&it.signature.name)?));
    let first: Vec<_> = kernels.iter().map(first).collect();
    let is_read_after = |line: u32, by_all_but: &Kernel, memory: &str| {
        let mut others = kernels.iter().zip(&first).filter(|(it, _)| *it != by_all_but);
        others.any(|(other, launch)| {
            let later = launch.as_ref().filter(|it| it.line > line);
            later.is_some_and(|it| is_read(host, other, it, memory))
        })
    };
    let (mut all, mut launches) = (Vec::new(), Vec::new());
    for (kernel, first) in kernels.iter().zip(&first) {
        all.push(kernel.clone());
        launches.push(first.clone());
        let mut known: HashSet<String> = HashSet::new();
        let launches_of = host.launches(&kernel.entry).map(|it| complete(host, kernel, it));
        for (number, launch) in launches_of.take(MOST_LAUNCHES).enumerate() {
            let written = written(host, kernel, &launch);
            let mut new = written.iter().filter(|it| number > 0 && !known.contains(*it));
            let read = new.find(|it| is_read_after(launch.line, kernel, it));
            let name = read.map(|memory| format!("{}_{memory}", kernel.entry));
            let is_free = |name: &String| kernels.iter().all(|it| it.signature.name != *name);
            known.extend(written.iter().cloned());
            if let Some(name) = name.filter(is_free) {
                let mut kernel = kernel.clone();
                kernel.signature.name = name;
                all.push(kernel);
                launches.push(Some(launch));
            }
        }
    }
    (all, launches)
}

/// Whether a launch reads some memory.
fn is_read(host: &Host, kernel: &Kernel, launch: &Launch, memory: &str) -> bool {
    let mut arguments = launch.arguments.iter().take(kernel.signature.params.len()).enumerate();
    arguments.any(|(index, given)| {
        given.memory.as_ref().is_some_and(|it| it.name == memory)
            && (!writes(host, kernel, index) || reads(host, kernel, index))
    })
}

/// The names of the memory that a launch may write.
fn written(host: &Host, kernel: &Kernel, launch: &Launch) -> Vec<String> {
    let arguments = launch.arguments.iter().take(kernel.signature.params.len()).enumerate();
    let written = arguments.filter(|(index, _)| writes(host, kernel, *index));
    written.filter_map(|(_, it)| it.memory.as_ref().map(|it| it.name.clone())).collect()
}

/// The indices of all kernels, in the order of their first launches; kernels without one last.
pub(super) fn in_order(launches: &[Option<Launch>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..launches.len()).collect();
    order.sort_by_key(|&at| launches[at].as_ref().map_or(u32::MAX, |it| it.line));
    order
}
