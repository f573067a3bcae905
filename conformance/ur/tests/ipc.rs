// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Memory that processes share: what one makes bytes of, another opens by them.

use std::ptr::{null, null_mut};

use oxur_conformance::api::*;
use oxur_conformance::client::{Arg, Context, Device, Range, Usm, UsmRequest};
use oxur_conformance::{Rig, expect, intel, run_test, ur, with_variable};

/// Has the bytes that a process is to open, in hexadecimal; or `give` for one that is to print some.
pub const BYTES: &str = "OXUR_TEST_IPC";
const GIVE: &str = "give";

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub fn bytes(hex: &str) -> Vec<u8> {
    let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).expect("two digits");
    (0..hex.len()).step_by(2).map(byte).collect()
}

/// Runs a test again in another process, with such bytes, and gives what it prints.
fn other_process(test: &str, text: &str) -> String {
    run_test(test, &[(BYTES, text)]).passed().out
}

/// The bytes that another process printed.
fn given(output: &str) -> Vec<u8> {
    let line = output.lines().find_map(|line| line.split("bytes: ").nth(1));
    bytes(line.expect("the bytes").trim())
}

/// Copies the bytes that a call gives.
pub fn exported(get: impl FnOnce(*mut *mut c_void, *mut usize) -> ResultCode) -> (*mut c_void, Vec<u8>) {
    let (mut data, mut size) = (null_mut(), 0);
    expect!(get(&mut data, &mut size), SUCCESS);
    assert!(!data.is_null() && size != 0);
    // SAFETY: so many bytes are there until they are put back.
    (
        data,
        unsafe { std::slice::from_raw_parts(data.cast::<u8>(), size) }.to_vec(),
    )
}

/// A rig on a device that has what a query says.
pub fn rig(query: DeviceInfo) -> Option<Rig> {
    let rig = Rig::new();
    if intel("the functions of 2026.2 are not there") {
        return None;
    }
    match rig.device.info(query).expect("a truth value") {
        true => Some(rig),
        false => {
            let name: String = rig.platform.info(PlatformInfo::NAME).expect("the name");
            assert_ne!(name, "oxur CPU", "{query:?}: our CPU adapter has it");
            println!("{name} says no to {query:?}");
            None
        }
    }
}

const PAGES: usize = 1 << 16;

/// Physical memory, and addresses that it is mapped to.
struct Physical {
    context: ContextHandle,
    mem: PhysicalMemHandle,
    at: *mut c_void,
}

impl Physical {
    fn create(rig: &Rig, flags: PhysicalMemFlags) -> PhysicalMemHandle {
        let properties = PhysicalMemProperties {
            flags,
            ..Default::default()
        };
        let mut mem = PhysicalMemHandle::default();
        let (context, device) = (rig.context.raw(), rig.device.raw());
        expect!(
            ur!(urPhysicalMemCreate(context, device, PAGES, &properties, &mut mem)),
            SUCCESS
        );
        let mut told = PhysicalMemProperties::default();
        let (size, at) = (size_of_val(&told), (&raw mut told).cast());
        expect!(
            ur!(urPhysicalMemGetInfo(
                mem,
                PhysicalMemInfo::PROPERTIES,
                size,
                at,
                null_mut()
            )),
            SUCCESS
        );
        assert_eq!(told.flags, flags);
        mem
    }

    fn map(rig: &Rig, mem: PhysicalMemHandle) -> Self {
        let (context, mut at) = (rig.context.raw(), null_mut());
        let access = VirtualMemAccessFlags::READ_WRITE;
        expect!(ur!(urVirtualMemReserve(context, null(), PAGES, &mut at)), SUCCESS);
        expect!(ur!(urVirtualMemMap(context, at, PAGES, mem, 0, access)), SUCCESS);
        Self { context, mem, at }
    }

    /// The values of the memory, as the host sees them on a CPU; other devices would copy them.
    fn values(&mut self) -> &mut [u32] {
        // SAFETY: mapped, and no command uses it.
        unsafe { std::slice::from_raw_parts_mut(self.at.cast(), PAGES / 4) }
    }

    fn unmap(self) -> PhysicalMemHandle {
        expect!(ur!(urVirtualMemUnmap(self.context, self.at, PAGES)), SUCCESS);
        expect!(ur!(urVirtualMemFree(self.context, self.at, PAGES)), SUCCESS);
        self.mem
    }
}

fn open_physical(rig: &Rig, data: &[u8]) -> (ResultCode, PhysicalMemHandle) {
    let (context, device, mut mem) = (rig.context.raw(), rig.device.raw(), PhysicalMemHandle::default());
    let code = ur!(urIPCOpenPhysMemHandleExp(
        context,
        device,
        data.as_ptr().cast(),
        data.len(),
        &mut mem
    ));
    (code, mem)
}

