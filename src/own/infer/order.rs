//! In which order kernels are launched, and what they leave for each other.

use std::collections::{HashMap, HashSet};

use super::output::writes;
use crate::own::kernels::Kernel;
use crate::syntax::{Host, Launch, Written};

/// Where what kernels read comes from.
pub(super) struct Order {
    /// Memory that a kernel reads and does not write, and that no kernel has written before.
    inputs: HashSet<String>,
    /// The kernel that leaves what a kernel, given by its index, reads in some memory.
    left: HashMap<(usize, String), String>,
}

impl Order {
    pub(super) fn of(host: &Host, kernels: &[Kernel], launches: &[Option<Launch>]) -> Self {
        let mut order = Self { inputs: HashSet::new(), left: HashMap::new() };
        // The kernel that wrote to each memory last.
        let mut last: HashMap<&str, &str> = HashMap::new();
        for at in in_order(launches) {
            let Some(launch) = &launches[at] else { continue };
            let name = kernels[at].signature.name.as_str();
            let mut written = Vec::new();
            for (param, given) in kernels[at].signature.params.iter().zip(&launch.arguments) {
                let Some(memory) = &given.memory else { continue };
                let writes = writes(host, &kernels[at], param);
                let first = last.get(memory.name.as_str()).filter(|it| **it != name);
                // What the host fills may be changed by several kernels that are compared.
                let reads =
                    !writes || memory.written == Written::Nothing && host.reads(name, &param.name);
                if writes {
                    written.push(memory.name.as_str());
                }
                match first.filter(|_| reads) {
                    Some(first) => {
                        order.left.insert((at, memory.name.clone()), (*first).to_owned());
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

    /// Whether a kernel reads this memory as the host has filled it.
    pub(super) fn is_input(&self, memory: &str) -> bool {
        self.inputs.contains(memory)
    }

    /// The kernel that leaves what kernel `at` reads in this memory.
    pub(super) fn first(&self, at: usize, memory: &str) -> Option<&str> {
        self.left.get(&(at, memory.to_owned())).map(String::as_str)
    }
}

/// The indices of all kernels: those that are launched first, in the order of their launches.
pub(super) fn in_order(launches: &[Option<Launch>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..launches.len()).collect();
    order.sort_by_key(|&at| launches[at].as_ref().map_or(u32::MAX, |it| it.line));
    order
}
