// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Bindless images (experimental).

use super::*;

ur_types! {
    /// Opaque 64-bit value that kernels use to read or write a bindless image, sampled or unsampled.
    alias ExpImageNativeHandle = ur_exp_image_native_handle_t { usize }

    /// Opaque 64-bit value that names the memory of a bindless image.
    alias ExpImageMemNativeHandle = ur_exp_image_mem_native_handle_t { usize }

    /// Memory of another API, such as Vulkan or Direct3D, imported into UR.
    handle ExpExternalMemHandle = ur_exp_external_mem_handle_t {}

    /// Semaphore or fence of another API, imported into UR.
    handle ExpExternalSemaphoreHandle = ur_exp_external_semaphore_handle_t {}

    /// Direction of a bindless image copy.
    flags ExpImageCopyFlags = ur_exp_image_copy_flags_t, UR_EXP_IMAGE_COPY_FLAG_ {
        /// Source is host memory, destination lives on the device
        HOST_TO_DEVICE = 1 << 0,
        /// Source lives on the device, destination is host memory
        DEVICE_TO_HOST = 1 << 1,
        /// Source and destination both live on the device
        DEVICE_TO_DEVICE = 1 << 2,
        /// Source and destination are both host memory
        HOST_TO_HOST = 1 << 3,
    }

    /// Specifies whether the two addresses of a bindless image copy are plain pointers or image memory handles.
    enum ExpImageCopyInputTypes = ur_exp_image_copy_input_types_t, UR_EXP_IMAGE_COPY_INPUT_TYPES_ {
        /// Source is a pointer, destination an image memory handle
        MEM_TO_IMAGE = 0,
        /// Source is an image memory handle, destination a pointer
        IMAGE_TO_MEM = 1,
        /// Both sides are pointers
        MEM_TO_MEM = 2,
        /// Both sides are image memory handles
        IMAGE_TO_IMAGE = 3,
    }

    /// Specifies whether filtering may cross the edges between cubemap faces.
    enum ExpSamplerCubemapFilterMode = ur_exp_sampler_cubemap_filter_mode_t, UR_EXP_SAMPLER_CUBEMAP_FILTER_MODE_ {
        /// Each face is filtered on its own
        DISJOINTED = 0,
        /// Samples near an edge also blend texels of the neighbouring face
        SEAMLESS = 1,
    }

    /// Kind of operating-system handle through which memory is shared with another API or process.
    enum ExpExternalMemType = ur_exp_external_mem_type_t, UR_EXP_EXTERNAL_MEM_TYPE_ {
        /// POSIX file descriptor with driver-defined content, as Vulkan exports it
        OPAQUE_FD = 0,
        /// Windows NT handle with driver-defined content
        WIN32_NT = 1,
        /// Windows NT handle of a Direct3D 12 resource
        WIN32_NT_DX12_RESOURCE = 2,
        /// Linux dma-buf file descriptor
        DMA_BUF = 3,
        /// Windows NT handle of a Direct3D 11 resource
        WIN32_NT_DX11_RESOURCE = 4,
    }

    /// Kind of operating-system handle through which a semaphore or fence is shared.
    enum ExpExternalSemaphoreType = ur_exp_external_semaphore_type_t, UR_EXP_EXTERNAL_SEMAPHORE_TYPE_ {
        /// POSIX file descriptor of a binary semaphore
        OPAQUE_FD = 0,
        /// Windows NT handle of a binary semaphore
        WIN32_NT = 1,
        /// Windows NT handle of a Direct3D 12 fence
        WIN32_NT_DX12_FENCE = 2,
        /// POSIX file descriptor of a timeline semaphore, which counts up in 64 bits
        TIMELINE_FD = 3,
        /// Windows NT handle of a timeline semaphore
        TIMELINE_WIN32_NT = 4,
        /// Windows NT handle of a Direct3D 11 fence
        WIN32_NT_DX11_FENCE = 5,
    }

    /// Specifies the kind of memory behind a bindless image.
    enum ExpImageMemType = ur_exp_image_mem_type_t, UR_EXP_IMAGE_MEM_TYPE_ {
        /// Linear or pitched USM, addressed by pointer
        USM_POINTER = 0,
        /// Image memory in the device's own layout, named by an opaque handle
        OPAQUE_HANDLE = 1,
    }

    /// Chained to an external memory or semaphore descriptor, carries a POSIX file descriptor.
    struct ExpFileDescriptor = ur_exp_file_descriptor_t, EXP_FILE_DESCRIPTOR {
        [in] stype: StructureType,
        [in, optional] pNext: *const c_void,
        /// file descriptor to import
        [in] fd: c_int,
    }

    /// Chained to an external memory or semaphore descriptor, carries a Windows handle.
    struct ExpWin32Handle = ur_exp_win32_handle_t, EXP_WIN32_HANDLE {
        [in] stype: StructureType,
        [in, optional] pNext: *const c_void,
        /// Windows NT handle to import
        [in] handle: *mut c_void,
    }

    /// Chained to an external memory or semaphore descriptor, lets the adapter open a shared Windows object by its
    /// name; adapters without that ability answer UNSUPPORTED_FEATURE.
    struct ExpWin32Name = ur_exp_win32_name_t, EXP_WIN32_NAME {
        [in] stype: StructureType,
        [in, optional] pNext: *const c_void,
        /// name under which the Windows object was shared
        [in] name: *const c_void,
    }

    /// Chained to `ur_sampler_desc_t`, sets how a sampler treats mipmap levels.
    struct ExpSamplerMipProperties = ur_exp_sampler_mip_properties_t, EXP_SAMPLER_MIP_PROPERTIES {
        [in] stype: StructureType,
        [inout, optional] pNext: *mut c_void,
        /// finest level that sampling may select, from 0
        [in] minMipmapLevelClamp: f32,
        /// coarsest level that sampling may select, up to the level count
        [in] maxMipmapLevelClamp: f32,
        /// largest ratio of anisotropic filtering
        [in] maxAnisotropy: f32,
        /// filter applied between adjacent levels
        [in] mipFilterMode: SamplerFilterMode,
    }

    /// Chained to `ur_sampler_desc_t`, gives each image dimension its own addressing mode.
    struct ExpSamplerAddrModes = ur_exp_sampler_addr_modes_t, EXP_SAMPLER_ADDR_MODES {
        [in] stype: StructureType,
        [inout, optional] pNext: *mut c_void,
        /// addressing modes of x, y and z, in this order
        [in] addrModes: [SamplerAddressingMode; 3],
    }

    /// Chained to `ur_sampler_desc_t`, sets how a sampler treats cubemaps.
    struct ExpSamplerCubemapProperties = ur_exp_sampler_cubemap_properties_t, EXP_SAMPLER_CUBEMAP_PROPERTIES {
        [in] stype: StructureType,
        [inout, optional] pNext: *mut c_void,
        /// whether filtering crosses the edges between faces
        [in] cubemapFilterMode: ExpSamplerCubemapFilterMode,
    }

    /// Head of the structure chain that describes external memory to import; the operating-system handle hangs on
    /// `pNext`.
    struct ExpExternalMemDesc = ur_exp_external_mem_desc_t, EXP_EXTERNAL_MEM_DESC {
        [in] stype: StructureType,
        [in, optional] pNext: *const c_void,
    }

    /// Head of the structure chain that describes an external semaphore to import; the operating-system handle hangs
    /// on `pNext`.
    struct ExpExternalSemaphoreDesc = ur_exp_external_semaphore_desc_t, EXP_EXTERNAL_SEMAPHORE_DESC {
        [in] stype: StructureType,
        [in, optional] pNext: *const c_void,
    }

    /// Box that a bindless image copy moves, with its place on either side.
    struct ExpImageCopyRegion = ur_exp_image_copy_region_t, EXP_IMAGE_COPY_REGION {
        [in] stype: StructureType,
        [in, optional] pNext: *const c_void,
        /// corner of the box within the source
        [in] srcOffset: RectOffset,
        /// corner of the box within the destination
        [in] dstOffset: RectOffset,
        /// width, height and depth of the box
        [in] copyExtent: RectRegion,
    }
}
