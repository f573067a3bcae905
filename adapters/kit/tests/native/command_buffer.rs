// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A command buffer of the driver's, which learns of everything as it happens and keeps a list of that.

use kit::{Arg, Change, Changed, CommandList, LaunchChange, Node};

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
    for arg in args {
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

    fn finalize(&self, nodes: &[Node<Native>]) -> UrResult<()> {
        self.tell(format!("finalize {}", nodes.len()));
        Ok(())
    }

    fn update(&self, _: &[Node<Native>], changes: &[Change<'_, Native>]) -> UrResult<()> {
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

fn buffer(context: ContextHandle) -> ExpCommandBufferHandle {
    let desc = ExpCommandBufferDesc {
        isUpdatable: 1,
        ..Default::default()
    };
    let mut buffer = ExpCommandBufferHandle::default();
    let made = call!(CommandBufferExp.pfnCreateExp(context, device(), &desc, &mut buffer));
    assert_eq!(made, SUCCESS);
    buffer
}

fn kernel(context: ContextHandle) -> KernelHandle {
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
