// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Images and bindless images, beyond what the conformance suite and `conformance/sycl/bindless.cpp` ask: what is refused, and
//! memory that is freed while kernels use it.

use std::path::Path;
use std::ptr::{null, null_mut};

use oxur_client::api::*;
use oxur_client::*;
use oxur_conformance_support::{run_test, spirv};

use crate::{Rig, code, loader};

const FLOATS: ImageFormat = ImageFormat {
    channelOrder: ImageChannelOrder::R,
    channelType: ImageChannelType::FLOAT,
};

const SAMPLER: SamplerDesc = SamplerDesc {
    stype: StructureType::SAMPLER_DESC,
    pNext: null_mut(),
    normalizedCoords: false,
    addressingMode: SamplerAddressingMode::CLAMP_TO_EDGE,
    filterMode: SamplerFilterMode::NEAREST,
};

fn plane(width: usize, height: usize) -> ImageDesc {
    ImageDesc {
        r#type: MemType::IMAGE2D,
        width,
        height,
        depth: 0,
        arraySize: 1,
        ..Default::default()
    }
}

/// The functions for bindless images, on a device.
impl Rig {
    fn alloc(&self, format: &ImageFormat, desc: &ImageDesc) -> Result<ExpImageMemNativeHandle> {
        let mut memory = 0;
        let (context, device) = (self.context.raw(), self.device.raw());
        let fns = loader().fns();
        // SAFETY: live handles, and a place for the result.
        unsafe { fns.urBindlessImagesImageAllocateExp(context, device, format, desc, &mut memory) }?;
        Ok(memory)
    }

    fn free(&self, memory: ExpImageMemNativeHandle) -> Result<()> {
        let (context, device) = (self.context.raw(), self.device.raw());
        // SAFETY: live handles; the adapter checks the number.
        unsafe { loader().fns().urBindlessImagesImageFreeExp(context, device, memory) }
    }

    fn handle(&self, memory: usize, format: &ImageFormat, desc: &ImageDesc) -> Result<ExpImageNativeHandle> {
        let mut image = 0;
        let (context, device) = (self.context.raw(), self.device.raw());
        let fns = loader().fns();
        // SAFETY: live handles, and a place for the result; the adapter checks the number.
        unsafe { fns.urBindlessImagesUnsampledImageCreateExp(context, device, memory, format, desc, &mut image) }?;
        Ok(image)
    }

    fn sampled(&self, memory: usize, desc: &ImageDesc, sampler: &SamplerDesc) -> Result<ExpImageNativeHandle> {
        let mut image = 0;
        let (context, device) = (self.context.raw(), self.device.raw());
        let fns = loader().fns();
        // SAFETY: as above.
        unsafe {
            fns.urBindlessImagesSampledImageCreateExp(context, device, memory, &FLOATS, desc, sampler, &mut image)
        }?;
        Ok(image)
    }

    fn destroy(&self, image: ExpImageNativeHandle, is_sampled: bool) -> Result<()> {
        let (context, device, fns) = (self.context.raw(), self.device.raw(), loader().fns());
        // SAFETY: live handles; the adapter checks the number.
        unsafe {
            match is_sampled {
                true => fns.urBindlessImagesSampledImageHandleDestroyExp(context, device, image),
                false => fns.urBindlessImagesUnsampledImageHandleDestroyExp(context, device, image),
            }
        }
    }

    /// Copies a box of floats to image memory, which begins at these bytes, rows and slices.
    fn write(
        &self,
        memory: usize,
        desc: &ImageDesc,
        at: [u64; 3],
        size: [u64; 3],
        source: &[f32],
        pitch: usize,
    ) -> Result<()> {
        let [x, y, z] = at;
        let [width, height, depth] = size;
        let mut region = ExpImageCopyRegion {
            dstOffset: RectOffset { x, y, z },
            copyExtent: RectRegion { width, height, depth },
            ..Default::default()
        };
        let source_desc = ImageDesc {
            width: 0,
            height: 0,
            rowPitch: pitch,
            ..*desc
        };
        let fns = loader().fns();
        // SAFETY: live handles and the memory that a test gives, until the queue is finished.
        unsafe {
            fns.urBindlessImagesImageCopyExp(
                self.queue.raw(),
                source.as_ptr().cast(),
                memory as *mut c_void,
                &source_desc,
                desc,
                &FLOATS,
                &FLOATS,
                &mut region,
                ExpImageCopyFlags::HOST_TO_DEVICE,
                ExpImageCopyInputTypes::MEM_TO_IMAGE,
                0,
                null(),
                null_mut(),
            )
        }?;
        self.queue.finish()
    }
}

