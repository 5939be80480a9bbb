//! The registry: built-in algorithms, and those of the user's files.

use std::sync::{PoisonError, RwLock};

use super::{ALL, Algorithm};

/// Algorithms registered while the program runs, oldest first.
static REGISTERED: RwLock<Vec<&'static dyn Algorithm>> = RwLock::new(Vec::new());

/// Maximum number of registered algorithms. Beyond it, the oldest is forgotten.
const MOST: usize = 64;

/// The algorithm of this name. The newest version, if a user's file was registered
/// several times.
pub fn find(name: &str) -> Option<&'static dyn Algorithm> {
    ALL.iter().copied().find(|algorithm| algorithm.name() == name).or_else(|| {
        let registered = REGISTERED.read().unwrap_or_else(PoisonError::into_inner);
        registered.iter().copied().find(|algorithm| algorithm.name() == name)
    })
}

/// Every algorithm: the built-in ones, then the registered ones.
pub fn all() -> Vec<&'static dyn Algorithm> {
    let registered = REGISTERED.read().unwrap_or_else(PoisonError::into_inner);
    ALL.iter().chain(registered.iter()).copied().collect()
}

/// Adds an algorithm. It replaces the registered one of the same name. A built-in
/// algorithm keeps its name: another one of that name is not found.
pub fn register(algorithm: &'static dyn Algorithm) {
    let mut registered = REGISTERED.write().unwrap_or_else(PoisonError::into_inner);
    let same = registered.iter_mut().find(|known| known.name() == algorithm.name());
    match same {
        Some(known) => *known = algorithm,
        None => registered.push(algorithm),
    }
    if registered.len() > MOST {
        registered.remove(0);
    }
}
