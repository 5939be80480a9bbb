//! The order of launches, and which kernel produces what another one reads.

use std::collections::{HashMap, HashSet};

use super::output::writes;
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
        // The last kernel that wrote each memory.
        let mut last: HashMap<&str, &str> = HashMap::new();
        for at in in_order(launches) {
            let Some(launch) = &launches[at] else { continue };
            let name = kernels[at].signature.name.as_str();
            let mut written = Vec::new();
            for (param, given) in kernels[at].signature.params.iter().zip(&launch.arguments) {
                let Some(memory) = &given.memory else { continue };
                let writes = writes(host, &kernels[at], param);
                let first = last.get(memory.name.as_str()).filter(|it| **it != name);
                // Kernels that change memory filled by the host in place may be alternatives.
                let reads =
                    !writes || memory.written == Written::Nothing && host.reads(name, &param.name);
                if writes {
                    written.push(memory.name.as_str());
                }
                match first.filter(|_| reads) {
                    Some(first) => {
                        order.producers.insert((at, memory.name.clone()), (*first).to_owned());
                    }
                    None if !writes => {
                        order.inputs.insert(memory.name.clone());
                    }
                    None => {}
                }
            }
            last.extend(written.into_iter().map(|memory| (memory, name)));
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

/// The indices of all kernels, in the order of their first launches; kernels without one last.
pub(super) fn in_order(launches: &[Option<Launch>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..launches.len()).collect();
    order.sort_by_key(|&at| launches[at].as_ref().map_or(u32::MAX, |it| it.line));
    order
}
