//! Structs of counts that are added, scaled and stored alike.

/// Defines a struct of counts and `each`, which makes every count from those of others.
macro_rules! counts {
    (
        $(#[$meta:meta])* $vis:vis struct $Name:ident { $($(#[$doc:meta])* $name:ident)* }
        $($(#[$rest_doc:meta])* $rest:ident: $ty:ty,)*
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        $vis struct $Name {
            $($(#[$doc])* $vis $name: u64,)*
            $($(#[$rest_doc])* $vis $rest: $ty,)*
        }

        impl $Name {
            /// The counts that `f` makes; its argument reads the same count of another value.
            pub(crate) fn each(f: impl Fn(&dyn Fn(&Self) -> u64) -> u64) -> Self {
                Self { $($name: f(&|counts: &Self| counts.$name),)* $($rest: <$ty>::default(),)* }
            }

            /// Every count by name.
            #[allow(dead_code, reason = "not every struct of counts is stored by name")]
            $vis fn named(&self) -> std::collections::BTreeMap<String, u64> {
                [$((stringify!($name).to_owned(), self.$name)),*].into()
            }
        }
    };
}
pub(crate) use counts;
