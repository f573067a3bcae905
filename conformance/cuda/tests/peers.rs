// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Contexts of two devices: commands of each on memory of the other, where they are peers and where they are not. The driver
//! without a GPU shows both; each test runs in processes of its own, in which commands begin late, so that what does not wait
//! shows. A real driver with two GPUs has one of the ways.

use std::ffi::c_void;

use oxur_client::api::*;
use oxur_client::*;
use oxur_conformance_support::run_test;

use crate::loader;

/// Two devices, a context of both, and a queue of the first, whose commands use memory of the second.
struct Pair {
    devices: [Device; 2],
    context: Context,
    queue: Queue,
    /// Whether the first reaches the memory of the second.
    are_peers: bool,
}

/// What the log says of a command buffer that is no graph.
const NO_GRAPH: &str = "the commands of a command buffer are submitted one by one";

const CHILD: &str = "OXUR_CUDA_PEERS";

/// Runs a test of this file on both kinds of pairs, with all kinds of queues. Returns the logs of the two: of peers first.
fn on_pairs(test: &str, run: impl Fn(&Pair)) -> Option<[String; 2]> {
    if std::env::var_os(CHILD).is_none() {
        return Some(["1", "0"].map(|peers| {
            let variables = [
                (CHILD, "1"),
                ("FAKE_CUDA_DEVICES", "2"),
                ("FAKE_CUDA_PEERS", peers),
                ("FAKE_CUDA_DELAY", "300"),
                ("UR_LOG_CUDA", "level:debug;output:stderr"),
            ];
            run_test(&format!("peers::{test}"), &variables).passed().log
        }));
    }
    let adapters = loader().adapters().expect("urAdapterGet");
    let devices = adapters[0].platforms().expect("urPlatformGet")[0]
        .devices()
        .expect("urDeviceGet");
    let [first, second, ..] = &devices[..] else {
        println!("there is one device");
        return None;
    };
    for (device, other) in [(first, second), (second, first)] {
        let (mut value, query) = (0, ExpPeerInfo::UR_PEER_ACCESS_SUPPORT);
        let to = (&raw mut value).cast();
        // SAFETY: live devices, and a place for a number.
        let asked = unsafe {
            loader()
                .fns()
                .urUsmP2PPeerAccessGetInfoExp(device.raw(), other.raw(), query, 4, to, std::ptr::null_mut())
        };
        asked.expect("urUsmP2PPeerAccessGetInfoExp");
        for flags in [QueueFlags::empty(), QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE] {
            let context = Context::new(&[first, second]).expect("urContextCreate");
            let queue = Queue::new(&context, device, flags).expect("urQueueCreate");
            run(&Pair {
                devices: [device.clone(), other.clone()],
                context,
                queue,
                are_peers: value != 0,
            });
        }
    }
    None
}

impl Pair {
    /// Memory of the first device, or of the second.
    fn memory(&self, device: usize, size: usize) -> Usm {
        Usm::device(&self.context, &self.devices[device], size, UsmRequest::default()).expect("urUSMDeviceAlloc")
    }

    fn host(&self, size: usize) -> Usm {
        Usm::host(&self.context, size, UsmRequest::default()).expect("urUSMHostAlloc")
    }

    /// A queue of the device that has the memory.
    fn queue_of(&self, device: usize) -> Queue {
        Queue::new(&self.context, &self.devices[device], QueueFlags::empty()).expect("urQueueCreate")
    }

    fn copy(&self, to: *mut c_void, from: *const c_void, size: usize, wait: &[&Event]) -> Event {
        // SAFETY: the tests give memory of this size, which lives until they have waited.
        unsafe { self.queue.memcpy(false, to, from, size, wait) }.expect("urEnqueueUSMMemcpy")
    }
}

/// Bytes that differ.
fn numbers(size: usize) -> Vec<u8> {
    (0..size).map(|at| (at * 7 + at / 251) as u8).collect()
}

