// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The objects of the smallest adapter that cannot be made. They note what the client asked for.

use super::*;

pub(super) struct Mem {
    pub(super) handle_cell: HandleCell,
}

impl kit::Mem<Empty> for Mem {
    fn context(&self) -> &Arc<Context> {
        unreachable!("there are no buffers")
    }

    fn size(&self) -> usize {
        0
    }

    fn is_image(&self) -> bool {
        false
    }

    fn create_buffer(_: &Arc<Context>, _: MemFlags, _: usize, properties: BufferProperties) -> UrResult<Arc<Self>> {
        properties::saw(properties);
        unsupported()
    }

    fn create_image(_: &Arc<Context>, image: kit::ImageCreate<'_>) -> UrResult<Arc<Self>> {
        properties::saw(image.flags);
        unsupported()
    }

    fn buffer_from_native(_: &Arc<Context>, _: NativeHandle, owned: bool) -> UrResult<Arc<Self>> {
        properties::saw(owned);
        unsupported()
    }

    fn image_from_native(
        _: &Arc<Context>,
        _: NativeHandle,
        _: &ImageFormat,
        _: &ImageDesc,
        owned: bool,
    ) -> UrResult<Arc<Self>> {
        properties::saw(owned);
        unsupported()
    }

    fn info(&self, _query: MemInfo, out: InfoOut<'_>) -> UrResult<()> {
        out.unsupported()
    }
}

pub(super) struct Sampler {
    pub(super) handle_cell: HandleCell,
}

impl kit::Sampler<Empty> for Sampler {
    fn create(_: &Arc<Context>, properties: &kit::SamplerProperties) -> UrResult<Arc<Self>> {
        properties::saw(properties);
        unsupported()
    }

    fn from_native(_: &Arc<Context>, _: NativeHandle, owned: bool) -> UrResult<Arc<Self>> {
        properties::saw(owned);
        unsupported()
    }

    fn info(&self, _query: SamplerInfo, out: InfoOut<'_>) -> UrResult<()> {
        out.unsupported()
    }
}

pub(super) struct Program {
    pub(super) handle_cell: HandleCell,
}

impl kit::Program<Empty> for Program {
    fn context(&self) -> &Arc<Context> {
        unreachable!("there are no programs")
    }

    fn create_with_il(_: &Arc<Context>, _: &[u8], metadata: &[ProgramMetadata]) -> UrResult<Arc<Self>> {
        properties::saw(metadata.len());
        unsupported()
    }

    fn create_with_binaries(
        _: &Arc<Context>,
        _: &[Arc<Device>],
        _: &[&[u8]],
        metadata: &[ProgramMetadata],
    ) -> UrResult<Arc<Self>> {
        properties::saw(metadata.len());
        unsupported()
    }

    fn from_native(_: &Arc<Context>, _: NativeHandle, owned: bool) -> UrResult<Arc<Self>> {
        properties::saw(owned);
        unsupported()
    }

    fn build(&self, _: &[Arc<Device>], _: Option<&CStr>, _: ExpProgramFlags) -> UrResult<()> {
        unsupported()
    }

    fn info(&self, _: ProgramInfo, out: InfoOut<'_>) -> UrResult<()> {
        out.unsupported()
    }

    fn build_info(&self, _: &Arc<Device>, _: ProgramBuildInfo, out: InfoOut<'_>) -> UrResult<()> {
        out.unsupported()
    }
}

#[derive(Default)]
pub(super) struct Kernel {
    pub(super) handle_cell: HandleCell,
    /// What it was told.
    pub(super) told: Mutex<Vec<String>>,
}

impl kit::Kernel<Empty> for Kernel {
    fn program(&self) -> &Arc<Program> {
        unreachable!("kernels are made without one")
    }

    fn create(_: &Arc<Program>, _: &CStr) -> UrResult<Arc<Self>> {
        unsupported()
    }

    fn from_native(_: &Arc<Context>, _: Option<&Arc<Program>>, _: NativeHandle, owned: bool) -> UrResult<Arc<Self>> {
        properties::saw(owned);
        unsupported()
    }

    fn set_arg(&self, arg: kit::Arg<'_, Empty>) -> UrResult<()> {
        self.told.lock().push(match arg {
            kit::Arg::Value(index, bytes) => format!("{index}: {bytes:?}"),
            kit::Arg::Pointer(index, pointer) => format!("{index}: {pointer:p}"),
            kit::Arg::Local(index, size) => format!("{index}: {size} bytes"),
            kit::Arg::Mem(index, mem, _) => format!("{index}: {}", if mem.is_some() { "memory" } else { "none" }),
            kit::Arg::Sampler(index, _) => format!("{index}: sampler"),
        });
        Ok(())
    }

    fn set_exec_info(&self, info: kit::ExecInfo<'_>) -> UrResult<()> {
        self.told.lock().push(format!("{info:?}"));
        Ok(())
    }

    fn info(&self, _: KernelInfo, out: InfoOut<'_>) -> UrResult<()> {
        out.unsupported()
    }

    fn group_info(&self, _: &Arc<Device>, _: KernelGroupInfo, out: InfoOut<'_>) -> UrResult<()> {
        out.unsupported()
    }

    fn sub_group_info(&self, _: &Arc<Device>, _: KernelSubGroupInfo, out: InfoOut<'_>) -> UrResult<()> {
        out.unsupported()
    }
}

pub(super) struct UsmPool {
    pub(super) handle_cell: HandleCell,
}

impl kit::UsmPool<Empty> for UsmPool {
    fn create(
        _: &Arc<Context>,
        device: Option<&Arc<Device>>,
        properties: kit::UsmPoolProperties<'_, Empty>,
    ) -> UrResult<Arc<Self>> {
        let buffer = properties.buffer.map(|buffer| {
            let is_same = buffer.device.as_deref().map(Arc::as_ptr) == device.map(Arc::as_ptr);
            (buffer.memory as usize, buffer.size, buffer.kind, is_same)
        });
        properties::saw((
            properties.flags,
            properties.max_poolable,
            properties.min_driver_alloc,
            buffer,
        ));
        unsupported()
    }

    fn info(&self, _: UsmPoolInfo, out: InfoOut<'_>) -> UrResult<()> {
        out.unsupported()
    }
}
