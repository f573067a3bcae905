// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Bindless images, where there are some: image memory, handles for kernels, copies, and what is refused.

use std::ptr::{null, null_mut};

use oxur_conformance::api::*;
use oxur_conformance::client::{Arg, Event, Kernel, Program, Queue, Range, Usm, UsmRequest};
use oxur_conformance::{Rig, UserEvent, expect, loader, spirv, ur};

/// The bytes of a pixel of [`FLOATS`].
const PIXEL: usize = 16;
const FLOATS: ImageFormat = ImageFormat {
    channelOrder: ImageChannelOrder::RGBA,
    channelType: ImageChannelType::FLOAT,
};

type Places = ExpImageCopyInputTypes;

fn desc(kind: MemType, [width, height, depth]: [usize; 3]) -> ImageDesc {
    let is_array = matches!(kind, MemType::IMAGE1D_ARRAY | MemType::IMAGE2D_ARRAY);
    ImageDesc {
        r#type: kind,
        width,
        height,
        depth: if is_array { 0 } else { depth },
        arraySize: if is_array { depth } else { 0 },
        ..Default::default()
    }
}

fn plane() -> ImageDesc {
    desc(MemType::IMAGE2D, [8, 4, 0])
}

/// A rig on a device that has bindless images; without them the functions say so.
fn rig() -> Option<Rig> {
    let rig = Rig::new();
    if rig.supports(DeviceInfo::BINDLESS_IMAGES_SUPPORT_EXP, "bindless images") {
        return Some(rig);
    }
    let mut memory = 0;
    expect!(alloc(&rig, &FLOATS, &plane(), &mut memory), ERROR_UNSUPPORTED_FEATURE);
    None
}

fn alloc(rig: &Rig, format: &ImageFormat, desc: &ImageDesc, memory: &mut usize) -> ResultCode {
    ur!(urBindlessImagesImageAllocateExp(
        rig.context.raw(),
        rig.device.raw(),
        format,
        desc,
        memory
    ))
}

fn allocated(rig: &Rig, desc: &ImageDesc) -> usize {
    let mut memory = 0;
    expect!(alloc(rig, &FLOATS, desc, &mut memory), SUCCESS);
    memory
}

fn free(rig: &Rig, memory: usize) -> ResultCode {
    ur!(urBindlessImagesImageFreeExp(
        rig.context.raw(),
        rig.device.raw(),
        memory
    ))
}

fn unsampled(rig: &Rig, memory: usize, desc: &ImageDesc, handle: &mut usize) -> ResultCode {
    ur!(urBindlessImagesUnsampledImageCreateExp(
        rig.context.raw(),
        rig.device.raw(),
        memory,
        &FLOATS,
        desc,
        handle
    ))
}

fn destroy(rig: &Rig, handle: usize) -> ResultCode {
    ur!(urBindlessImagesUnsampledImageHandleDestroyExp(
        rig.context.raw(),
        rig.device.raw(),
        handle
    ))
}

/// One side of a copy.
#[derive(Clone, Copy)]
struct Side<'a> {
    at: usize,
    desc: &'a ImageDesc,
    format: &'a ImageFormat,
    offset: [u64; 3],
}

impl<'a> Side<'a> {
    fn new(at: usize, desc: &'a ImageDesc, offset: [u64; 3]) -> Self {
        let format = &FLOATS;
        Self {
            at,
            desc,
            format,
            offset,
        }
    }
}

/// Offsets are in pixels here.
fn copy(
    queue: &Queue,
    places: Places,
    from: Side,
    to: Side,
    size: [u64; 3],
    wait: &[&Event],
) -> Result<Event, ResultCode> {
    let offset = |[x, y, z]: [u64; 3]| RectOffset {
        x: x * PIXEL as u64,
        y,
        z,
    };
    let mut region = ExpImageCopyRegion {
        srcOffset: offset(from.offset),
        dstOffset: offset(to.offset),
        copyExtent: RectRegion {
            width: size[0] * PIXEL as u64,
            height: size[1],
            depth: size[2],
        },
        ..Default::default()
    };
    let wait: Vec<_> = wait.iter().map(|event| event.raw()).collect();
    let mut event = EventHandle::default();
    let code = ur!(urBindlessImagesImageCopyExp(
        queue.raw(),
        from.at as *const c_void,
        to.at as *mut c_void,
        from.desc,
        to.desc,
        from.format,
        to.format,
        &mut region,
        ExpImageCopyFlags::DEVICE_TO_DEVICE,
        places,
        wait.len() as u32,
        if wait.is_empty() { null() } else { wait.as_ptr() },
        &mut event
    ));
    match code {
        // SAFETY: a new event with one reference.
        ResultCode::SUCCESS => Ok(unsafe { Event::from_raw(loader(), event) }),
        code => Err(code),
    }
}

