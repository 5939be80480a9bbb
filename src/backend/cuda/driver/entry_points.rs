//! The driver's entry points that `cust` 0.3.2 references or the backend calls,
//! with the argument types of `cuda.h`.

// The names are the linker's.
#![allow(non_snake_case)]

use std::ffi::{c_char, c_int, c_uchar, c_uint, c_ushort, c_void};
use std::sync::OnceLock;

use cust::sys::{
    CUDA_ARRAY3D_DESCRIPTOR, CUDA_EXTERNAL_MEMORY_BUFFER_DESC, CUDA_EXTERNAL_MEMORY_HANDLE_DESC,
    CUDA_KERNEL_NODE_PARAMS, CUDA_MEMCPY2D, CUDA_RESOURCE_DESC, CUDA_RESOURCE_VIEW_DESC,
    CUDA_TEXTURE_DESC, CUarray, CUcontext, CUdevice, CUdevice_attribute, CUdeviceptr, CUevent,
    CUexternalMemory, CUfunc_cache, CUfunction, CUfunction_attribute, CUgraph, CUgraphNode,
    CUgraphNodeType, CUhostFn, CUjit_option, CUjitInputType, CUlimit, CUlinkState, CUmem_advise,
    CUmodule, CUoccupancyB2DSize, CUresult, CUsharedconfig, CUstream, CUsurfObject, CUtexObject,
    CUuuid,
};

use super::{absent, result, symbol};

/// Defines each entry point as a function that looks the real one up on its first
/// call and passes the call on. All of them return a `CUresult`.
macro_rules! entry_points {
    ($(fn $name:ident($($type:ty),*);)*) => {
        $(entry_points!(@define $name [a b c d e f g h i j k] [] $($type,)*);)*

        /// The names defined here.
        #[cfg(test)]
        pub(super) const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
    // Gives the next argument a name.
    (@define $entry:ident [$name:ident $($names:ident)*] [$($done:tt)*] $type:ty, $($types:ty,)*) => {
        entry_points!(@define $entry [$($names)*] [$($done)* ($name $type)] $($types,)*);
    };
    (@define $entry:ident [$($names:ident)*] [$(($name:ident $type:ty))*]) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $entry($($name: $type),*) -> CUresult {
            type Entry = unsafe extern "C" fn($($type),*) -> u32;
            static ENTRY: OnceLock<Option<Entry>> = OnceLock::new();
            // SAFETY: the type is the signature that `cuda.h` gives this name.
            let entry = ENTRY.get_or_init(|| unsafe { symbol(stringify!($entry)) });
            match entry {
                // SAFETY: the caller meets the requirements of this entry point.
                Some(entry) => result(unsafe { entry($($name),*) }),
                None => absent(),
            }
        }
    };
}