#[test]
fn physical_memory() {
    let Some(rig) = rig(DeviceInfo::IPC_PHYSICAL_MEMORY_SUPPORT_EXP) else {
        return;
    };
    let context = rig.context.raw();
    if let Ok(text) = std::env::var(BYTES) {
        let (code, mem) = open_physical(&rig, &bytes(&text));
        expect!(code, SUCCESS);
        let mut size = 0usize;
        expect!(
            ur!(urPhysicalMemGetInfo(
                mem,
                PhysicalMemInfo::SIZE,
                8,
                (&raw mut size).cast(),
                null_mut()
            )),
            SUCCESS
        );
        assert_eq!(size, PAGES);
        let mut opened = Physical::map(&rig, mem);
        for (index, value) in opened.values().iter_mut().enumerate() {
            assert_eq!(*value, index as u32);
            *value += 1;
        }
        let mem = opened.unmap();
        // Only who made it shares it.
        let (mut data, mut size) = (null_mut(), 0);
        expect!(
            ur!(urIPCGetPhysMemHandleExp(context, mem, &mut data, &mut size)),
            ERROR_INVALID_ARGUMENT
        );
        expect!(ur!(urIPCClosePhysMemHandleExp(context, mem)), SUCCESS);
        return;
    }
    let mem = Physical::create(&rig, PhysicalMemFlags::ENABLE_IPC);
    let mut shared = Physical::map(&rig, mem);
    shared
        .values()
        .iter_mut()
        .zip(0..)
        .for_each(|(value, index)| *value = index);
    let (data, copy) = exported(|data, size| ur!(urIPCGetPhysMemHandleExp(context, mem, data, size)));
    other_process("ipc::physical_memory", &hex(&copy));
    assert!(
        shared
            .values()
            .iter()
            .zip(1..)
            .all(|(value, expected)| *value == expected)
    );

    // In this process, too: what is opened outlives what it was opened by.
    let (code, again) = open_physical(&rig, &copy);
    expect!(code, SUCCESS);
    expect!(ur!(urIPCPutPhysMemHandleExp(context, data)), SUCCESS);
    expect!(ur!(urIPCPutPhysMemHandleExp(context, data)), ERROR_INVALID_VALUE);
    expect!(ur!(urIPCClosePhysMemHandleExp(context, mem)), ERROR_INVALID_VALUE);
    let mem = shared.unmap();
    expect!(ur!(urPhysicalMemRelease(mem)), SUCCESS);
    let mut again = Physical::map(&rig, again);
    assert_eq!(again.values()[9], 10);
    let again = again.unmap();
    expect!(ur!(urIPCClosePhysMemHandleExp(context, again)), SUCCESS);
    expect!(open_physical(&rig, &copy).0, ERROR_INVALID_VALUE);
}

#[test]
fn physical_memory_that_is_not_shared() {
    let Some(rig) = rig(DeviceInfo::IPC_PHYSICAL_MEMORY_SUPPORT_EXP) else {
        return;
    };
    let context = rig.context.raw();
    let (mut data, mut size) = (null_mut(), 0);
    let mut get = |context, mem| ur!(urIPCGetPhysMemHandleExp(context, mem, &mut data, &mut size));
    let (private, shared) = (
        Physical::create(&rig, PhysicalMemFlags::empty()),
        Physical::create(&rig, PhysicalMemFlags::ENABLE_IPC),
    );
    expect!(get(context, private), ERROR_INVALID_ARGUMENT);
    let other = Context::new(&[&rig.device]).expect("urContextCreate");
    expect!(get(other.raw(), shared), ERROR_INVALID_CONTEXT);
    expect!(
        ur!(urIPCGetPhysMemHandleExp(context, shared, null_mut(), &mut 0)),
        ERROR_INVALID_NULL_POINTER
    );
    expect!(
        ur!(urIPCGetPhysMemHandleExp(context, shared, &mut null_mut(), null_mut())),
        ERROR_INVALID_NULL_POINTER
    );
    let (data, copy) = exported(|data, size| ur!(urIPCGetPhysMemHandleExp(context, shared, data, size)));
    expect!(open_physical(&rig, &copy[1..]).0, ERROR_INVALID_VALUE);
    expect!(
        open_physical(&rig, &[copy.clone(), vec![0]].concat()).0,
        ERROR_INVALID_VALUE
    );
    expect!(open_physical(&rig, &vec![0xa5; copy.len()]).0, ERROR_INVALID_VALUE);
    // The bytes of one kind are none of another.
    expect!(ur!(urIPCPutMemHandleExp(context, data)), ERROR_INVALID_VALUE);
    expect!(ur!(urIPCPutPhysMemHandleExp(context, data)), SUCCESS);
    for mem in [private, shared] {
        expect!(ur!(urPhysicalMemRelease(mem)), SUCCESS);
    }
}