/// From the host, pinned or not, to the other device, from there to the own one and back, within the other one, to the host.
#[test]
fn copies() {
    on_pairs("copies", |pair| {
        for (size, pinned) in [
            (1000, false),
            (1000, true),
            (700 << 10, false),
            (3 << 20, false),
            (3 << 20, true),
        ] {
            let from = numbers(size);
            let (mut to, near) = (vec![0_u8; size], pair.memory(0, size));
            let [far, farther, farthest] = [1, 1, 1].map(|device| pair.memory(device, size));
            let [mut up, down] = [pair.host(size), pair.host(size)];
            // SAFETY: new memory of this size.
            unsafe { up.as_mut_slice::<u8>() }.copy_from_slice(&from);
            let first = match pinned {
                true => pair.copy(far.ptr(), up.ptr(), size, &[]),
                false => pair.copy(far.ptr(), from.as_ptr().cast(), size, &[]),
            };
            let second = pair.copy(near.ptr(), far.ptr(), size, &[&first]);
            let third = pair.copy(farther.ptr(), near.ptr(), size, &[&second]);
            let fourth = pair.copy(farthest.ptr(), farther.ptr(), size, &[&third]);
            let last = match pinned {
                true => pair.copy(down.ptr(), farthest.ptr(), size, &[&fourth]),
                false => pair.copy(to.as_mut_ptr().cast(), farthest.ptr(), size, &[&fourth]),
            };
            last.wait().expect("urEventWait");
            if pinned {
                // SAFETY: the copy is complete.
                to.copy_from_slice(unsafe { down.as_slice() });
            }
            assert!(to == from, "{size} bytes, pinned: {pinned}");
        }
    });
}

/// The same with rows that are apart.
#[test]
fn boxes() {
    on_pairs("boxes", |pair| {
        const SIZE: usize = 64 * 40;
        let from = numbers(SIZE);
        let (near, far, farther) = (pair.memory(0, SIZE), pair.memory(1, SIZE), pair.memory(1, SIZE));
        let mut to = vec![0_u8; SIZE];
        let places = [far.ptr(), near.ptr(), farther.ptr(), to.as_mut_ptr().cast()];
        let mut before = pair.copy(far.ptr(), from.as_ptr().cast(), SIZE, &[]);
        for place in [near.ptr(), farther.ptr()] {
            // SAFETY: memory of this size, which lives to the end.
            before = unsafe { pair.queue.memset(place, &[9_u8], SIZE, &[&before]) }.expect("urEnqueueUSMFill");
        }
        to.fill(9);
        for two in places.windows(2) {
            let (from, to) = ((two[0].cast_const(), 64), (two[1], 64));
            // SAFETY: 40 rows of 64 bytes, which live to the end.
            before =
                unsafe { pair.queue.memcpy_2d(false, to, from, 50, 40, &[&before]) }.expect("urEnqueueUSMMemcpy2D");
        }
        before.wait().expect("urEventWait");
        for (row, (to, from)) in to.chunks(64).zip(from.chunks(64)).enumerate() {
            assert!(to[..50] == from[..50] && to[50..] == [9; 14], "row {row}: {to:?}");
        }
    });
}

fn check_fill<const N: usize>(pair: &Pair) {
    const COUNT: usize = 96;
    let far = pair.memory(1, COUNT * N + 8);
    let pattern: [u8; N] = std::array::from_fn(|at| at as u8 + 1);
    let mut found = vec![0_u8; COUNT * N + 8];
    // SAFETY: memory of these sizes, which lives to the end.
    unsafe {
        let all = pair.queue.memset(far.ptr(), &[0xaa_u8], COUNT * N + 8, &[]);
        let all = all.expect("urEnqueueUSMFill");
        let filled = pair.queue.memset(far.ptr(), &pattern, COUNT * N, &[&all]);
        let filled = filled.expect("urEnqueueUSMFill");
        let rows = pair.queue.memset_2d((far.ptr(), 8 * N), &pattern, N, 12, &[&filled]);
        let rows = rows.expect("urEnqueueUSMFill2D");
        let to = found.as_mut_ptr().cast();
        let queue = pair.queue_of(1);
        queue
            .memcpy(true, to, far.ptr(), COUNT * N + 8, &[&rows])
            .expect("urEnqueueUSMMemcpy");
    }
    let (filled, behind) = found.split_at(COUNT * N);
    assert!(
        filled.chunks(N).all(|chunk| chunk == pattern),
        "a pattern of {N} bytes: {filled:?}"
    );
    assert_eq!(behind, [0xaa; 8]);
}

/// With patterns of one call of the driver, of some, and those that are copied.
#[test]
fn fills() {
    on_pairs("fills", |pair| {
        check_fill::<1>(pair);
        check_fill::<2>(pair);
        check_fill::<4>(pair);
        check_fill::<8>(pair);
        check_fill::<16>(pair);
        check_fill::<128>(pair);
    });
}

