// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Bindless images, memory and semaphores of other APIs, exportable memory, and host pipes: what comes to an adapter.

use std::ffi::c_int;
use std::fmt::Debug;
use std::marker::PhantomData;

use kit::{BindlessCopy, BindlessImage, BindlessUse, Object, OsHandle, SemaphoreOperation};

use super::*;

type ImageMemory = ExpImageMemNativeHandle;

/// Memory or a semaphore of another API.
pub struct External<H> {
    handle_cell: HandleCell,
    handle: OsHandle,
    kind: PhantomData<H>,
}

// SAFETY: the tests use handles that are numbers.
unsafe impl<H> Send for External<H> {}
// SAFETY: as above.
unsafe impl<H> Sync for External<H> {}

impl<H> External<H> {
    fn new(handle: OsHandle) -> Arc<Self> {
        Arc::new(Self {
            handle_cell: HandleCell::new(),
            handle,
            kind: PhantomData,
        })
    }
}

impl Object for External<ExpExternalMemHandle> {
    type Handle = ExpExternalMemHandle;

    fn handle_cell(&self) -> &HandleCell {
        &self.handle_cell
    }
}

impl Object for External<ExpExternalSemaphoreHandle> {
    type Handle = ExpExternalSemaphoreHandle;

    fn handle_cell(&self) -> &HandleCell {
        &self.handle_cell
    }
}

impl Context {
    fn ask(&self, what: &str, how: impl Debug) {
        self.asked.lock().push(format!("{what} {how:?}"));
    }
}

impl kit::ExternalMem<Native> for External<ExpExternalMemHandle> {
    fn import(
        context: &Arc<Context>,
        _: &Arc<Device>,
        size: usize,
        kind: ExpExternalMemType,
        handle: OsHandle,
    ) -> UrResult<Arc<Self>> {
        context.ask("memory", (size, kind, handle));
        Ok(Self::new(handle))
    }
}

impl kit::ExternalSemaphore<Native> for External<ExpExternalSemaphoreHandle> {
    fn import(
        context: &Arc<Context>,
        _: &Arc<Device>,
        kind: ExpExternalSemaphoreType,
        handle: OsHandle,
    ) -> UrResult<Arc<Self>> {
        context.ask("semaphore", (kind, handle));
        Ok(Self::new(handle))
    }
}

impl kit::BindlessImages<Native> for Context {
    fn image_alloc(self: &Arc<Self>, _: &Arc<Device>, image: BindlessImage<'_>) -> UrResult<ImageMemory> {
        self.ask("alloc", (image.format.channelOrder, image.desc.width));
        Ok(0x10)
    }

    fn image_free(self: &Arc<Self>, memory: ImageMemory) -> UrResult<()> {
        self.ask("free", memory);
        Ok(())
    }

    fn mipmap_level(self: &Arc<Self>, memory: ImageMemory, level: u32) -> UrResult<ImageMemory> {
        Ok(memory + level as usize)
    }

    fn image_memory_info(self: &Arc<Self>, _: ImageMemory, query: ImageInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            ImageInfo::WIDTH => out.value(8usize),
            _ => out.unsupported(),
        }
    }

    fn image_handle(
        self: &Arc<Self>,
        _: &Arc<Device>,
        memory: ImageMemory,
        _: BindlessImage<'_>,
        sampler: Option<&kit::SamplerProperties>,
    ) -> UrResult<ExpImageNativeHandle> {
        self.ask("handle", (memory, sampler.is_some()));
        Ok(0x20)
    }

    fn image_handle_destroy(self: &Arc<Self>, image: ExpImageNativeHandle, sampled: bool) -> UrResult<()> {
        self.ask("destroy", (image, sampled));
        Ok(())
    }

    fn supports_image(
        self: &Arc<Self>,
        _: &Arc<Device>,
        _: BindlessImage<'_>,
        memory: ExpImageMemType,
        wanted: BindlessUse,
    ) -> UrResult<bool> {
        Ok(memory == ExpImageMemType::OPAQUE_HANDLE && wanted != BindlessUse::Sampled)
    }

    fn imports_memory(_: &Arc<Device>, kind: ExpExternalMemType) -> UrResult<bool> {
        Ok(kind == ExpExternalMemType::OPAQUE_FD)
    }

    fn map_external_image(
        self: &Arc<Self>,
        _: &Arc<Device>,
        memory: &Arc<External<ExpExternalMemHandle>>,
        _: BindlessImage<'_>,
    ) -> UrResult<ImageMemory> {
        self.ask("map image", memory.handle);
        Ok(0x30)
    }

    fn map_external_memory(
        self: &Arc<Self>,
        _: &Arc<Device>,
        memory: &Arc<External<ExpExternalMemHandle>>,
        offset: u64,
        size: u64,
    ) -> UrResult<*mut c_void> {
        self.ask("map", (memory.handle, offset, size));
        Ok(std::ptr::without_provenance_mut(0x40))
    }

    fn unmap_external_memory(self: &Arc<Self>, _: &Arc<Device>, memory: *mut c_void) -> UrResult<()> {
        self.ask("unmap", memory.addr());
        Ok(())
    }
}

