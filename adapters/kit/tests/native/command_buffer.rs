// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A command buffer of the driver's, which learns of everything as it happens and keeps a list of that.

use kit::{Arg, Change, Changed, CommandList, LaunchChange, NativeCommand, Node};

use super::*;

pub struct CommandBuffer {
    pub handle_cell: HandleCell,
    commands: CommandList<Native>,
    /// What the driver was told.
    told: Mutex<Vec<String>>,
}

impl CommandBuffer {
    fn tell(&self, what: impl Into<String>) {
        self.told.lock().push(what.into());
    }
}

fn words(change: &Change<'_, Native>) -> String {
    let Changed::Launch(LaunchChange {
        kernel,
        args,
        offset,
        global,
        local,
    }) = &change.what
    else {
        panic!("only launches are updated here")
    };
    let mut words = format!("{}:", change.place);
    for (changed, name) in [
        (kernel, "kernel"),
        (offset, "offset"),
        (global, "global"),
        (local, "local"),
    ] {
        if *changed {
            words += &format!(" {name}");
        }
    }
    for arg in *args {
        words += &match arg {
            Arg::Value(index, bytes) => format!(" value {index} {bytes:?}"),
            Arg::Pointer(index, pointer) => format!(" pointer {index} {}", pointer.addr()),
            Arg::Mem(index, mem, access) => format!(" mem {index} {} {}", mem.is_some(), access.bits()),
            Arg::Local(index, size) => format!(" local {index} {size}"),
            Arg::Sampler(index, _) => format!(" sampler {index}"),
        };
    }
    words
}

impl kit::CommandBuffer<Native> for CommandBuffer {
    type Signal = ();
    /// How many commands were appended.
    type Recording = usize;

    fn create(commands: CommandList<Native>) -> UrResult<Arc<Self>> {
        Ok(Arc::new(Self {
            handle_cell: HandleCell::new(),
            commands,
            told: Mutex::default(),
        }))
    }

    fn commands(&self) -> &CommandList<Native> {
        &self.commands
    }

    fn append(&self, appended: &mut usize, nodes: &[Node<Native>]) -> UrResult<()> {
        let (last, before) = nodes.split_last().expect("a command");
        if matches!(last.command.as_command(), Command::UsmMemcpy { .. }) {
            return Err(ResultCode::ERROR_OUT_OF_RESOURCES.into());
        }
        self.tell(format!("append {} after {:?}", before.len(), last.dependencies()));
        *appended += 1;
        Ok(())
    }

    fn begin_native_command(
        &self,
        child: Option<&Arc<Self>>,
        nodes: &[Node<Native>],
        dependencies: &[u32],
    ) -> UrResult<()> {
        let child = if child.is_some() { " in a child" } else { "" };
        self.tell(format!("begin {}{child} after {dependencies:?}", nodes.len()));
        Ok(())
    }

    fn end_native_command(&self, _: Option<&Arc<Self>>, nodes: &[Node<Native>], _: &[u32]) -> UrResult<NativeCommand> {
        self.tell(format!("end {}", nodes.len()));
        Ok(NativeCommand::Appended)
    }

    fn native(&self) -> UrResult<NativeHandle> {
        Ok((&raw const *self).expose_provenance())
    }

    fn finalize(&self, appended: &mut usize, nodes: &[Node<Native>]) -> UrResult<()> {
        self.tell(format!("finalize {}, {appended} of them appended", nodes.len()));
        Ok(())
    }