fn numbers(count: usize) -> Vec<[f32; 4]> {
    (0..count)
        .map(|i| [i as f32, -(i as f32), 0.5, i as f32 * i as f32])
        .collect()
}

/// Writes all pixels of an image whose sides are these.
fn fill(rig: &Rig, memory: usize, desc: &ImageDesc, size: [u64; 3], pixels: &[[f32; 4]]) {
    let from = Side::new(pixels.as_ptr() as usize, desc, [0; 3]);
    let to = Side::new(memory, desc, [0; 3]);
    let event = copy(&rig.queue, Places::MEM_TO_IMAGE, from, to, size, &[]).expect("a copy");
    event.wait().expect("urEventWait");
}

fn read(rig: &Rig, memory: usize, desc: &ImageDesc, size: [u64; 3], wait: &[&Event]) -> Vec<[f32; 4]> {
    let mut pixels = vec![[0.0; 4]; size.iter().product::<u64>() as usize];
    let from = Side::new(memory, desc, [0; 3]);
    let to = Side::new(pixels.as_mut_ptr() as usize, desc, [0; 3]);
    let event = copy(&rig.queue, Places::IMAGE_TO_MEM, from, to, size, wait).expect("a copy");
    event.wait().expect("urEventWait");
    pixels
}

fn kernel(rig: &Rig, name: &str) -> Kernel {
    let program = Program::with_il(&rig.context, &spirv("bindless")).expect("urProgramCreateWithIL");
    program.build(&rig.context, "").expect("urProgramBuild");
    Kernel::new(&program, name).expect("urKernelCreate")
}

/// Copies of all kinds of images, whole and in part. The model is a box of pixels on the host.
#[test]
fn copies() {
    let Some(rig) = rig() else { return };
    for (kind, size, from, to, part) in [
        (MemType::IMAGE1D, [16, 1, 1], [3, 0, 0], [5, 0, 0], [4, 1, 1]),
        (MemType::IMAGE2D, [8, 4, 1], [1, 2, 0], [4, 0, 0], [3, 2, 1]),
        (MemType::IMAGE3D, [8, 4, 3], [1, 2, 1], [4, 0, 0], [3, 2, 2]),
        (MemType::IMAGE1D_ARRAY, [8, 1, 4], [1, 0, 2], [4, 0, 0], [3, 1, 2]),
        (MemType::IMAGE2D_ARRAY, [8, 4, 3], [1, 2, 1], [4, 0, 0], [3, 2, 2]),
    ] {
        let desc = desc(kind, size.map(|side: u64| side as usize));
        let pixels = numbers(size.iter().product::<u64>() as usize);
        let [one, other] = [allocated(&rig, &desc), allocated(&rig, &desc)];
        fill(&rig, one, &desc, size, &pixels);
        assert_eq!(read(&rig, one, &desc, size, &[]), pixels, "{kind:?}");
        let blank = vec![[9.0; 4]; pixels.len()];
        let at = |[x, y, z]: [u64; 3]| ((z * size[1] + y) * size[0] + x) as usize;
        let mut expected = blank.clone();
        for z in 0..part[2] {
            for y in 0..part[1] {
                for x in 0..part[0] {
                    expected[at([to[0] + x, to[1] + y, to[2] + z])] =
                        pixels[at([from[0] + x, from[1] + y, from[2] + z])];
                }
            }
        }
        // From image to image, from the host's memory, and to it.
        fill(&rig, other, &desc, size, &blank);
        let (a, b) = (Side::new(one, &desc, from), Side::new(other, &desc, to));
        let event = copy(&rig.queue, Places::IMAGE_TO_IMAGE, a, b, part, &[]).expect("a copy");
        assert_eq!(read(&rig, other, &desc, size, &[&event]), expected, "{kind:?}");
        fill(&rig, other, &desc, size, &blank);
        let a = Side::new(pixels.as_ptr() as usize, &desc, from);
        let event = copy(&rig.queue, Places::MEM_TO_IMAGE, a, b, part, &[]).expect("a copy");
        assert_eq!(read(&rig, other, &desc, size, &[&event]), expected, "{kind:?}");
        let mut found = blank.clone();
        let (a, b) = (
            Side::new(one, &desc, from),
            Side::new(found.as_mut_ptr() as usize, &desc, to),
        );
        let event = copy(&rig.queue, Places::IMAGE_TO_MEM, a, b, part, &[]).expect("a copy");
        event.wait().expect("urEventWait");
        assert_eq!(found, expected, "{kind:?}");
        let mut found = blank.clone();
        let (a, b) = (
            Side::new(pixels.as_ptr() as usize, &desc, from),
            Side::new(found.as_mut_ptr() as usize, &desc, to),
        );
        let event = copy(&rig.queue, Places::MEM_TO_MEM, a, b, part, &[]).expect("a copy");
        event.wait().expect("urEventWait");
        assert_eq!(found, expected, "{kind:?}");
        for memory in [one, other] {
            expect!(free(&rig, memory), SUCCESS);
        }
    }
}