impl kit::MemoryExport<Native> for Context {
    fn exportable_alloc(
        self: &Arc<Self>,
        _: &Arc<Device>,
        align: usize,
        size: usize,
        kind: ExpExternalMemType,
    ) -> UrResult<*mut c_void> {
        self.ask("exportable", (align, size, kind));
        Ok(std::ptr::without_provenance_mut(0x50))
    }

    fn exportable_free(self: &Arc<Self>, _: &Arc<Device>, memory: *mut c_void) -> UrResult<()> {
        self.ask("free exportable", memory.addr());
        Ok(())
    }

    fn export_memory(
        self: &Arc<Self>,
        _: &Arc<Device>,
        memory: *mut c_void,
        _: ExpExternalMemType,
    ) -> UrResult<OsHandle> {
        Ok(OsHandle::Fd(memory.addr() as c_int))
    }
}

/// The queue's part of it.
pub fn submit(context: &Context, command: Command<'_, Native>) -> UrResult<()> {
    let handle = |operation: &SemaphoreOperation<'_, Native>| (operation.semaphore.handle, operation.value);
    match &command {
        Command::BindlessCopy(BindlessCopy {
            src,
            dst,
            region,
            direction,
        }) => {
            context.ask("copy", (src.place, dst.place, region.copyExtent.width, *direction));
        }
        Command::SemaphoreWait(operation) => context.ask("wait", handle(operation)),
        Command::SemaphoreSignal(operation) => context.ask("signal", handle(operation)),
        Command::HostPipeRead { pipe, size, .. } => context.ask("read", (pipe.name, size)),
        Command::HostPipeWrite { pipe, size, .. } => context.ask("write", (pipe.name, size)),
        _ => return command.unsupported(),
    }
    Ok(())
}

fn asked(context: ContextHandle) -> Vec<String> {
    // SAFETY: a live handle.
    let context = unsafe { kit::entry_point::object::<Context>(context) }.expect("a context");
    std::mem::take(&mut *context.asked.lock())
}

fn image() -> (ImageFormat, ImageDesc) {
    let format = ImageFormat {
        channelOrder: ImageChannelOrder::RGBA,
        channelType: ImageChannelType::FLOAT,
    };
    let desc = ImageDesc {
        width: 8,
        ..Default::default()
    };
    (format, desc)
}

const NULL_POINTER: ResultCode = ResultCode::ERROR_INVALID_NULL_POINTER;
const BAD_VALUE: ResultCode = ResultCode::ERROR_INVALID_VALUE;
const BAD_ENUMERATION: ResultCode = ResultCode::ERROR_INVALID_ENUMERATION;