#[test]
fn numbers_that_are_no_images() {
    let rig = Rig::new();
    let invalid = ResultCode::ERROR_INVALID_VALUE;
    let desc = plane(8, 4);
    let memory = rig.alloc(&FLOATS, &desc).expect("urBindlessImagesImageAllocateExp");
    for number in [0, 8, usize::MAX, memory + 4, memory + (1 << 30)] {
        assert_eq!(code(rig.free(number)), invalid, "{number:#x}");
        assert_eq!(code(rig.handle(number, &FLOATS, &desc)), invalid, "{number:#x}");
        assert_eq!(code(rig.destroy(number, false)), invalid, "{number:#x}");
    }
    let image = rig.handle(memory, &FLOATS, &desc).expect("an image");
    let sampled = rig.sampled(memory, &desc, &SAMPLER).expect("an image");
    // Neither is the other kind, and none is there twice.
    assert_eq!(code(rig.destroy(image, true)), invalid);
    assert_eq!(code(rig.destroy(sampled, false)), invalid);
    assert_eq!(code(rig.free(image)), invalid);
    for (image, is_sampled) in [(image, false), (sampled, true)] {
        rig.destroy(image, is_sampled).expect("destroyed");
        assert_eq!(code(rig.destroy(image, is_sampled)), invalid);
    }
    rig.free(memory).expect("freed");
    assert_eq!(code(rig.free(memory)), invalid);
    assert_eq!(code(rig.handle(memory, &FLOATS, &desc)), invalid);
}

#[test]
fn descriptions_that_do_not_fit() {
    let rig = Rig::new();
    let format = ResultCode::ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR;
    let memory = rig.alloc(&FLOATS, &plane(8, 4)).expect("image memory");
    // As large pixels of another type are the same memory.
    let numbers = ImageFormat {
        channelType: ImageChannelType::SIGNED_INT32,
        ..FLOATS
    };
    let image = rig.handle(memory, &numbers, &plane(8, 4)).expect("an image");
    rig.destroy(image, false).expect("destroyed");
    let halves = ImageFormat {
        channelType: ImageChannelType::HALF_FLOAT,
        ..FLOATS
    };
    assert_eq!(code(rig.handle(memory, &halves, &plane(8, 4))), format);
    for desc in [plane(9, 4), plane(8, 5), plane(4, 4)] {
        assert_eq!(code(rig.handle(memory, &FLOATS, &desc)), format, "{desc:?}");
    }
    let levels = ImageDesc {
        numMipLevel: 2,
        ..plane(8, 4)
    };
    assert_eq!(code(rig.handle(memory, &FLOATS, &levels)), format);
    rig.free(memory).expect("freed");
    let cube = ImageDesc {
        r#type: MemType::IMAGE_CUBEMAP_EXP,
        arraySize: 5,
        ..plane(8, 8)
    };
    assert_eq!(code(rig.alloc(&FLOATS, &cube)), format);
    let many = ImageDesc {
        numMipLevel: 99,
        ..plane(8, 8)
    };
    assert_eq!(code(rig.alloc(&FLOATS, &many)), ResultCode::ERROR_INVALID_VALUE);
    let huge = plane(1 << 40, 2);
    assert_eq!(code(rig.alloc(&FLOATS, &huge)), ResultCode::ERROR_INVALID_IMAGE_SIZE);
    let packed = ImageFormat {
        channelOrder: ImageChannelOrder::RGB,
        channelType: ImageChannelType::UNORM_SHORT_565,
    };
    assert_eq!(code(rig.alloc(&packed, &plane(8, 8))), format);
}