    fn update(&self, _: &mut usize, _: &[Node<Native>], changes: &[Change<'_, Native>]) -> UrResult<()> {
        changes.iter().for_each(|change| self.tell(words(change)));
        Ok(())
    }

    fn enqueue(
        self: &Arc<Self>,
        queue: &Arc<Queue>,
        wait: WaitList<'_, Native>,
        event: EventOut<'_, Native>,
    ) -> UrResult<()> {
        kit::Queue::submit(queue, Command::Wait, false, wait, event)
    }
}

fn told(buffer: ExpCommandBufferHandle) -> Vec<String> {
    // SAFETY: a live handle.
    let buffer = unsafe { kit::entry_point::object::<CommandBuffer>(buffer) }.expect("a command buffer");
    std::mem::take(&mut *buffer.told.lock())
}

pub fn buffer(context: ContextHandle) -> ExpCommandBufferHandle {
    let desc = ExpCommandBufferDesc {
        isUpdatable: 1,
        ..Default::default()
    };
    let mut buffer = ExpCommandBufferHandle::default();
    let made = call!(CommandBufferExp.pfnCreateExp(context, device(), &desc, &mut buffer));
    assert_eq!(made, SUCCESS);
    buffer
}

pub fn kernel(context: ContextHandle) -> KernelHandle {
    let (mut program, mut kernel) = (ProgramHandle::default(), KernelHandle::default());
    let il = [0u32; 5];
    let made = call!(Program.pfnCreateWithIL(context, il.as_ptr().cast(), size_of_val(&il), null(), &mut program));
    assert_eq!(made, SUCCESS);
    assert_eq!(call!(Kernel.pfnCreate(program, c"k".as_ptr(), &mut kernel)), SUCCESS);
    kernel
}

/// Appends a launch of a kernel, which `other` may replace.
fn launch(
    buffer: ExpCommandBufferHandle,
    kernel: KernelHandle,
    mut other: KernelHandle,
) -> ExpCommandBufferCommandHandle {
    let (global, local) = ([64usize, 8], [8usize, 8]);
    let mut command = ExpCommandBufferCommandHandle::default();
    let appended = call!(CommandBufferExp.pfnAppendKernelLaunchExp(
        buffer,
        kernel,
        2,
        null(),
        global.as_ptr(),
        local.as_ptr(),
        1,
        &mut other,
        0,
        null(),
        0,
        null(),
        null_mut(),
        null_mut(),
        &mut command,
    ));
    assert_eq!(appended, SUCCESS);
    command
}

#[test]
fn updates_say_what_changed() {
    let context = context();
    let (buffer, kernel, other) = (buffer(context), kernel(context), kernel(context));
    let (first, second) = (launch(buffer, kernel, other), launch(buffer, kernel, other));
    assert_eq!(call!(CommandBufferExp.pfnFinalizeExp(buffer)), SUCCESS);
    told(buffer);
    let update = |updates: &[ExpCommandBufferUpdateKernelLaunchDesc]| {
        let number = updates.len() as u32;
        let updated = call!(CommandBufferExp.pfnUpdateKernelLaunchExp(buffer, number, updates.as_ptr()));
        (updated, told(buffer))
    };

    // Arguments of all kinds, of the second command.
    let (number, pointer) = (7u8, std::ptr::without_provenance::<c_void>(0x40));
    let values = [
        ExpCommandBufferUpdateValueArgDesc {
            argIndex: 2,
            argSize: 1,
            pNewValueArg: (&raw const number).cast(),
            ..Default::default()
        },
        ExpCommandBufferUpdateValueArgDesc {
            argIndex: 3,
            argSize: 16,
            ..Default::default()
        },
    ];
    let pointers = [ExpCommandBufferUpdatePointerArgDesc {
        argIndex: 1,
        pNewPointerArg: (&raw const pointer).cast(),
        ..Default::default()
    }];
    let mems = [ExpCommandBufferUpdateMemobjArgDesc {
        argIndex: 0,
        ..Default::default()
    }];
    let arguments = ExpCommandBufferUpdateKernelLaunchDesc {
        hCommand: second,
        numNewMemObjArgs: 1,
        pNewMemObjArgList: mems.as_ptr(),
        numNewPointerArgs: 1,
        pNewPointerArgList: pointers.as_ptr(),
        numNewValueArgs: 2,
        pNewValueArgList: values.as_ptr(),
        ..Default::default()
    };
    let read_write = MemFlags::READ_WRITE.bits();
    let wanted = format!("1: mem 0 false {read_write} pointer 1 64 value 2 [7] local 3 16");
    assert_eq!(update(&[arguments]), (SUCCESS, vec![wanted]));

    // Two commands, in the client's order; the work-group size goes with the global size.
    let (mut size, mut start) = ([32usize, 8], [1usize, 0]);
    let resized = ExpCommandBufferUpdateKernelLaunchDesc {
        hCommand: second,
        newWorkDim: 2,
        pNewGlobalWorkSize: size.as_mut_ptr(),
        ..Default::default()
    };
    let moved = ExpCommandBufferUpdateKernelLaunchDesc {
        hCommand: first,
        hNewKernel: other,
        newWorkDim: 2,
        pNewGlobalWorkOffset: start.as_mut_ptr(),
        ..Default::default()
    };
    let again = ExpCommandBufferUpdateKernelLaunchDesc {
        hCommand: second,
        newWorkDim: 2,
        pNewLocalWorkSize: size.as_mut_ptr(),
        ..Default::default()
    };
    let wanted = ["1: global local", "0: kernel offset", "1: local"];
    assert_eq!(
        update(&[resized, moved, again]),
        (SUCCESS, wanted.map(String::from).into())
    );
    // The kernel that it has already is no other one.
    let same = ExpCommandBufferUpdateKernelLaunchDesc {
        hCommand: first,
        hNewKernel: other,
        ..Default::default()
    };
    assert_eq!(update(&[same]), (SUCCESS, vec!["0:".to_owned()]));
    // The driver hears nothing of updates of which one is wrong.
    let wrong = ExpCommandBufferUpdateKernelLaunchDesc { newWorkDim: 1, ..again };
    let (code, heard) = update(&[moved, wrong]);
    assert_eq!((code, heard.len()), (ResultCode::ERROR_INVALID_VALUE, 0));
    assert_eq!(call!(CommandBufferExp.pfnReleaseExp(buffer)), SUCCESS);
}

/// Appends to the native command buffer, of which it finds the address in the list behind `data`.
unsafe extern "C" fn append_natively(data: *mut c_void) {
    // SAFETY: the test passes the handle of a live command buffer, and says so.
    let buffer = unsafe { &*data.cast::<CommandBuffer>() };
    buffer.tell("the client's own");
}

#[test]
fn native_commands_are_seen_when_they_are_appended() {
    let context = context();
    let (parent, child, kernel) = (buffer(context), buffer(context), kernel(context));
    let append = |child, points: &[u32], point: &mut u32| {
        let mut native = 0;
        let asked = call!(CommandBufferExp.pfnGetNativeHandleExp(parent, &mut native));
        assert_eq!(asked, SUCCESS);
        let data = std::ptr::with_exposed_provenance_mut(native);
        let (number, points) = (
            points.len() as u32,
            if points.is_empty() { null() } else { points.as_ptr() },
        );
        let function = kit::table::tables::<Native>()
            .ddi
            .CommandBufferExp
            .pfnAppendNativeCommandExp;
        let function = function.expect("every slot is filled");
        // SAFETY: live handles and places.
        unsafe { function(parent, Some(append_natively), data, child, number, points, point) }
    };
    launch(parent, kernel, kernel);
    let (none, mut point) = (ExpCommandBufferHandle::default(), 0);
    assert_eq!(append(none, &[0], &mut point), SUCCESS);
    assert_eq!(point, 1);
    launch(child, kernel, kernel);
    assert_eq!(append(child, &[1], &mut point), SUCCESS);
    assert_eq!(point, 2);
    // The function is not called when the command cannot be appended.
    let unknown = ResultCode::ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_EXP;
    assert_eq!(append(none, &[9], &mut point), unknown);
    assert_eq!(append(parent, &[], &mut point), ResultCode::ERROR_INVALID_OPERATION);
    launch(parent, kernel, kernel);
    assert_eq!(call!(CommandBufferExp.pfnFinalizeExp(parent)), SUCCESS);
    let native = "the client's own".to_owned();
    let wanted = [
        "append 0 after []",
        "begin 1 after [0]",
        &native,
        "end 1",
        "begin 2 in a child after [1]",
        &native,
        "end 2",
        "append 3 after []",
        "finalize 4, 2 of them appended",
    ];
    assert_eq!(told(parent), wanted);
    // The child's commands are the driver's: the kit copies none of them.
    assert_eq!(told(child), ["append 0 after []"]);
    assert_eq!(append(none, &[], &mut point), ResultCode::ERROR_INVALID_OPERATION);
    for buffer in [parent, child] {
        assert_eq!(call!(CommandBufferExp.pfnReleaseExp(buffer)), SUCCESS);
    }
}

#[test]
fn a_command_that_the_driver_refuses_is_not_appended() {
    let (buffer, mut number) = (buffer(context()), 0u32);
    let place = (&raw mut number).cast();
    let copy = |size| {
        let (none, mut point) = (null_mut(), 7);
        let copied = call!(CommandBufferExp.pfnAppendUSMMemcpyExp(
            buffer,
            place,
            place,
            size,
            0,
            null(),
            0,
            null(),
            &mut point,
            none,
            null_mut()
        ));
        (copied, point)
    };
    assert_eq!(copy(4), (ResultCode::ERROR_OUT_OF_RESOURCES, 7));
    assert_eq!(copy(0), (SUCCESS, 0));
    assert_eq!(call!(CommandBufferExp.pfnFinalizeExp(buffer)), SUCCESS);
    assert_eq!(told(buffer), ["append 0 after []", "finalize 1, 1 of them appended"]);
    assert_eq!(call!(CommandBufferExp.pfnReleaseExp(buffer)), SUCCESS);
}