/// Rows of USM are as far apart as the description says.
#[test]
fn pitched_memory() {
    let Some(rig) = rig() else { return };
    let (mut memory, mut pitch) = (null_mut(), 0);
    let got = ur!(urUSMPitchedAllocExp(
        rig.context.raw(),
        rig.device.raw(),
        null(),
        UsmPoolHandle::default(),
        5 * PIXEL,
        4,
        PIXEL,
        &mut memory,
        &mut pitch
    ));
    assert_eq!(got, ResultCode::SUCCESS);
    assert!(pitch >= 5 * PIXEL, "{pitch}");
    let plain = desc(MemType::IMAGE2D, [5, 4, 0]);
    let pitched = ImageDesc {
        rowPitch: pitch,
        ..plain
    };
    let pixels = numbers(20);
    let from = Side::new(pixels.as_ptr() as usize, &plain, [0; 3]);
    let to = Side::new(memory as usize, &pitched, [0; 3]);
    let event = copy(&rig.queue, Places::MEM_TO_MEM, from, to, [5, 4, 1], &[]).expect("a copy");
    let (mut handle, mut target) = (0, 0);
    expect!(unsampled(&rig, memory as usize, &pitched, &mut handle), SUCCESS);
    let out = allocated(&rig, &plain);
    expect!(unsampled(&rig, out, &plain, &mut target), SUCCESS);
    let args = [Arg::value(&handle), Arg::value(&target)];
    // SAFETY: the kernel reads and writes images by their handles.
    let event = unsafe {
        rig.queue
            .launch(&kernel(&rig, "add_one"), &Range::new([5, 4]), &args, &[&event])
    };
    let found = read(&rig, out, &plain, [5, 4, 1], &[&event.expect("launch")]);
    let expected: Vec<_> = pixels.iter().map(|pixel| pixel.map(|channel| channel + 1.0)).collect();
    assert_eq!(found, expected);
    for handle in [handle, target] {
        expect!(destroy(&rig, handle), SUCCESS);
    }
    expect!(free(&rig, out), SUCCESS);
    expect!(ur!(urUSMFree(rig.context.raw(), memory)), SUCCESS);
}

/// Copies and kernels wait for the events of their lists. All are enqueued before the first one runs.
#[test]
fn in_order() {
    let Some(rig) = rig() else { return };
    let flags = QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE;
    let queue = Queue::new(&rig.context, &rig.device, flags).expect("urQueueCreate");
    let gate = UserEvent::new(&queue);
    let first: Vec<_> = gate.iter().map(|gate| &gate.event).collect();
    let (desc, size) = (plane(), [8, 4, 1]);
    let pixels = numbers(32);
    let memory = [allocated(&rig, &desc), allocated(&rig, &desc)];
    let handles = memory.map(|memory| {
        let mut handle = 0;
        expect!(unsampled(&rig, memory, &desc, &mut handle), SUCCESS);
        handle
    });
    let add_one = kernel(&rig, "add_one");
    let from = Side::new(pixels.as_ptr() as usize, &desc, [0; 3]);
    let to = Side::new(memory[0], &desc, [0; 3]);
    let mut last = copy(&queue, Places::MEM_TO_IMAGE, from, to, size, &first).expect("a copy");
    for round in 0..6 {
        let args = [Arg::value(&handles[round % 2]), Arg::value(&handles[1 - round % 2])];
        // SAFETY: the kernel reads and writes images by their handles.
        last = unsafe { queue.launch(&add_one, &Range::new([8, 4]), &args, &[&last]) }.expect("launch");
    }
    let mut found = vec![[0.0; 4]; 32];
    let from = Side::new(memory[0], &desc, [0; 3]);
    let to = Side::new(found.as_mut_ptr() as usize, &desc, [0; 3]);
    let read = copy(&queue, Places::IMAGE_TO_MEM, from, to, size, &[&last]).expect("a copy");
    if let Some(gate) = gate {
        gate.complete();
    }
    read.wait().expect("urEventWait");
    let expected: Vec<_> = pixels.iter().map(|pixel| pixel.map(|channel| channel + 6.0)).collect();
    assert_eq!(found, expected);
}