#[test]
fn memory_that_is_too_short_or_not_aligned() {
    let rig = Rig::new();
    let usm = rig.shared(&[0_f32; 32]);
    let address = usm.ptr().addr();
    let invalid = ResultCode::ERROR_INVALID_VALUE;
    let with_pitch = |height, pitch| ImageDesc {
        rowPitch: pitch,
        ..plane(8, height)
    };
    for (start, desc) in [
        (address, with_pitch(5, 0)),
        (address, with_pitch(4, 36)),
        (address, with_pitch(4, 28)),
        (address, with_pitch(2, 33)),
        (address, with_pitch(2, usize::MAX - 3)),
        (address + 4, with_pitch(4, 0)),
        (address + 2, with_pitch(1, 0)),
    ] {
        assert_eq!(code(rig.handle(start, &FLOATS, &desc)), invalid, "{start:#x} {desc:?}");
    }
    // The last row needs no gap behind it.
    let image = rig.handle(address, &FLOATS, &with_pitch(3, 48)).expect("an image");
    rig.destroy(image, false).expect("destroyed");
    let boxes = ImageDesc {
        r#type: MemType::IMAGE3D,
        depth: 2,
        ..plane(2, 2)
    };
    assert_eq!(code(rig.handle(address, &FLOATS, &boxes)), invalid);
    let on_stack = [0_f32; 32];
    assert_eq!(
        code(rig.handle(on_stack.as_ptr().addr(), &FLOATS, &plane(8, 4))),
        invalid
    );
}

#[test]
fn copies_beyond_the_image() {
    let rig = Rig::new();
    let desc = plane(8, 4);
    let memory = rig.alloc(&FLOATS, &desc).expect("image memory");
    let source = vec![1_f32; 64];
    let write = |at, size| code(rig.write(memory, &desc, at, size, &source, 32));
    assert_eq!(write([0, 0, 0], [32, 4, 1]), ResultCode::SUCCESS);
    assert_eq!(write([16, 1, 0], [16, 3, 0]), ResultCode::SUCCESS);
    for (at, size) in [
        ([4, 0, 0], [32, 4, 1]),
        ([0, 1, 0], [32, 4, 1]),
        ([0, 0, 1], [32, 4, 1]),
        ([0, 0, 0], [36, 1, 1]),
        ([u64::MAX, 0, 0], [4, 1, 1]),
        ([0, u64::MAX, 0], [4, 2, 1]),
        ([0, 0, 0], [0, 1, 1]),
        ([0, 0, 0], [6, 1, 1]),
    ] {
        assert_eq!(write(at, size), ResultCode::ERROR_INVALID_IMAGE_SIZE, "{at:?} {size:?}");
    }
    // Rows that the pitch does not hold, and memory of the context that ends before the box.
    let narrow = rig.write(memory, &desc, [0; 3], [32, 4, 1], &source, 16);
    assert_eq!(code(narrow), ResultCode::ERROR_INVALID_IMAGE_SIZE);
    let short = rig.shared(&[1_f32; 31]);
    // SAFETY: no command uses it.
    let short = rig.write(memory, &desc, [0; 3], [32, 4, 1], unsafe { short.as_slice() }, 32);
    assert_eq!(code(short), ResultCode::ERROR_INVALID_IMAGE_SIZE);
    rig.free(memory).expect("freed");
}

#[test]
fn samplers_that_are_refused() {
    let rig = Rig::new();
    let desc = plane(4, 4);
    let memory = rig.alloc(&FLOATS, &desc).expect("image memory");
    let mut seamless = ExpSamplerCubemapProperties {
        cubemapFilterMode: ExpSamplerCubemapFilterMode::SEAMLESS,
        ..Default::default()
    };
    let sampler = SamplerDesc {
        pNext: (&raw mut seamless).cast(),
        ..SAMPLER
    };
    let refused = rig.sampled(memory, &desc, &sampler);
    assert_eq!(code(refused), ResultCode::ERROR_UNSUPPORTED_FEATURE);
    let says = rig.device.info(DeviceInfo::CUBEMAP_SEAMLESS_FILTERING_SUPPORT_EXP);
    assert!(!says.unwrap_or(true), "the device says so");
    rig.free(memory).expect("freed");
}