entry_points! {
    // Start, devices and contexts.
    fn cuCtxCreate_v2(*mut CUcontext, c_uint, CUdevice);
    fn cuCtxDestroy_v2(CUcontext);
    fn cuCtxGetApiVersion(CUcontext, *mut c_uint);
    fn cuCtxGetCacheConfig(*mut CUfunc_cache);
    fn cuCtxGetCurrent(*mut CUcontext);
    fn cuCtxGetDevice(*mut CUdevice);
    fn cuCtxGetFlags(*mut c_uint);
    fn cuCtxGetLimit(*mut usize, CUlimit);
    fn cuCtxGetSharedMemConfig(*mut CUsharedconfig);
    fn cuCtxGetStreamPriorityRange(*mut c_int, *mut c_int);
    fn cuCtxPopCurrent_v2(*mut CUcontext);
    fn cuCtxPushCurrent_v2(CUcontext);
    fn cuCtxSetCacheConfig(CUfunc_cache);
    fn cuCtxSetCurrent(CUcontext);
    fn cuCtxSetLimit(CUlimit, usize);
    fn cuCtxSetSharedMemConfig(CUsharedconfig);
    fn cuCtxSynchronize();
    fn cuDeviceGet(*mut CUdevice, c_int);
    fn cuDeviceGetAttribute(*mut c_int, CUdevice_attribute, CUdevice);
    fn cuDeviceGetCount(*mut c_int);
    fn cuDeviceGetName(*mut c_char, c_int, CUdevice);
    fn cuDeviceGetUuid(*mut CUuuid, CUdevice);
    fn cuDevicePrimaryCtxRelease_v2(CUdevice);
    fn cuDevicePrimaryCtxReset_v2(CUdevice);
    fn cuDevicePrimaryCtxRetain(*mut CUcontext, CUdevice);
    fn cuDevicePrimaryCtxSetFlags_v2(CUdevice, c_uint);
    fn cuDeviceTotalMem_v2(*mut usize, CUdevice);
    fn cuDriverGetVersion(*mut c_int);
    fn cuGetErrorName(CUresult, *mut *const c_char);
    fn cuGetErrorString(CUresult, *mut *const c_char);
    fn cuInit(c_uint);

    // Modules, functions and the linker.
    fn cuFuncGetAttribute(*mut c_int, CUfunction_attribute, CUfunction);
    fn cuFuncSetAttribute(CUfunction, CUfunction_attribute, c_int);
    fn cuFuncSetCacheConfig(CUfunction, CUfunc_cache);
    fn cuFuncSetSharedMemConfig(CUfunction, CUsharedconfig);
    fn cuLinkAddData_v2(
        CUlinkState, CUjitInputType, *mut c_void, usize, *const c_char, c_uint,
        *mut CUjit_option, *mut *mut c_void
    );
    fn cuLinkComplete(CUlinkState, *mut *mut c_void, *mut usize);
    fn cuLinkCreate_v2(c_uint, *mut CUjit_option, *mut *mut c_void, *mut CUlinkState);
    fn cuLinkDestroy(CUlinkState);
    fn cuModuleGetFunction(*mut CUfunction, CUmodule, *const c_char);
    fn cuModuleGetGlobal_v2(*mut CUdeviceptr, *mut usize, CUmodule, *const c_char);
    fn cuModuleLoad(*mut CUmodule, *const c_char);
    fn cuModuleLoadData(*mut CUmodule, *const c_void);
    fn cuModuleLoadDataEx(
        *mut CUmodule, *const c_void, c_uint, *mut CUjit_option, *mut *mut c_void
    );
    fn cuModuleUnload(CUmodule);
    fn cuOccupancyAvailableDynamicSMemPerBlock(*mut usize, CUfunction, c_int, c_int);
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(*mut c_int, CUfunction, c_int, usize);
    fn cuOccupancyMaxPotentialBlockSize(
        *mut c_int, *mut c_int, CUfunction, CUoccupancyB2DSize, usize, c_int
    );

    // Memory.
    fn cuArray3DCreate_v2(*mut CUarray, *const CUDA_ARRAY3D_DESCRIPTOR);
    fn cuArray3DGetDescriptor_v2(*mut CUDA_ARRAY3D_DESCRIPTOR, CUarray);
    fn cuArrayDestroy(CUarray);
    fn cuDestroyExternalMemory(CUexternalMemory);
    fn cuExternalMemoryGetMappedBuffer(
        *mut CUdeviceptr, CUexternalMemory, *const CUDA_EXTERNAL_MEMORY_BUFFER_DESC
    );
    fn cuImportExternalMemory(*mut CUexternalMemory, *const CUDA_EXTERNAL_MEMORY_HANDLE_DESC);
    fn cuMemAdvise(CUdeviceptr, usize, CUmem_advise, CUdevice);
    fn cuMemAllocAsync(*mut CUdeviceptr, usize, CUstream);
    fn cuMemAllocHost_v2(*mut *mut c_void, usize);
    fn cuMemAllocManaged(*mut CUdeviceptr, usize, c_uint);
    fn cuMemAlloc_v2(*mut CUdeviceptr, usize);
    fn cuMemFreeAsync(CUdeviceptr, CUstream);
    fn cuMemFreeHost(*mut c_void);
    fn cuMemFree_v2(CUdeviceptr);
    fn cuMemGetInfo_v2(*mut usize, *mut usize);
    fn cuMemPrefetchAsync(CUdeviceptr, usize, CUdevice, CUstream);
    fn cuMemcpy2D_v2(*const CUDA_MEMCPY2D);
    fn cuMemcpyAtoH_v2(*mut c_void, CUarray, usize, usize);
    fn cuMemcpyDtoDAsync_v2(CUdeviceptr, CUdeviceptr, usize, CUstream);
    fn cuMemcpyDtoD_v2(CUdeviceptr, CUdeviceptr, usize);
    fn cuMemcpyDtoHAsync_v2(*mut c_void, CUdeviceptr, usize, CUstream);
    fn cuMemcpyDtoH_v2(*mut c_void, CUdeviceptr, usize);
    fn cuMemcpyHtoA_v2(CUarray, usize, *const c_void, usize);
    fn cuMemcpyHtoDAsync_v2(CUdeviceptr, *const c_void, usize, CUstream);
    fn cuMemcpyHtoD_v2(CUdeviceptr, *const c_void, usize);
    fn cuMemsetD16Async(CUdeviceptr, c_ushort, usize, CUstream);
    fn cuMemsetD16_v2(CUdeviceptr, c_ushort, usize);
    fn cuMemsetD32Async(CUdeviceptr, c_uint, usize, CUstream);
    fn cuMemsetD32_v2(CUdeviceptr, c_uint, usize);
    fn cuMemsetD8Async(CUdeviceptr, c_uchar, usize, CUstream);
    fn cuMemsetD8_v2(CUdeviceptr, c_uchar, usize);

    // Streams, events and launches.
    fn cuEventCreate(*mut CUevent, c_uint);
    fn cuEventDestroy_v2(CUevent);
    fn cuEventElapsedTime(*mut f32, CUevent, CUevent);
    fn cuEventQuery(CUevent);
    fn cuEventRecord(CUevent, CUstream);
    fn cuEventSynchronize(CUevent);
    fn cuLaunchCooperativeKernel(
        CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, CUstream,
        *mut *mut c_void
    );
    fn cuLaunchHostFunc(CUstream, CUhostFn, *mut c_void);
    fn cuLaunchKernel(
        CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, CUstream,
        *mut *mut c_void, *mut *mut c_void
    );
    fn cuStreamCreateWithPriority(*mut CUstream, c_uint, c_int);
    fn cuStreamDestroy_v2(CUstream);
    fn cuStreamGetFlags(CUstream, *mut c_uint);
    fn cuStreamGetPriority(CUstream, *mut c_int);
    fn cuStreamSynchronize(CUstream);
    fn cuStreamWaitEvent(CUstream, CUevent, c_uint);

    // Graphs.
    fn cuGraphAddKernelNode(
        *mut CUgraphNode, CUgraph, *const CUgraphNode, usize, *const CUDA_KERNEL_NODE_PARAMS
    );
    fn cuGraphCreate(*mut CUgraph, c_uint);
    fn cuGraphDebugDotPrint(CUgraph, *const c_char, c_uint);
    fn cuGraphDestroy(CUgraph);
    fn cuGraphGetEdges(CUgraph, *mut CUgraphNode, *mut CUgraphNode, *mut usize);
    fn cuGraphGetNodes(CUgraph, *mut CUgraphNode, *mut usize);
    fn cuGraphKernelNodeGetParams(CUgraphNode, *mut CUDA_KERNEL_NODE_PARAMS);
    fn cuGraphNodeGetType(CUgraphNode, *mut CUgraphNodeType);

    // Textures and surfaces.
    fn cuSurfObjectCreate(*mut CUsurfObject, *const CUDA_RESOURCE_DESC);
    fn cuSurfObjectDestroy(CUsurfObject);
    fn cuSurfObjectGetResourceDesc(*mut CUDA_RESOURCE_DESC, CUsurfObject);
    fn cuTexObjectCreate(
        *mut CUtexObject, *const CUDA_RESOURCE_DESC, *const CUDA_TEXTURE_DESC,
        *const CUDA_RESOURCE_VIEW_DESC
    );
    fn cuTexObjectDestroy(CUtexObject);
    fn cuTexObjectGetResourceDesc(*mut CUDA_RESOURCE_DESC, CUtexObject);
    fn cuTexObjectGetResourceViewDesc(*mut CUDA_RESOURCE_VIEW_DESC, CUtexObject);
}