/// What a sampler gives between the pixels of a row, and beyond its end.
#[test]
fn samples() {
    let Some(rig) = rig() else { return };
    let (desc, size) = (plane(), [8, 4, 1]);
    let memory = allocated(&rig, &desc);
    fill(&rig, memory, &desc, size, &numbers(32));
    let where_: [[f32; 2]; 4] = [[0.5, 0.5], [2.0, 0.5], [-3.0, 2.5], [20.0, 9.0]];
    let places = Usm::host(&rig.context, size_of_val(&where_), UsmRequest::default()).expect("urUSMHostAlloc");
    let out = Usm::host(&rig.context, 4 * PIXEL, UsmRequest::default()).expect("urUSMHostAlloc");
    // SAFETY: the memory has room for that.
    unsafe { places.ptr().cast::<[[f32; 2]; 4]>().write(where_) };
    for (filter, expected) in [
        (SamplerFilterMode::NEAREST, [0.0, 2.0, 16.0, 31.0]),
        (SamplerFilterMode::LINEAR, [0.0, 1.5, 16.0, 31.0]),
    ] {
        let sampler = SamplerDesc {
            normalizedCoords: false,
            addressingMode: SamplerAddressingMode::CLAMP_TO_EDGE,
            filterMode: filter,
            ..Default::default()
        };
        let mut handle = 0;
        let create = |sampler: &SamplerDesc, handle: &mut usize| {
            ur!(urBindlessImagesSampledImageCreateExp(
                rig.context.raw(),
                rig.device.raw(),
                memory,
                &FLOATS,
                &desc,
                sampler,
                handle
            ))
        };
        expect!(create(&sampler, &mut handle), SUCCESS);
        let args = [Arg::value(&handle), Arg::Pointer(places.ptr()), Arg::Pointer(out.ptr())];
        // SAFETY: the kernel reads four places and writes four colors.
        let event = unsafe { rig.queue.launch(&kernel(&rig, "sample"), &Range::new([4]), &args, &[]) };
        event.expect("launch").wait().expect("urEventWait");
        // SAFETY: four colors, and no command writes them any more.
        let found = unsafe { *out.ptr().cast::<[[f32; 4]; 4]>() }.map(|color| color[0]);
        assert_eq!(found, expected, "{filter:?}");
        let destroyed = ur!(urBindlessImagesSampledImageHandleDestroyExp(
            rig.context.raw(),
            rig.device.raw(),
            handle
        ));
        assert_eq!(destroyed, ResultCode::SUCCESS);
        // One mode for each dimension.
        let mut modes = ExpSamplerAddrModes {
            addrModes: [
                SamplerAddressingMode::CLAMP,
                SamplerAddressingMode::REPEAT,
                SamplerAddressingMode::CLAMP,
            ],
            ..Default::default()
        };
        let sampler = SamplerDesc {
            pNext: (&raw mut modes).cast(),
            ..sampler
        };
        let by_dimension = DeviceInfo::BINDLESS_UNIQUE_ADDRESSING_PER_DIM_SUPPORT_EXP;
        if !rig.device.info::<bool>(by_dimension).expect("a truth value") {
            expect!(create(&sampler, &mut handle), ERROR_UNSUPPORTED_FEATURE);
        }
    }
    expect!(free(&rig, memory), SUCCESS);
}