#[test]
fn arguments_of_the_wrong_kind() {
    let rig = Rig::new();
    let image = Image::new(&rig.context, MemFlags::READ_WRITE, FLOATS, &plane(4, 4)).expect("urMemImageCreate");
    let modes = (SamplerAddressingMode::CLAMP, SamplerFilterMode::NEAREST);
    let sampler = Sampler::new(&rig.context, false, modes.0, modes.1).expect("urSamplerCreate");
    // A kernel of PTX has neither images nor samplers.
    let kernel = rig.kernel("add");
    let number = 1_u32;
    let usm = rig.shared(&[0_f32; 4]);
    let launch = |first| {
        let args = [
            first,
            Arg::Pointer(usm.ptr()),
            Arg::Pointer(usm.ptr()),
            Arg::value(&number),
        ];
        code(rig.launch(&kernel, &Range::new([1]), &args))
    };
    let wrong = ResultCode::ERROR_INVALID_KERNEL_ARGS;
    assert_eq!(launch(Arg::Mem(&image, MemFlags::READ_WRITE)), wrong);
    assert_eq!(launch(Arg::Sampler(&sampler)), wrong);
    assert_eq!(launch(Arg::Pointer(usm.ptr())), ResultCode::SUCCESS);
    rig.queue.finish().expect("urQueueFinish");
    // One of SPIR-V has what it says, and nothing else.
    let kernel = sampling(&rig);
    let image = Arg::Mem(&image, MemFlags::READ_ONLY);
    let (sampler, usm) = (Arg::Sampler(&sampler), Arg::Pointer(usm.ptr()));
    let buffer = Buffer::new(&rig.context, MemFlags::READ_WRITE, 64).expect("urMemBufferCreate");
    let buffer = Arg::mem(&buffer);
    let launch = |args: [Arg; 4]| code(rig.launch(&kernel, &Range::new([1]), &args));
    assert_eq!(launch([image, sampler, buffer, buffer]), ResultCode::SUCCESS);
    let number = 0_u64;
    let value = Arg::value(&number);
    for args in [
        [usm, sampler, buffer, buffer],
        [value, sampler, buffer, buffer],
        [image, image, buffer, buffer],
        [image, value, buffer, buffer],
        [image, Arg::Local(8), buffer, buffer],
        [image, sampler, image, buffer],
        [image, sampler, sampler, buffer],
    ] {
        assert_eq!(launch(args), wrong);
    }
    assert_eq!(
        launch([buffer, sampler, buffer, buffer]),
        ResultCode::ERROR_INVALID_MEM_OBJECT
    );
    rig.queue.finish().expect("urQueueFinish");
}

/// `sample` of the conformance suite's `images.cl`: an image, a sampler, places, and where the colors go.
fn sampling(rig: &Rig) -> Kernel {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let code = spirv(
        &root.join("conformance/ur/kernels"),
        &root.join("target/kernels"),
        "images",
    );
    let program = Program::with_il(&rig.context, &code).expect("urProgramCreateWithIL");
    program.build(&rig.context, "").expect("urProgramBuild");
    Kernel::new(&program, "sample").expect("urKernelCreate")
}