#[test]
fn bindless_images() {
    let (context, device) = (context(), device());
    let (format, desc) = image();
    let (mut memory, mut level, mut number) = (0, 0, 0);
    let alloc = |format, place| call!(BindlessImagesExp.pfnImageAllocateExp(context, device, format, &desc, place));
    assert_eq!(alloc(null(), &mut memory), NULL_POINTER);
    assert_eq!(alloc(&format, null_mut()), NULL_POINTER);
    assert_eq!((alloc(&format, &mut memory), memory), (SUCCESS, 0x10));
    let found = call!(BindlessImagesExp.pfnMipmapGetLevelExp(context, device, memory, 2, &mut level));
    assert_eq!((found, level), (SUCCESS, 0x12));
    let (mut width, mut size) = (0usize, 0usize);
    let place = (&raw mut width).cast();
    let info = |query, place, size| call!(BindlessImagesExp.pfnImageGetInfoExp(context, memory, query, place, size));
    assert_eq!(info(ImageInfo::WIDTH, place, &mut size), SUCCESS);
    assert_eq!((width, size), (8, size_of::<usize>()));
    assert_eq!(info(ImageInfo::WIDTH, null_mut(), null_mut()), NULL_POINTER);
    assert_eq!(info(ImageInfo(999), place, &mut size), BAD_ENUMERATION);

    let unsampled =
        call!(BindlessImagesExp.pfnUnsampledImageCreateExp(context, device, memory, &format, &desc, &mut number));
    assert_eq!((unsampled, number), (SUCCESS, 0x20));
    let mut sampled = |sampler| {
        let place = &mut number;
        call!(BindlessImagesExp.pfnSampledImageCreateExp(context, device, memory, &format, &desc, sampler, place))
    };
    let sampler = SamplerDesc::default();
    assert_eq!(sampled(null()), NULL_POINTER);
    assert_eq!(sampled(&sampler), SUCCESS);
    for destroyed in [
        call!(BindlessImagesExp.pfnUnsampledImageHandleDestroyExp(context, device, number)),
        call!(BindlessImagesExp.pfnSampledImageHandleDestroyExp(context, device, number)),
        call!(BindlessImagesExp.pfnImageFreeExp(context, device, memory)),
        call!(BindlessImagesExp.pfnMipmapFreeExp(context, device, memory)),
    ] {
        assert_eq!(destroyed, SUCCESS);
    }
    let opaque = ExpImageMemType::OPAQUE_HANDLE;
    let mut yes = [0; 3];
    let [memory, unsampled, sampled] = &mut yes;
    for asked in [
        call!(BindlessImagesExp.pfnGetImageMemoryHandleTypeSupportExp(context, device, &desc, &format, opaque, memory)),
        call!(
            BindlessImagesExp.pfnGetImageUnsampledHandleSupportExp(context, device, &desc, &format, opaque, unsampled)
        ),
        call!(BindlessImagesExp.pfnGetImageSampledHandleSupportExp(context, device, &desc, &format, opaque, sampled)),
    ] {
        assert_eq!(asked, SUCCESS);
    }
    assert_eq!(yes, [1, 1, 0]);
    let wanted = [
        "alloc (UR_IMAGE_CHANNEL_ORDER_RGBA, 8)",
        "handle (16, false)",
        "handle (16, true)",
        "destroy (32, false)",
        "destroy (32, true)",
        "free 16",
        "free 16",
    ];
    assert_eq!(asked(context), wanted);
}

#[test]
fn copies_of_bindless_images() {
    let context = context();
    let queue = queue(context);
    let (format, desc) = image();
    let mut region = ExpImageCopyRegion {
        copyExtent: RectRegion {
            width: 8,
            height: 1,
            depth: 1,
        },
        ..Default::default()
    };
    let src = std::ptr::without_provenance(0x1000);
    let mut copy = |dst: usize, direction, kind| {
        let (dst, none) = (std::ptr::without_provenance_mut(dst), null_mut());
        call!(BindlessImagesExp.pfnImageCopyExp(
            queue,
            src,
            dst,
            &desc,
            &desc,
            &format,
            &format,
            &mut region,
            direction,
            kind,
            0,
            null(),
            none
        ))
    };
    let up = ExpImageCopyFlags::HOST_TO_DEVICE;
    let to_image = ExpImageCopyInputTypes::MEM_TO_IMAGE;
    assert_eq!(copy(0x10, up, to_image), SUCCESS);
    assert_eq!(copy(0, up, to_image), NULL_POINTER);
    assert_eq!(copy(0x10, up, ExpImageCopyInputTypes(77)), BAD_ENUMERATION);
    let wanted = format!("copy (Pointer(0x1000), Memory(16), 8, {up:?})");
    assert_eq!(asked(context), [wanted]);
}

