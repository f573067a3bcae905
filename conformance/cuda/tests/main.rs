// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Tests of the CUDA adapter. Those of module `driver` are for the driver without a GPU, whose variables make it lack
//! what a driver may lack; the others run on a real one, too (`OXUR_CUDA_SYSTEM=1`).

mod assertions;
mod backend;
mod clusters;
mod driver;
mod ends;
mod failures;
mod graphs;
mod held;
mod images;
mod loops;
mod lost;
mod native_graphs;
mod partial_sub_groups;
mod peers;
mod programs;
mod registers;
mod searches;
mod shorts;
mod spins;
mod streams;
mod sub_groups;
mod virtual_mem;

use std::path::Path;
use std::sync::OnceLock;

use oxur_client::api::*;
use oxur_client::*;

/// The loader under test, which `OXUR_TEST_LOADER` names; `UR_ADAPTERS_FORCE_LOAD` names the adapter.
fn loader() -> &'static Loader {
    static LOADER: OnceLock<Loader> = OnceLock::new();
    LOADER.get_or_init(|| {
        let path = std::env::var_os("OXUR_TEST_LOADER").expect("conformance/cuda/run.sh sets OXUR_TEST_LOADER");
        Loader::open(Path::new(&path)).expect("the loader")
    })
}

/// A device with a context and an in-order queue.
struct Rig {
    device: Device,
    context: Context,
    queue: Queue,
}

impl Rig {
    fn new() -> Self {
        let adapters = loader().adapters().expect("urAdapterGet");
        let platform = adapters[0].platforms().expect("urPlatformGet").remove(0);
        let device = platform.devices().expect("urDeviceGet").remove(0);
        let context = Context::new(&[&device]).expect("urContextCreate");
        let queue = Queue::new(&context, &device, QueueFlags::empty()).expect("urQueueCreate");
        Self { device, context, queue }
    }

    /// The program of `kernels.ptx`.
    fn program(&self) -> Program {
        let ptx = include_bytes!("kernels.ptx");
        let program =
            Program::with_binaries(&self.context, &[&self.device], &[ptx]).expect("urProgramCreateWithBinary");
        program.build(&self.context, "").expect("urProgramBuild");
        program
    }

    fn kernel(&self, name: &str) -> Kernel {
        Kernel::new(&self.program(), name).expect("urKernelCreate")
    }

    /// Shared memory with these values.
    fn shared<T: Plain>(&self, values: &[T]) -> Usm {
        let size = size_of_val(values);
        let mut usm = Usm::shared(&self.context, &self.device, size, UsmRequest::default()).expect("urUSMSharedAlloc");
        // SAFETY: new memory of the values' size, which no command uses yet.
        unsafe { usm.as_mut_slice() }.copy_from_slice(values);
        usm
    }

    /// Launches a kernel of `kernels.ptx`.
    fn launch(&self, kernel: &Kernel, range: &Range, args: &[Arg]) -> Result<Event> {
        // SAFETY: the kernels do what they say, and tests give memory for it which lives until they have waited.
        unsafe { self.queue.launch(kernel, range, args, &[]) }
    }
}

/// The code of a call.
fn code<T>(result: Result<T>) -> ResultCode {
    match result {
        Ok(_) => ResultCode::SUCCESS,
        Err(error) => error.code().expect("an error of Unified Runtime"),
    }
}