/// What is released while kernels use it stays until they are complete, and its memory is nobody else's.
#[test]
fn images_that_are_released_in_use() {
    let rig = Rig::new();
    let kernel = sampling(&rig);
    let modes = (SamplerAddressingMode::CLAMP_TO_EDGE, SamplerFilterMode::NEAREST);
    let places = rig.shared(&[0.5_f32; 128]);
    let outs: Vec<Usm> = (0..40).map(|_| rig.shared(&[-1_f32; 256])).collect();
    for (number, out) in outs.iter().enumerate() {
        let mut pixels = [number as f32; 16];
        let flags = MemFlags::READ_ONLY | MemFlags::ALLOC_COPY_HOST_POINTER;
        // SAFETY: 16 floats, which are copied.
        let image = unsafe { Image::with_host(&rig.context, flags, FLOATS, &plane(4, 4), pixels.as_mut_ptr().cast()) }
            .expect("urMemImageCreate");
        let sampler = Sampler::new(&rig.context, false, modes.0, modes.1).expect("urSamplerCreate");
        let args = [
            Arg::Mem(&image, MemFlags::READ_ONLY),
            Arg::Sampler(&sampler),
            Arg::Pointer(places.ptr()),
            Arg::Pointer(out.ptr()),
        ];
        rig.launch(&kernel, &Range::new([64]), &args).expect("launch");
    }
    rig.queue.finish().expect("urQueueFinish");
    for (number, out) in outs.iter().enumerate() {
        // SAFETY: the kernels are complete.
        let colors = unsafe { out.as_slice::<f32>() };
        let expected = [number as f32, 0.0, 0.0, 1.0];
        assert!(colors.chunks(4).all(|color| *color == expected), "{number}: {colors:?}");
    }
}

/// A graph of CUDA keeps the image of a launch, until an update gives it another one.
#[test]
fn images_of_command_buffers() {
    let rig = Rig::new();
    let kernel = sampling(&rig);
    let modes = (SamplerAddressingMode::CLAMP_TO_EDGE, SamplerFilterMode::NEAREST);
    let sampler = Sampler::new(&rig.context, false, modes.0, modes.1).expect("urSamplerCreate");
    let (places, out) = (rig.shared(&[0.5_f32, 0.5]), rig.shared(&[-1_f32; 4]));
    let image = |number: f32| {
        let flags = MemFlags::READ_ONLY | MemFlags::ALLOC_COPY_HOST_POINTER;
        let mut pixels = [number; 16];
        // SAFETY: 16 floats, which are copied.
        unsafe { Image::with_host(&rig.context, flags, FLOATS, &plane(4, 4), pixels.as_mut_ptr().cast()) }
            .expect("urMemImageCreate")
    };
    let settings = CommandBufferSettings {
        updatable: true,
        ..Default::default()
    };
    let buffer = CommandBuffer::new(&rig.context, &rig.device, settings).expect("urCommandBufferCreateExp");
    let first = image(3.0);
    let args = [
        Arg::Mem(&first, MemFlags::READ_ONLY),
        Arg::Sampler(&sampler),
        Arg::Pointer(places.ptr()),
        Arg::Pointer(out.ptr()),
    ];
    // SAFETY: the memory lives until the runs are over.
    let launched = unsafe { buffer.launch(&kernel, &Range::new([1]), &args, &[], Place::after(&[]).handle()) };
    let launched = launched.expect("launch");
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    drop(first);
    let run = || {
        // What would have the memory of an image that is gone.
        let others: Vec<_> = (0..8).map(|_| image(99.0)).collect();
        rig.queue.run(&buffer, &[]).expect("urEnqueueCommandBufferExp");
        rig.queue.finish().expect("urQueueFinish");
        drop(others);
        // SAFETY: the run is complete.
        let colors = unsafe { out.as_slice::<f32>() };
        colors[0]
    };
    assert_eq!(run(), 3.0);
    let second = image(5.0);
    let new = [(0, Arg::Mem(&second, MemFlags::READ_ONLY))];
    // SAFETY: as above.
    unsafe { buffer.update(&[Update::new(launched.command()).args(&new)]) }.expect("update");
    drop(second);
    assert_eq!(run(), 5.0);
}