/// Nobody can open what a process shared that has ended.
#[test]
fn a_process_that_is_gone() {
    let Some(rig) = rig(DeviceInfo::IPC_PHYSICAL_MEMORY_SUPPORT_EXP) else {
        return;
    };
    if std::env::var(BYTES).is_ok_and(|text| text == GIVE) {
        let mem = Physical::create(&rig, PhysicalMemFlags::ENABLE_IPC);
        let context = rig.context.raw();
        let (_, copy) = exported(|data, size| ur!(urIPCGetPhysMemHandleExp(context, mem, data, size)));
        expect!(open_physical(&rig, &copy).0, SUCCESS);
        return println!("bytes: {}", hex(&copy));
    }
    let copy = given(&other_process("ipc::a_process_that_is_gone", GIVE));
    expect!(open_physical(&rig, &copy).0, ERROR_INVALID_VALUE);
}

fn open_mem(rig: &Rig, data: &mut [u8]) -> (ResultCode, *mut c_void) {
    let (context, device, mut memory) = (rig.context.raw(), rig.device.raw(), null_mut());
    let code = ur!(urIPCOpenMemHandleExp(
        context,
        device,
        data.as_mut_ptr().cast(),
        data.len(),
        &mut memory
    ));
    (code, memory)
}

/// A rig on a device whose USM other processes can open. That of some adapters can where a variable says so.
fn rig_with_usm(test: &str) -> Option<Rig> {
    let rig = Rig::new();
    if intel("its functions are those of 2026.1") {
        return None;
    }
    if rig
        .device
        .info(DeviceInfo::IPC_MEMORY_SUPPORT_EXP)
        .expect("a truth value")
    {
        return Some(rig);
    }
    let memory = Usm::device(&rig.context, &rig.device, 64, UsmRequest::default()).expect("urUSMDeviceAlloc");
    let (mut data, mut size, context) = (null_mut(), 0, rig.context.raw());
    expect!(
        ur!(urIPCGetMemHandleExp(context, memory.ptr(), &mut data, &mut size)),
        ERROR_UNSUPPORTED_FEATURE
    );
    expect!(open_mem(&rig, &mut [0; 56]).0, ERROR_UNSUPPORTED_FEATURE);
    let variable = match &*rig.platform.info::<String>(PlatformInfo::NAME).expect("the name") {
        "oxur CPU" => "UR_CPU_IPC",
        "NVIDIA CUDA" => "UR_CUDA_IPC",
        _ => return None,
    };
    let again = with_variable(&format!("ipc::{test}"), variable, "1");
    assert!(again, "the variable says so");
    None
}

/// Adds 1 to so many values, on the device.
fn increment(rig: &Rig, memory: *mut c_void, count: usize) {
    rig.run(
        &rig.kernel("basic", "increment"),
        &Range::new([count]),
        &[Arg::Pointer(memory)],
    );
}

fn read(rig: &Rig, memory: *const c_void, count: usize) -> Vec<i32> {
    let mut values = vec![0i32; count];
    // SAFETY: so many values on either side.
    unsafe {
        rig.queue
            .memcpy(true, values.as_mut_ptr().cast(), memory, count * 4, &[])
    }
    .expect("memcpy");
    values
}

