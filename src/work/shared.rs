//! Values that many records have in common, stored once.

use std::borrow::Borrow;
use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt;
use std::hash::Hash;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::thread::LocalKey;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A value that is copied when it is changed. Equal ones that a thread reads share memory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Shared<T>(Arc<T>);

/// A word that many records have in common.
pub type Name = Shared<String>;

/// The values of a type that this thread read lately.
pub type Table<T> = RefCell<HashSet<Shared<T>>>;

/// Most values of a table. It starts anew when it is full.
const MOST: usize = 4096;

/// A value that is stored once, however many places have an equal one.
pub trait Common: Eq + Hash + Clone + 'static {
    /// Those that this thread read lately.
    fn table() -> &'static LocalKey<Table<Self>>;

    /// Reads one.
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Shared<Self>, D::Error>;
}

/// A table of its own for a type.
macro_rules! table {
    ($type:ty) => {
        fn table() -> &'static std::thread::LocalKey<$crate::work::shared::Table<Self>> {
            thread_local! {
                static TABLE: $crate::work::shared::Table<$type> = std::default::Default::default();
            }
            &TABLE
        }
    };
}
pub(crate) use table;

impl Common for String {
    table!(String);

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Name, D::Error> {
        struct Word;
        impl Visitor<'_> for Word {
            type Value = Name;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_str<E: Error>(self, word: &str) -> Result<Name, E> {
                Ok(word.into())
            }
        }
        deserializer.deserialize_str(Word)
    }
}

impl<T: Common> Shared<T> {
    /// The value that this thread read lately and that equals `value`, or a new one.
    pub fn common(value: T) -> Self {
        Self::find(&value).unwrap_or_else(|| Self::keep(value))
    }

    fn find<Q: Hash + Eq + ?Sized>(wanted: &Q) -> Option<Self>
    where
        Self: Borrow<Q>,
    {
        T::table().with_borrow(|table| table.get(wanted).cloned())
    }

    fn keep(value: T) -> Self {
        let new = Self(Arc::new(value));
        T::table().with_borrow_mut(|table| {
            if table.len() >= MOST {
                table.clear();
            }
            table.insert(new.clone());
        });
        new
    }
}

impl<T> Borrow<T> for Shared<T> {
    fn borrow(&self) -> &T {
        &self.0
    }
}

impl Borrow<str> for Name {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Clone> DerefMut for Shared<T> {
    fn deref_mut(&mut self) -> &mut T {
        Arc::make_mut(&mut self.0)
    }
}

impl<T> From<T> for Shared<T> {
    fn from(value: T) -> Self {
        Self(Arc::new(value))
    }
}

impl From<&str> for Name {
    fn from(word: &str) -> Self {
        Self::find(word).unwrap_or_else(|| Self::keep(word.to_owned()))
    }
}

impl PartialEq<str> for Name {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Name {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl PartialEq<String> for Name {
    fn eq(&self, other: &String) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<Name> for String {
    fn eq(&self, other: &Name) -> bool {
        self == other.as_str()
    }
}

impl<T: fmt::Display> fmt::Display for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T: Serialize> Serialize for Shared<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de, T: Common> Deserialize<'de> for Shared<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::read(deserializer)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn equal_words_share_memory_until_one_changes() {
        let words: Vec<Name> = serde_json::from_str(r#"["a","b","a","\u0061"]"#).unwrap();
        let same = |a: &Name, b: &Name| Arc::ptr_eq(&a.0, &b.0);
        assert!(same(&words[0], &words[2]) && same(&words[0], &words[3]));
        let mut changed = words[0].clone();
        changed.push('c');
        assert_eq!((changed.as_str(), words[0].as_str()), ("ac", "a"));
        assert_eq!(serde_json::to_string(&words).unwrap(), r#"["a","b","a","a"]"#);
    }

    #[test]
    fn a_table_is_bounded() {
        let words: Vec<Name> = (0..3 * MOST).map(|it| it.to_string().as_str().into()).collect();
        assert_eq!(words[7], "7");
        String::table().with_borrow(|table| assert!(table.len() <= MOST));
    }
}
