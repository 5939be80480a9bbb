//! A kernel in Rust without its library. `rust.ptx` is what this gives:
//!
//!     RUSTC_BOOTSTRAP=1 rustc --target nvptx64-nvidia-cuda -O --emit=asm -C target-cpu=sm_70 rust.rs

#![feature(abi_unadjusted, freeze_impls, auto_traits, link_llvm_intrinsics, no_core, lang_items, intrinsics, abi_ptx, rustc_attrs, asm_experimental_arch, decl_macro)]
#![no_core]
#![no_std]
#![crate_type = "cdylib"]
#![allow(internal_features)]

#[lang = "pointee_sized"]
pub trait PointeeSized {}
#[lang = "meta_sized"]
pub trait MetaSized: PointeeSized {}
#[lang = "sized"]
pub trait Sized: MetaSized {}
#[lang = "copy"]
pub trait Copy {}
#[lang = "freeze"]
pub unsafe auto trait Freeze {}
#[lang = "legacy_receiver"]
pub trait LegacyReceiver {}
impl Copy for u32 {}
impl Copy for usize {}
impl Copy for isize {}
impl Copy for f32 {}
impl<T: PointeeSized> Copy for *mut T {}
impl<T: PointeeSized> Copy for *const T {}

#[rustc_intrinsic]
pub unsafe fn offset<P, D>(dst: P, offset: D) -> P;
#[rustc_intrinsic]
pub fn wrapping_add<T: Copy>(a: T, b: T) -> T;
#[rustc_intrinsic]
pub fn wrapping_mul<T: Copy>(a: T, b: T) -> T;

extern "unadjusted" {
    #[link_name = "llvm.nvvm.read.ptx.sreg.tid.x"]
    fn tid() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.ctaid.x"]
    fn ctaid() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.ntid.x"]
    fn ntid() -> u32;
}

#[lang = "add"]
pub trait Add<Rhs = Self> { type Output; fn add(self, rhs: Rhs) -> Self::Output; }

#[no_mangle]
pub unsafe extern "ptx-kernel" fn hash(n: u32, out: *mut u32) {
    let i = wrapping_add(wrapping_mul(ctaid(), ntid()), tid());
    let mut x = i;
    let mut k = n;
    loop {
        match k { 0 => break, _ => {} }
        x = wrapping_add(wrapping_mul(x, 1664525), 1013904223);
        k = wrapping_add(k, 4294967295);
    }
    *offset(out, i as isize) = x;
}