#[test]
fn memory_and_semaphores_of_other_apis() {
    let (context, device) = (context(), device());
    let queue = queue(context);
    let (format, image_desc) = image();
    let descriptor = ExpFileDescriptor {
        fd: 5,
        ..Default::default()
    };
    let chained = (&raw const descriptor).cast();
    let mut supported = 0;
    let kind = ExpExternalMemType::OPAQUE_FD;
    let asks = call!(BindlessImagesExp.pfnSupportsImportingHandleTypeExp(device, kind, &mut supported));
    assert_eq!((asks, supported), (SUCCESS, 1));

    let mut memory = ExpExternalMemHandle::default();
    let mut import = |next| {
        let mut desc = ExpExternalMemDesc {
            pNext: next,
            ..Default::default()
        };
        let place = &mut memory;
        call!(BindlessImagesExp.pfnImportExternalMemoryExp(context, device, 64, kind, &mut desc, place))
    };
    assert_eq!(import(null()), BAD_VALUE);
    assert_eq!(import(chained), SUCCESS);
    let (mut mapped, mut number) = (null_mut(), 0);
    for done in [
        call!(BindlessImagesExp.pfnMapExternalLinearMemoryExp(context, device, 4, 8, memory, &mut mapped)),
        call!(BindlessImagesExp.pfnMapExternalArrayExp(context, device, &format, &image_desc, memory, &mut number)),
        call!(BindlessImagesExp.pfnFreeMappedLinearMemoryExp(context, device, mapped)),
        call!(BindlessImagesExp.pfnReleaseExternalMemoryExp(context, device, memory)),
    ] {
        assert_eq!(done, SUCCESS);
    }
    assert_eq!(number, 0x30);
    let again = call!(BindlessImagesExp.pfnReleaseExternalMemoryExp(context, device, memory));
    assert_eq!(again, BAD_VALUE);

    let mut semaphore = ExpExternalSemaphoreHandle::default();
    let mut desc = ExpExternalSemaphoreDesc {
        pNext: chained,
        ..Default::default()
    };
    let (kind, place) = (ExpExternalSemaphoreType::TIMELINE_FD, &mut semaphore);
    let imported = call!(BindlessImagesExp.pfnImportExternalSemaphoreExp(context, device, kind, &mut desc, place));
    assert_eq!(imported, SUCCESS);
    let none = null_mut();
    for done in [
        call!(BindlessImagesExp.pfnWaitExternalSemaphoreExp(queue, semaphore, true, 9, 0, null(), none)),
        call!(BindlessImagesExp.pfnSignalExternalSemaphoreExp(queue, semaphore, false, 9, 0, null(), none)),
        call!(BindlessImagesExp.pfnReleaseExternalSemaphoreExp(context, device, semaphore)),
    ] {
        assert_eq!(done, SUCCESS);
    }
    let wanted = [
        "memory (64, UR_EXP_EXTERNAL_MEM_TYPE_OPAQUE_FD, Fd(5))",
        "map (Fd(5), 4, 8)",
        "map image Fd(5)",
        "unmap 64",
        "semaphore (UR_EXP_EXTERNAL_SEMAPHORE_TYPE_TIMELINE_FD, Fd(5))",
        "wait (Fd(5), Some(9))",
        "signal (Fd(5), None)",
    ];
    assert_eq!(asked(context), wanted);
}

#[test]
fn exportable_memory() {
    let (context, device) = (context(), device());
    let (mut memory, mut descriptor): (_, c_int) = (null_mut(), 0);
    let kind = ExpExternalMemType::DMA_BUF;
    let mut alloc = |align, size, kind| {
        let place = &mut memory;
        call!(MemoryExportExp.pfnAllocExportableMemoryExp(context, device, align, size, kind, place))
    };
    assert_eq!(alloc(3, 64, kind), ResultCode::ERROR_UNSUPPORTED_ALIGNMENT);
    assert_eq!(alloc(0, 0, kind), ResultCode::ERROR_INVALID_USM_SIZE);
    assert_eq!(alloc(0, 64, ExpExternalMemType(77)), BAD_ENUMERATION);
    assert_eq!(alloc(16, 64, kind), SUCCESS);
    let place = (&raw mut descriptor).cast();
    let export = |memory, place| call!(MemoryExportExp.pfnExportMemoryHandleExp(context, device, kind, memory, place));
    assert_eq!(export(null_mut(), place), NULL_POINTER);
    assert_eq!(export(memory, null_mut()), NULL_POINTER);
    assert_eq!((export(memory, place), descriptor), (SUCCESS, 0x50));
    assert_eq!(
        call!(MemoryExportExp.pfnFreeExportableMemoryExp(context, device, memory)),
        SUCCESS
    );
    let wanted = [
        "exportable (16, 64, UR_EXP_EXTERNAL_MEM_TYPE_DMA_BUF)",
        "free exportable 80",
    ];
    assert_eq!(asked(context), wanted);
}

#[test]
fn host_pipes() {
    let context = context();
    let queue = queue(context);
    let (mut program, il) = (ProgramHandle::default(), [0u32; 5]);
    let size = size_of_val(&il);
    let made = call!(Program.pfnCreateWithIL(context, il.as_ptr().cast(), size, null(), &mut program));
    assert_eq!(made, SUCCESS);
    let mut number = 0u64;
    let place = (&raw mut number).cast();
    let (name, none) = (c"pipe".as_ptr(), null_mut());
    let read = |name, place| call!(Enqueue.pfnReadHostPipe(queue, program, name, true, place, 8, 0, null(), none));
    assert_eq!(read(null(), place), NULL_POINTER);
    assert_eq!(read(name, null_mut()), NULL_POINTER);
    assert_eq!(read(name, place), SUCCESS);
    let written = call!(Enqueue.pfnWriteHostPipe(queue, program, name, false, place, 4, 0, null(), none));
    assert_eq!(written, SUCCESS);
    assert_eq!(asked(context), [r#"read ("pipe", 8)"#, r#"write ("pipe", 4)"#]);
}
