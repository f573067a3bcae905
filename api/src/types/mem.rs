// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Memory objects: buffers and images.

use super::*;

ur_types! {
    /// Access mode and host-storage options of a buffer or image.
    flags MemFlags = ur_mem_flags_t, UR_MEM_FLAG_ {
        /// Kernels may load from and store to the object; the usual choice when no access bit is given
        READ_WRITE = 1 << 0,
        /// Kernels only store; a load from inside a kernel is undefined
        WRITE_ONLY = 1 << 1,
        /// Kernels only load; a store from inside a kernel is undefined
        READ_ONLY = 1 << 2,
        /// Backs the object with the caller's pHost storage, which must outlive the object
        USE_HOST_POINTER = 1 << 3,
        /// Places the storage in memory the host can address, typically pinned
        ALLOC_HOST_POINTER = 1 << 4,
        /// Allocates fresh storage and initialises it from pHost at creation time
        ALLOC_COPY_HOST_POINTER = 1 << 5,
    }

    /// Dimensionality and layering of an image.
    enum MemType = ur_mem_type_t, UR_MEM_TYPE_ {
        /// Single plane addressed by (x, y)
        IMAGE2D = 0,
        /// Volume addressed by (x, y, z)
        IMAGE3D = 1,
        /// Stack of equally sized 2D layers
        IMAGE2D_ARRAY = 2,
        /// Single row addressed by x
        IMAGE1D = 3,
        /// Stack of equally long 1D layers
        IMAGE1D_ARRAY = 4,
        /// Six square faces addressed by direction (bindless images extension)
        IMAGE_CUBEMAP_EXP = 0x2000,
        /// 2D image usable for texture gather fetches (bindless images extension)
        IMAGE_GATHER_EXP = 0x2001,
    }

    /// Selects what urMemGetInfo reports.
    enum MemInfo = ur_mem_info_t, UR_MEM_INFO_ {
        /// Bytes of storage the object occupies
        SIZE = 0 => (usize),
        /// Context that owns the object; not retained for the caller
        CONTEXT = 1 => (ContextHandle),
        /// Current reference count; a snapshot, useful only for debugging leaks
        REFERENCE_COUNT = 2 => (u32),
    }

    /// Which colour components a pixel stores, and in what sequence.
    enum ImageChannelOrder = ur_image_channel_order_t, UR_IMAGE_CHANNEL_ORDER_ {
        /// One component: alpha
        A = 0,
        /// One component: red
        R = 1,
        /// Two components: red, green
        RG = 2,
        /// Two components: red, alpha
        RA = 3,
        /// Three components; usually tied to packed 16- or 32-bit channel types
        RGB = 4,
        /// Four components: red, green, blue, alpha; the most widely supported layout
        RGBA = 5,
        /// Four components: blue, green, red, alpha
        BGRA = 6,
        /// Four components: alpha, red, green, blue
        ARGB = 7,
        /// Four components: alpha, blue, green, red
        ABGR = 8,
        /// One component, replicated to all four on read
        INTENSITY = 9,
        /// One component, replicated to red, green and blue on read; alpha reads as one
        LUMINANCE = 10,
        /// Red plus one padding component whose content is ignored
        RX = 11,
        /// Red and green plus one ignored padding component
        RGX = 12,
        /// Red, green and blue plus one ignored padding component
        RGBX = 13,
        /// RGBA whose colour components are sRGB-encoded and linearised on read
        SRGBA = 14,
    }

    /// Storage type of each pixel component and how it converts to the value a kernel sees.
    enum ImageChannelType = ur_image_channel_type_t, UR_IMAGE_CHANNEL_TYPE_ {
        /// Signed 8-bit, read as a float in [-1, 1]
        SNORM_INT8 = 0,
        /// Signed 16-bit, read as a float in [-1, 1]
        SNORM_INT16 = 1,
        /// Unsigned 8-bit, read as a float in [0, 1]
        UNORM_INT8 = 2,
        /// Unsigned 16-bit, read as a float in [0, 1]
        UNORM_INT16 = 3,
        /// RGB packed into 16 bits as 5-6-5, each read as a float in [0, 1]
        UNORM_SHORT_565 = 4,
        /// RGB packed into 16 bits as x-5-5-5, each read as a float in [0, 1]
        UNORM_SHORT_555 = 5,
        /// RGB packed into 32 bits as x-10-10-10, each read as a float in [0, 1]
        INT_101010 = 6,
        /// Signed 8-bit integer, read without conversion
        SIGNED_INT8 = 7,
        /// Signed 16-bit integer, read without conversion
        SIGNED_INT16 = 8,
        /// Signed 32-bit integer, read without conversion
        SIGNED_INT32 = 9,
        /// Unsigned 8-bit integer, read without conversion
        UNSIGNED_INT8 = 10,
        /// Unsigned 16-bit integer, read without conversion
        UNSIGNED_INT16 = 11,
        /// Unsigned 32-bit integer, read without conversion
        UNSIGNED_INT32 = 12,
        /// IEEE 754 binary16
        HALF_FLOAT = 13,
        /// IEEE 754 binary32
        FLOAT = 14,
    }

    /// Selects what urMemImageGetInfo reports.
    enum ImageInfo = ur_image_info_t, UR_IMAGE_INFO_ {
        /// Channel order and channel type given at creation
        FORMAT = 0 => (ImageFormat),
        /// Bytes per pixel
        ELEMENT_SIZE = 1 => (usize),
        /// Bytes from one row to the next
        ROW_PITCH = 2 => (usize),
        /// Bytes from one 2D slice or array layer to the next
        SLICE_PITCH = 3 => (usize),
        /// Pixels along x
        WIDTH = 4 => (usize),
        /// Pixels along y; zero for 1D images, as in OpenCL
        HEIGHT = 5 => (usize),
        /// Pixels along z; zero unless the image is 3D, as in OpenCL
        DEPTH = 6 => (usize),
        /// Number of layers of an array image
        ARRAY_SIZE = 7 => (usize),
        /// Number of mip levels held by the image
        NUM_MIP_LEVELS = 8 => (u32),
        /// Number of samples per pixel
        NUM_SAMPLES = 9 => (u32),
    }

    /// Pixel layout of an image: channel order plus channel type.
    struct ImageFormat = ur_image_format_t {
        /// which components a pixel has and their sequence
        [in] channelOrder: ImageChannelOrder,
        /// storage and conversion of each component
        [in] channelType: ImageChannelType,
    }

    /// Shape and host-data layout of an image, the counterpart of cl_image_desc.
    struct ImageDesc = ur_image_desc_t, IMAGE_DESC {
        [in] stype: StructureType,
        [in, optional] pNext: *const c_void,
        /// dimensionality; decides which extents below are read
        [in, nocheck] r#type: MemType,
        /// pixels along x
        [in] width: usize,
        /// pixels along y; ignored for 1D images and 1D arrays
        [in] height: usize,
        /// pixels along z; read for 3D images only
        [in] depth: usize,
        /// number of layers; read for array images only
        [in] arraySize: usize,
        /// bytes between rows of host data; 0 derives it from width, mandatory 0 without host data
        [in] rowPitch: usize,
        /// bytes between slices of host data; 0 derives it from rowPitch, mandatory 0 without host data
        [in] slicePitch: usize,
        /// mip level count; urMemImageCreate accepts only 0
        [in] numMipLevel: u32,
        /// samples per pixel; urMemImageCreate accepts only 0
        [in] numSamples: u32,
    }

    /// Head of the property chain accepted by urMemBufferCreate; carries the host pointer.
    struct BufferProperties = ur_buffer_properties_t, BUFFER_PROPERTIES {
        [in] stype: StructureType,
        [inout, optional] pNext: *mut c_void,
        /// source or backing bytes, at least the buffer's size; null when no flag uses it
        [in, optional] pHost: *mut c_void,
    }

    /// Chained property that pins a buffer to one memory channel of the device (FPGA boards).
    struct BufferChannelProperties = ur_buffer_channel_properties_t, BUFFER_CHANNEL_PROPERTIES {
        [in] stype: StructureType,
        [inout, optional] pNext: *mut c_void,
        /// number of the memory channel or region that should hold the buffer
        [in] channel: u32,
    }

    /// Chained property choosing the global-memory partition of a buffer, after cl_intel_mem_alloc_buffer_location.
    struct BufferAllocLocationProperties = ur_buffer_alloc_location_properties_t, BUFFER_ALLOC_LOCATION_PROPERTIES {
        [in] stype: StructureType,
        [inout, optional] pNext: *mut c_void,
        /// device-specific number of the partition to allocate from
        [in] location: u32,
    }

    /// Contiguous byte range inside a buffer.
    struct BufferRegion = ur_buffer_region_t, BUFFER_REGION {
        [in] stype: StructureType,
        [in, optional] pNext: *const c_void,
        /// first byte, counted from the start of the parent buffer
        [in] origin: usize,
        /// bytes in the range; must not be 0
        [in] size: usize,
    }

    /// How urMemBufferPartition describes the piece to cut out.
    enum BufferCreateType = ur_buffer_create_type_t, UR_BUFFER_CREATE_TYPE_ {
        /// The piece is a ur_buffer_region_t
        REGION = 0,
    }

    /// Options for adopting a native memory object.
    struct MemNativeProperties = ur_mem_native_properties_t, MEM_NATIVE_PROPERTIES {
        [in] stype: StructureType,
        [inout, optional] pNext: *mut c_void,
        /// true: UR frees the native object together with the last UR reference
        [in] isNativeHandleOwned: bool,
    }
}
