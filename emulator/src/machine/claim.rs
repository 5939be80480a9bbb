//! Which launches work on a memory: several at the same time, or one host thread alone.
//!
//! A host thread that works alone needs no locked instructions for atomics, which take a
//! processor ten times as long as plain ones.

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};

/// What the launches on a memory hold while they run.
#[derive(Debug, Default)]
pub(crate) struct Users(RwLock<()>);

/// The right of a launch to work on a memory, until it is dropped.
#[derive(Debug)]
#[expect(dead_code, reason = "the guards only have to live")]
pub(crate) enum Claim<'m> {
    /// Nobody else works on it: other launches wait.
    Alone(RwLockWriteGuard<'m, ()>),
    /// Others may work on it at the same time.
    Beside(RwLockReadGuard<'m, ()>),
}

impl Users {
    /// Waits while another launch works alone. A launch on one host thread gets the memory
    /// alone unless others work on it already.
    pub(crate) fn claim(&self, one_thread: bool) -> Claim<'_> {
        if one_thread {
            match self.0.try_write() {
                Ok(guard) => return Claim::Alone(guard),
                Err(TryLockError::Poisoned(guard)) => return Claim::Alone(guard.into_inner()),
                Err(TryLockError::WouldBlock) => {}
            }
        }
        Claim::Beside(self.0.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Claim<'_> {
    pub(crate) fn is_alone(&self) -> bool {
        matches!(self, Self::Alone(_))
    }
}

#[cfg(test)]
mod tests {
    use super::Users;

    #[test]
    fn one_thread_is_alone_unless_others_came_before() {
        let users = Users::default();
        assert!(users.claim(true).is_alone());
        let many = users.claim(false);
        assert!(!many.is_alone() && !users.claim(true).is_alone());
        drop(many);
        assert!(users.claim(true).is_alone());
    }
}