/// Command buffers and captured graphs. They are graphs of CUDA where the devices are peers.
#[test]
fn graphs() {
    const SIZE: usize = 4096;
    let logs = on_pairs("graphs", |pair| {
        let (near, far, farther) = (pair.memory(0, SIZE), pair.memory(1, SIZE), pair.memory(1, SIZE));
        let queue = pair.queue_of(1);
        let check = |what: &str, run: &dyn Fn()| {
            for round in 0..3_u8 {
                let mut found = vec![0_u8; SIZE];
                let from = vec![round; SIZE];
                // SAFETY: memory of this size, which lives to the end.
                unsafe {
                    queue.memset(near.ptr(), &[0_u8], SIZE, &[]).expect("urEnqueueUSMFill");
                    let up = queue.memcpy(true, far.ptr(), from.as_ptr().cast(), SIZE, &[]);
                    up.expect("urEnqueueUSMMemcpy");
                    run();
                    pair.queue.finish().expect("urQueueFinish");
                    let down = queue.memcpy(true, found.as_mut_ptr().cast(), farther.ptr(), SIZE, &[]);
                    down.expect("urEnqueueUSMMemcpy");
                }
                assert!(
                    found[..SIZE / 2].iter().all(|&byte| byte == round),
                    "{what} of round {round}: {found:?}"
                );
                assert!(
                    found[SIZE / 2..].iter().all(|&byte| byte == 7),
                    "{what} of round {round}: {found:?}"
                );
            }
        };
        let buffer = CommandBuffer::new(&pair.context, &pair.devices[0], CommandBufferSettings::default());
        let buffer = buffer.expect("urCommandBufferCreateExp");
        // SAFETY: memory of this size, which lives until the runs are over.
        unsafe {
            let copied = buffer.memcpy(near.ptr(), far.ptr(), SIZE, &[]).expect("copy");
            let back = buffer
                .memcpy(farther.ptr(), near.ptr(), SIZE, &[copied.point])
                .expect("copy");
            let half = farther.ptr().byte_add(SIZE / 2);
            buffer.memset(half, &[7_u8], SIZE / 2, &[back.point]).expect("fill");
        }
        buffer.finalize().expect("urCommandBufferFinalizeExp");
        check("a command buffer", &|| {
            _ = pair.queue.run(&buffer, &[]).expect("urEnqueueCommandBufferExp")
        });
        let captured = pair.queue.capture(|| {
            // SAFETY: as above.
            unsafe {
                let copied = pair.queue.memcpy(false, near.ptr(), far.ptr(), SIZE, &[])?;
                let back = pair.queue.memcpy(false, farther.ptr(), near.ptr(), SIZE, &[&copied])?;
                let half = farther.ptr().byte_add(SIZE / 2);
                pair.queue.memset(half, &[7_u8], SIZE / 2, &[&back])?;
            }
            Ok(())
        });
        let graph = captured.and_then(|graph| graph.instantiate()).expect("a graph");
        check("a captured graph", &|| {
            // SAFETY: as above.
            _ = unsafe { pair.queue.run_graph(&graph, &[]) }.expect("urEnqueueGraphExp")
        });
        println!("peers: {}", pair.are_peers);
    });
    let Some([peers, others]) = logs else { return };
    // A real driver knows nothing of the variables.
    if std::env::var_os("OXUR_CUDA_SYSTEM").is_none() {
        assert!(!peers.contains(NO_GRAPH), "{peers}");
        assert!(others.contains(NO_GRAPH), "{others}");
    }
}

/// Kernels use memory of peers, which the client need not ask for, and commands do so still when it no longer wants it.
#[test]
fn kernels() {
    on_pairs("kernels", |pair| {
        if !pair.are_peers {
            return;
        }
        let ptx = include_bytes!("kernels.ptx");
        let program = Program::with_binaries(&pair.context, &[&pair.devices[0]], &[ptx]);
        let program = program.expect("urProgramCreateWithBinary");
        program.build(&pair.context, "").expect("urProgramBuild");
        let add = Kernel::new(&program, "add").expect("urKernelCreate");
        let [device, peer] = &pair.devices;
        let fns = loader().fns();
        for round in 0..3 {
            // SAFETY: live devices.
            unsafe {
                match round {
                    0 => Ok(()),
                    1 => fns.urUsmP2PEnablePeerAccessExp(device.raw(), peer.raw()),
                    _ => fns.urUsmP2PDisablePeerAccessExp(device.raw(), peer.raw()),
                }
            }
            .expect("peer access");
            let [a, b, sum] = [1, 1, 1].map(|at| pair.memory(at, 400));
            let mut found = [0_f32; 100];
            let args = [&sum, &a, &b].map(|usm| Arg::Pointer(usm.ptr()));
            let args: Vec<Arg> = args.into_iter().chain([Arg::value(&100_u32)]).collect();
            // SAFETY: 100 numbers, which live to the end.
            unsafe {
                let one = pair
                    .queue
                    .memset(a.ptr(), &[1_f32], 400, &[])
                    .expect("urEnqueueUSMFill");
                let two = pair
                    .queue
                    .memset(b.ptr(), &[2_f32], 400, &[])
                    .expect("urEnqueueUSMFill");
                let launched = pair.queue.launch(&add, &Range::new([100]), &args, &[&one, &two]);
                let launched = launched.expect("urEnqueueKernelLaunch");
                let to = found.as_mut_ptr().cast();
                pair.queue
                    .memcpy(true, to, sum.ptr(), 400, &[&launched])
                    .expect("urEnqueueUSMMemcpy");
            }
            assert_eq!(found, [3.0; 100], "round {round}");
        }
    });
}