#[test]
fn usm() {
    let Some(rig) = rig_with_usm("usm") else { return };
    let context = rig.context.raw();
    if let Ok(text) = std::env::var(BYTES) {
        for (text, count) in text.split(',').zip(COUNTS) {
            let (code, memory) = open_mem(&rig, &mut bytes(text));
            expect!(code, SUCCESS);
            let ask = |query, size, at| ur!(urUSMGetMemAllocInfo(context, memory, query, size, at, null_mut()));
            let (mut kind, mut size, mut device) = (UsmType::UNKNOWN, 0usize, DeviceHandle::default());
            expect!(ask(UsmAllocInfo::TYPE, 4, (&raw mut kind).cast()), SUCCESS);
            expect!(ask(UsmAllocInfo::SIZE, 8, (&raw mut size).cast()), SUCCESS);
            expect!(ask(UsmAllocInfo::DEVICE, 8, (&raw mut device).cast()), SUCCESS);
            assert_eq!((kind, size, device), (UsmType::DEVICE, count * 4, rig.device.raw()));
            assert!(read(&rig, memory, count).iter().all(|value| *value == count as i32));
            increment(&rig, memory, count);
            expect!(ur!(urUSMFree(context, memory)), ERROR_INVALID_VALUE);
            // It is the other process's to share.
            let (mut data, mut size) = (null_mut(), 0);
            expect!(
                ur!(urIPCGetMemHandleExp(context, memory, &mut data, &mut size)),
                ERROR_INVALID_VALUE
            );
            // Not what another API gave.
            let unmapped = ur!(urBindlessImagesFreeMappedLinearMemoryExp(
                context,
                rig.device.raw(),
                memory
            ));
            assert_ne!(unmapped, ResultCode::SUCCESS);
            expect!(ur!(urIPCCloseMemHandleExp(context, memory)), SUCCESS);
            expect!(ur!(urIPCCloseMemHandleExp(context, memory)), ERROR_INVALID_VALUE);
        }
        return;
    }
    // Small ones share pages; of the last one any address does.
    let alloc = |count| Usm::device(&rig.context, &rig.device, count * 4, UsmRequest::default());
    let memories = COUNTS.map(|count| alloc(count).expect("urUSMDeviceAlloc"));
    let mut texts = Vec::new();
    let mut put = Vec::new();
    for (memory, count) in memories.iter().zip(COUNTS) {
        // SAFETY: so many values.
        unsafe { rig.queue.memset(memory.ptr(), &[count as i32], count * 4, &[]) }
            .expect("memset")
            .wait()
            .expect("wait");
        let inside = memory.ptr().wrapping_byte_add(count);
        let (data, copy) = exported(|data, size| ur!(urIPCGetMemHandleExp(context, inside, data, size)));
        texts.push(hex(&copy));
        put.push(data);
    }
    other_process("ipc::usm", &texts.join(","));
    for (memory, count) in memories.iter().zip(COUNTS) {
        assert!(
            read(&rig, memory.ptr(), count)
                .iter()
                .all(|value| *value == count as i32 + 1)
        );
    }
    for data in put {
        expect!(ur!(urIPCPutMemHandleExp(context, data)), SUCCESS);
    }
    drop(memories);
    let host = Usm::host(&rig.context, 64, UsmRequest::default()).expect("urUSMHostAlloc");
    let (mut data, mut size) = (null_mut(), 0);
    expect!(
        ur!(urIPCGetMemHandleExp(context, host.ptr(), &mut data, &mut size)),
        ERROR_INVALID_VALUE
    );
    expect!(ur!(urIPCPutMemHandleExp(context, host.ptr())), ERROR_INVALID_VALUE);
}

const COUNTS: [usize; 4] = [16, 100, 5000, 1 << 20];

/// What a device does not have says so.
#[test]
fn unsupported() {
    let rig = Rig::new();
    if intel("its functions are those of 2026.1") {
        return;
    }
    let says = |query| rig.device.info::<bool>(query).expect("a truth value");
    let (context, mut place) = (rig.context.raw(), 0u64);
    let data = (&raw mut place).cast::<c_void>();
    if !says(DeviceInfo::IPC_EVENT_SUPPORT_EXP) {
        let event = rig.queue.barrier(&[]).expect("barrier");
        let (mut data, mut size) = (null_mut(), 0);
        expect!(
            ur!(urIPCGetEventHandleExp(event.raw(), &mut data, &mut size)),
            ERROR_UNSUPPORTED_FEATURE
        );
        let mut opened = EventHandle::default();
        let bytes = [0u8; 56];
        expect!(
            ur!(urIPCOpenEventHandleExp(context, bytes.as_ptr().cast(), 56, &mut opened)),
            ERROR_UNSUPPORTED_FEATURE
        );
    }
    if !says(DeviceInfo::IPC_PHYSICAL_MEMORY_SUPPORT_EXP) {
        expect!(open_physical(&rig, &[0; 56]).0, ERROR_UNSUPPORTED_FEATURE);
        expect!(ur!(urIPCPutPhysMemHandleExp(context, data)), ERROR_UNSUPPORTED_FEATURE);
        if !says(DeviceInfo::IPC_MEMORY_SUPPORT_EXP) {
            expect!(ur!(urIPCPutMemHandleExp(context, data)), ERROR_UNSUPPORTED_FEATURE);
        }
    }
    // A device of another context opens nothing.
    let one = DevicePartitionProperty {
        r#type: DevicePartition::EQUALLY,
        value: DevicePartitionValue { equally: 1 },
    };
    if says(DeviceInfo::IPC_PHYSICAL_MEMORY_SUPPORT_EXP)
        && let Ok(parts) = rig.device.partition(&[one])
    {
        let part: &Device = &parts[0];
        let other = Context::new(&[part]).expect("urContextCreate");
        let (bytes, mut mem) = ([0u8; 56], PhysicalMemHandle::default());
        let (context, device, at) = (other.raw(), rig.device.raw(), bytes.as_ptr().cast());
        expect!(
            ur!(urIPCOpenPhysMemHandleExp(context, device, at, 56, &mut mem)),
            ERROR_INVALID_DEVICE
        );
    }
}