/// An image of several devices is in memory that all of them reach.
#[test]
fn images_of_several_devices() {
    const CHILD: &str = "OXUR_CUDA_IMAGES";
    let is_real = std::env::var_os("OXUR_CUDA_SYSTEM").is_some();
    if !is_real && std::env::var_os(CHILD).is_none() {
        let variables = [(CHILD, "1"), ("FAKE_CUDA_DEVICES", "2")];
        run_test("images::images_of_several_devices", &variables).passed();
        return;
    }
    let adapters = loader().adapters().expect("urAdapterGet");
    let platform = adapters[0].platforms().expect("urPlatformGet").remove(0);
    let devices = platform.devices().expect("urDeviceGet");
    assert!(is_real || devices.len() == 2);
    let context = Context::new(&devices.iter().collect::<Vec<_>>()).expect("urContextCreate");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let code = spirv(
        &root.join("conformance/ur/kernels"),
        &root.join("target/kernels"),
        "images",
    );
    let program = Program::with_il(&context, &code).expect("urProgramCreateWithIL");
    program.build(&context, "").expect("urProgramBuild");
    let flags = MemFlags::READ_WRITE | MemFlags::ALLOC_COPY_HOST_POINTER;
    let mut pixels = [7.0_f32; 16];
    // SAFETY: 16 floats, which are copied.
    let image = unsafe { Image::with_host(&context, flags, FLOATS, &plane(4, 4), pixels.as_mut_ptr().cast()) }
        .expect("urMemImageCreate");
    for (number, device) in devices.iter().enumerate() {
        let queue = Queue::new(&context, device, QueueFlags::empty()).expect("urQueueCreate");
        let memory =
            |values: usize| Usm::shared(&context, device, 4 * values, UsmRequest::default()).expect("urUSMSharedAlloc");
        let (out, mut colors) = (memory(64), memory(64));
        // SAFETY: new memory, which no command uses yet.
        unsafe { colors.as_mut_slice::<f32>() }.fill(number as f32);
        let range = Range::new([4, 4]);
        let [fetch, store] = ["fetch", "store"].map(|name| Kernel::new(&program, name).expect("urKernelCreate"));
        let read = [Arg::Mem(&image, MemFlags::READ_ONLY), Arg::Pointer(out.ptr())];
        let write = [Arg::Mem(&image, MemFlags::WRITE_ONLY), Arg::Pointer(colors.ptr())];
        // SAFETY: the memory has 16 colors, and lives until the queue is finished.
        unsafe {
            queue.launch(&fetch, &range, &read, &[]).expect("launch");
            queue.launch(&store, &range, &write, &[]).expect("launch");
        }
        queue.finish().expect("urQueueFinish");
        let expected = if number == 0 { 7.0 } else { number as f32 - 1.0 };
        // SAFETY: the kernels are complete.
        let found = unsafe { out.as_slice::<f32>() };
        assert!(found.chunks(4).all(|color| color[0] == expected), "{number}: {found:?}");
    }
}

#[test]
fn levels_are_parts_of_image_memory() {
    let rig = Rig::new();
    let desc = ImageDesc {
        numMipLevel: 3,
        ..plane(8, 4)
    };
    let memory = rig.alloc(&FLOATS, &desc).expect("image memory");
    let level = |memory, number| {
        let mut level = 0;
        let (context, device) = (rig.context.raw(), rig.device.raw());
        let fns = loader().fns();
        // SAFETY: live handles, and a place for the result.
        unsafe { fns.urBindlessImagesMipmapGetLevelExp(context, device, memory, number, &mut level) }?;
        Ok(level)
    };
    let invalid = ResultCode::ERROR_INVALID_VALUE;
    let second = level(memory, 1).expect("a level");
    assert_eq!(
        level(second, 1).expect("a level of a level"),
        level(memory, 2).expect("a level")
    );
    assert_eq!(code(level(memory, 3)), invalid);
    let width = |memory| {
        let mut width = 0_usize;
        let fns = loader().fns();
        let (query, at) = (ImageInfo::WIDTH, (&raw mut width).cast());
        // SAFETY: a live context, and a place for the answer.
        unsafe { fns.urBindlessImagesImageGetInfoExp(rig.context.raw(), memory, query, at, null_mut()) }
            .expect("urBindlessImagesImageGetInfoExp");
        width
    };
    assert_eq!((width(memory), width(second)), (8, 4));
    let image = rig.handle(second, &FLOATS, &plane(4, 2)).expect("an image of a level");
    rig.destroy(image, false).expect("destroyed");
    // A level is not freed by itself.
    assert_eq!(code(rig.free(second)), invalid);
    rig.free(memory).expect("freed");
}