/// `urUSMContextMemcpyExp`, and memory that is zero from the beginning.
#[test]
fn without_a_queue() {
    on_pairs("without_a_queue", |pair| {
        let (near, far, farther) = (pair.memory(0, 1000), pair.memory(1, 1000), pair.memory(1, 1000));
        let pool = UsmPool::new(&pair.context, UsmPoolFlags::ZERO_INITIALIZE_BLOCK).expect("urUSMPoolCreate");
        for device in &pair.devices {
            let request = UsmRequest {
                pool: Some(&pool),
                ..UsmRequest::default()
            };
            let zero = Usm::device(&pair.context, device, 1000, request).expect("urUSMDeviceAlloc");
            let mut found = numbers(1000);
            pair.copy(found.as_mut_ptr().cast(), zero.ptr(), 1000, &[])
                .wait()
                .expect("urEventWait");
            assert_eq!(found, [0; 1000]);
        }
        let (mut up, down) = (pair.host(1000), pair.host(1000));
        // SAFETY: new memory of this size.
        unsafe { up.as_mut_slice::<u8>() }.copy_from_slice(&numbers(1000));
        for two in [&up, &far, &near, &farther, &far, &down].windows(2) {
            let (context, fns) = (pair.context.raw(), loader().fns());
            // SAFETY: memory of this size; the copy is complete when the call returns.
            let copied = unsafe { fns.urUSMContextMemcpyExp(context, two[1].ptr(), two[0].ptr(), 1000) };
            copied.expect("urUSMContextMemcpyExp");
        }
        // SAFETY: the copies are complete.
        assert_eq!(unsafe { down.as_slice::<u8>() }, numbers(1000));
    });
}

/// Images are host memory in such a context; what is copied to them and from them may be memory of any device.
#[test]
fn images_and_buffers() {
    on_pairs("images_and_buffers", |pair| {
        const SIZE: usize = 16 * 8 * 4;
        let desc = ImageDesc {
            r#type: MemType::IMAGE2D,
            width: 16,
            height: 8,
            depth: 1,
            arraySize: 1,
            ..ImageDesc::default()
        };
        let format = ImageFormat {
            channelOrder: ImageChannelOrder::RGBA,
            channelType: ImageChannelType::UNORM_INT8,
        };
        let image = Image::new(&pair.context, MemFlags::READ_WRITE, format, &desc).expect("urMemImageCreate");
        let (far, farther) = (pair.memory(1, SIZE), pair.memory(1, SIZE));
        let from = numbers(SIZE);
        let mut found = vec![0_u8; SIZE];
        let up = pair.copy(far.ptr(), from.as_ptr().cast(), SIZE, &[]);
        let (origin, pitch) = (RectOffset { x: 0, y: 0, z: 0 }, Pitch { row: 0, slice: 0 });
        let region = RectRegion {
            width: 16,
            height: 8,
            depth: 1,
        };
        // SAFETY: memory of this size, which lives to the end.
        unsafe {
            let written = pair.queue.image_write(&image, origin, region, pitch, far.ptr(), &[&up]);
            let written = written.expect("urEnqueueMemImageWrite");
            let read = pair
                .queue
                .image_read(&image, origin, region, pitch, farther.ptr(), &[&written]);
            let read = read.expect("urEnqueueMemImageRead");
            pair.copy(found.as_mut_ptr().cast(), farther.ptr(), SIZE, &[&read])
        }
        .wait()
        .expect("urEventWait");
        assert!(found == from);
        let buffer = Buffer::with(&pair.context, MemFlags::READ_WRITE, &[1_u32; 100]).expect("urMemBufferCreate");
        let other = pair.queue_of(1);
        let mut found = [0_u32; 100];
        let mut before = pair
            .queue
            .fill(&buffer, &[5_u32], 0, 200, &[])
            .expect("urEnqueueMemBufferFill");
        before = other
            .fill(&buffer, &[6_u32], 200, 100, &[&before])
            .expect("urEnqueueMemBufferFill");
        pair.queue
            .read(&buffer, 0, &mut found, &[&before])
            .expect("urEnqueueMemBufferRead");
        assert!(
            found[..50] == [5; 50] && found[50..75] == [6; 25] && found[75..] == [1; 25],
            "{found:?}"
        );
    });
}