/// The queries for support agree with what is created.
#[test]
fn support() {
    let Some(rig) = rig() else { return };
    let packed = ImageFormat {
        channelOrder: ImageChannelOrder::RGB,
        channelType: ImageChannelType::UNORM_SHORT_565,
    };
    for (format, desc) in [
        (FLOATS, plane()),
        (FLOATS, desc(MemType::IMAGE3D, [4, 4, 4])),
        (FLOATS, desc(MemType::IMAGE2D_ARRAY, [4, 4, 4])),
        (FLOATS, desc(MemType::IMAGE_CUBEMAP_EXP, [4, 4, 6])),
        (
            FLOATS,
            ImageDesc {
                numMipLevel: 3,
                ..plane()
            },
        ),
        (packed, plane()),
    ] {
        let mut supported = 2;
        let got = ur!(urBindlessImagesGetImageMemoryHandleTypeSupportExp(
            rig.context.raw(),
            rig.device.raw(),
            &desc,
            &format,
            ExpImageMemType::OPAQUE_HANDLE,
            (&raw mut supported).cast()
        ));
        assert_eq!(got, ResultCode::SUCCESS);
        let mut memory = 0;
        let created = alloc(&rig, &format, &desc, &mut memory);
        assert_eq!(
            created == ResultCode::SUCCESS,
            supported & 0xff == 1,
            "{desc:?}: {created:?}"
        );
        match created {
            ResultCode::SUCCESS => {
                expect!(free(&rig, memory), SUCCESS);
            }
            _ => assert!(
                matches!(
                    created,
                    ResultCode::ERROR_UNSUPPORTED_FEATURE | ResultCode::ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR
                ),
                "{created:?}"
            ),
        }
    }
}

#[test]
fn refused() {
    let Some(rig) = rig() else { return };
    let (desc, size) = (plane(), [8, 4, 1]);
    let memory = allocated(&rig, &desc);
    let mut handle = 0;
    // Neither image memory nor USM.
    let mut outside = [0_u8; 64];
    let strange = outside.as_mut_ptr() as usize;
    assert_ne!(unsampled(&rig, strange, &desc, &mut handle), ResultCode::SUCCESS);
    let deep = self::desc(MemType::IMAGE3D, [4, 4, 4]);
    assert_ne!(unsampled(&rig, strange, &deep, &mut handle), ResultCode::SUCCESS);
    expect!(free(&rig, strange), ERROR_INVALID_VALUE);
    expect!(destroy(&rig, strange), ERROR_INVALID_VALUE);
    // A view is not larger than its image.
    let larger = self::desc(MemType::IMAGE2D, [80, 40, 0]);
    assert_ne!(unsampled(&rig, memory, &larger, &mut handle), ResultCode::SUCCESS);
    // Copies that leave the image, divide pixels, or convert them.
    let pixels = numbers(64);
    let from = Side::new(pixels.as_ptr() as usize, &desc, [0; 3]);
    let to = |offset| Side::new(memory, &desc, offset);
    let into = |from, to, size| copy(&rig.queue, Places::MEM_TO_IMAGE, from, to, size, &[]).err();
    for (offset, size) in [
        ([1, 0, 0], size),
        ([0, 1, 0], size),
        ([0, 0, 1], size),
        ([0; 3], [0, 4, 1]),
    ] {
        assert_eq!(
            into(from, to(offset), size),
            Some(ResultCode::ERROR_INVALID_IMAGE_SIZE),
            "{offset:?}"
        );
    }
    let bytes = ImageFormat {
        channelOrder: ImageChannelOrder::RGBA,
        channelType: ImageChannelType::UNSIGNED_INT8,
    };
    let narrow = Side { format: &bytes, ..from };
    assert_ne!(into(narrow, to([0; 3]), size), None);
    assert_ne!(into(from, Side::new(strange, &desc, [0; 3]), size), None);
    // Handles go once.
    expect!(unsampled(&rig, memory, &desc, &mut handle), SUCCESS);
    expect!(destroy(&rig, handle), SUCCESS);
    expect!(destroy(&rig, handle), ERROR_INVALID_VALUE);
    expect!(free(&rig, memory), SUCCESS);
    expect!(free(&rig, memory), ERROR_INVALID_VALUE);
}

#[test]
fn info() {
    let Some(rig) = rig() else { return };
    let desc = desc(MemType::IMAGE3D, [8, 4, 2]);
    let memory = allocated(&rig, &desc);
    let ask = |query, value: *mut c_void| {
        ur!(urBindlessImagesImageGetInfoExp(
            rig.context.raw(),
            memory,
            query,
            value,
            null_mut()
        ))
    };
    for (query, expected) in [(ImageInfo::WIDTH, 8), (ImageInfo::HEIGHT, 4), (ImageInfo::DEPTH, 2)] {
        let mut value = 0_usize;
        assert_eq!(ask(query, (&raw mut value).cast()), ResultCode::SUCCESS);
        assert_eq!(value, expected, "{query:?}");
    }
    let mut format = ImageFormat::default();
    assert_eq!(ask(ImageInfo::FORMAT, (&raw mut format).cast()), ResultCode::SUCCESS);
    assert_eq!(
        (format.channelOrder, format.channelType),
        (FLOATS.channelOrder, FLOATS.channelType)
    );
    expect!(free(&rig, memory), SUCCESS);
}
