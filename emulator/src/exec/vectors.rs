//! Functions compiled once per vector width, away from the warp loop.

/// Defines `$name::<N>`, which runs `$body::<N>` with the instructions that `N` promises: AVX2
/// where it is 8, and AVX-512 where it is 16, which [`crate::exec::run`] knows. What `$body`
/// calls has to be inlined to be compiled so too: closures given to array methods are not.
macro_rules! vectors {
    ($(#[$doc:meta])* $name:ident => $body:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $result:ty)?) => {
        $(#[$doc])*
        #[inline(always)]
        pub(crate) fn $name<const N: usize>($($arg: $ty),*) $(-> $result)? {
            #[cfg(target_arch = "x86_64")]
            #[inline(never)]
            #[target_feature(
                enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,f16c,fma,bmi1,bmi2,popcnt,lzcnt"
            )]
            fn avx512($($arg: $ty),*) $(-> $result)? {
                $body::<16>($($arg),*)
            }
            #[cfg(target_arch = "x86_64")]
            #[inline(never)]
            #[target_feature(enable = "avx2,f16c,fma,bmi1,bmi2,popcnt,lzcnt")]
            fn avx2($($arg: $ty),*) $(-> $result)? {
                $body::<8>($($arg),*)
            }
            #[inline(never)]
            fn plain($($arg: $ty),*) $(-> $result)? {
                $body::<4>($($arg),*)
            }
            #[cfg(target_arch = "x86_64")]
            match N {
                // SAFETY: the machine has these features, as `N` says.
                16 => return unsafe { avx512($($arg),*) },
                // SAFETY: the machine has these features, as `N` says.
                8 => return unsafe { avx2($($arg),*) },
                _ => {}
            }
            plain($($arg),*)
        }
    };
}

pub(crate) use vectors;
