//! Device memory: allocations, and the inputs that several cases share.

use std::rc::Rc;
use std::sync::{Arc, Weak};

use cust::memory::DeviceBuffer;
use cust::sys::{self, CUdeviceptr};

use super::status::{Status, check};
use super::stream::Stream;
use crate::work::{HostBuffer, for_elements};

/// Device memory, freed with its last owner.
#[derive(Clone)]
pub(super) struct Memory {
    allocation: Rc<DeviceBuffer<u8>>,
    bytes: usize,
}

impl Memory {
    /// Allocates `bytes`. An empty buffer has an address too, so that kernels never get
    /// a null pointer.
    pub(super) fn allocate(bytes: u64) -> Result<Self, Status> {
        let bytes = bytes as usize;
        // SAFETY: every byte is written, by a copy or a memset, before it is read.
        let allocation = unsafe { DeviceBuffer::uninitialized(bytes.max(4)) }?;
        Ok(Self { allocation: Rc::new(allocation), bytes })
    }

    /// Its address on the device.
    pub(super) fn address(&self) -> CUdeviceptr {
        self.allocation.as_device_ptr().as_raw()
    }

    /// Whether it has no other owner.
    fn is_only_owner(&self) -> bool {
        Rc::strong_count(&self.allocation) == 1
    }

    /// Queues a fill with one byte.
    pub(super) fn fill(&self, byte: u8, stream: &Stream) -> Result<(), Status> {
        if self.bytes == 0 {
            return Ok(());
        }
        // SAFETY: the range is this allocation, which lives until the stream is
        // waited for.
        check(unsafe { sys::cuMemsetD8Async(self.address(), byte, self.bytes, stream.handle()) })
    }

    /// Queues a copy of `source`, which has the same size.
    pub(super) fn copy_from(&self, source: &Self, stream: &Stream) -> Result<(), Status> {
        let bytes = self.bytes.min(source.bytes);
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: both allocations have that many bytes and live until the
        // stream is waited for.
        check(unsafe {
            sys::cuMemcpyDtoDAsync_v2(self.address(), source.address(), bytes, stream.handle())
        })
    }

    /// Queues a fill with one 32-bit word.
    pub(super) fn fill_words(&self, word: u32, stream: &Stream) -> Result<(), Status> {
        let words = self.bytes / 4;
        if words == 0 {
            return Ok(());
        }
        // SAFETY: the range lies in this allocation, which is aligned for words
        // and lives until the stream is waited for.
        check(unsafe { sys::cuMemsetD32Async(self.address(), word, words, stream.handle()) })
    }

    /// Copies `source` to the device and waits.
    pub(super) fn upload(&self, source: &HostBuffer, stream: &Stream) -> Result<(), Status> {
        for_elements!(source, values => self.upload_bytes(values, stream))
    }

    /// Copies plain numbers to the device and waits.
    pub(super) fn upload_bytes<T: Copy>(
        &self,
        source: &[T],
        stream: &Stream,
    ) -> Result<(), Status> {
        let bytes = size_of_val(source).min(self.bytes);
        if bytes == 0 {
            return Ok(());
        }
        let (from, to) = (source.as_ptr().cast(), self.address());
        // SAFETY: both sides have that many bytes, and the stream is waited for
        // before `source` can go away.
        check(unsafe { sys::cuMemcpyHtoDAsync_v2(to, from, bytes, stream.handle()) })?;
        stream.wait()
    }

    /// Copies the contents into `target` and waits.
    pub(super) fn download(&self, target: &mut HostBuffer, stream: &Stream) -> Result<(), Status> {
        for_elements!(target, values => self.download_to(values, stream))
    }

    /// The contents.
    pub(super) fn download_bytes(&self, stream: &Stream) -> Result<Vec<u8>, Status> {
        let mut bytes = vec![0_u8; self.bytes];
        self.download_to(&mut bytes, stream)?;
        Ok(bytes)
    }

    /// Copies the contents into `target`, plain numbers, and waits.
    fn download_to<T: Copy>(&self, target: &mut [T], stream: &Stream) -> Result<(), Status> {
        let bytes = size_of_val(target).min(self.bytes);
        if bytes == 0 {
            return Ok(());
        }
        let (from, to) = (self.address(), target.as_mut_ptr().cast());
        // SAFETY: both sides have that many bytes, any of which make a valid
        // number, and the stream is waited for before `target` can go away.
        check(unsafe { sys::cuMemcpyDtoHAsync_v2(to, from, bytes, stream.handle()) })?;
        stream.wait()
    }
}

/// Inputs on the device. An input stays while the caller keeps the host's copy, so
/// that the cases of a sweep upload it once.
#[derive(Default)]
pub(super) struct Uploads {
    kept: Vec<(Weak<HostBuffer>, Memory)>,
}

impl Uploads {
    /// The input on the device, uploaded unless it is there.
    pub(super) fn get(
        &mut self,
        input: &Arc<HostBuffer>,
        stream: &Stream,
    ) -> Result<Memory, Status> {
        self.forget_dead();
        let known = |(host, _): &&(Weak<HostBuffer>, _)| host.as_ptr() == Arc::as_ptr(input);
        if let Some((_, memory)) = self.kept.iter().find(known) {
            return Ok(memory.clone());
        }
        let memory = Memory::allocate(input.bytes())?;
        memory.upload(input, stream)?;
        self.kept.push((Arc::downgrade(input), memory.clone()));
        Ok(memory)
    }

    /// Frees inputs that the caller has dropped. (The `Weak` keeps their address
    /// reserved meanwhile.)
    pub(super) fn forget_dead(&mut self) {
        self.kept.retain(|(host, _)| host.strong_count() > 0);
    }

    /// Frees inputs that no case uses. Returns whether there were any.
    pub(super) fn forget_unused(&mut self) -> bool {
        let before = self.kept.len();
        self.kept.retain(|(_, memory)| !memory.is_only_owner());
        self.kept.len() < before
    }
}
