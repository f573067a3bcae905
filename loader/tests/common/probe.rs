// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A client for the tests: `loader_probe LIBUR_LOADER COMMAND...` in an environment that the test chooses.
//!
//! | command | prints |
//! |---|---|
//! | `init`, `teardown` | the result |
//! | `layer NAME` | the result of switching it on for the next `init` |
//! | `adapters` | how many there are and their backends |
//! | `select` | the ids of the selected devices of all platforms, or the error, and the device references left |
//! | `launch` | what the first adapter saw of arguments set one by one |
//! | `record` | the same for a command buffer |
//! | `overrelease` | the results of releasing a kernel once more than it was created |
//! | `errors` | results of calls that are wrong |

use std::ffi::CStr;
use std::ptr::{null, null_mut};

use oxur_client::api::*;
use oxur_client::{Error, Fns, Loader, Result};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().expect("the first argument is the loader");
    let loader = Loader::open_uninitialised(path.as_ref()).expect("the loader loads");
    let mut probe = Probe {
        fns: loader.fns(),
        config: LoaderConfigHandle::default(),
    };
    while let Some(command) = arguments.next() {
        let outcome = match command.as_str() {
            // SAFETY: the configuration is null or alive.
            "init" => unsafe { probe.fns.urLoaderInit(DeviceInitFlags::empty(), probe.config) }.map(|()| "ok".into()),
            // SAFETY: no handle is used afterwards.
            "teardown" => unsafe { probe.fns.urLoaderTearDown() }.map(|()| "ok".into()),
            "layer" => probe.layer(&arguments.next().expect("layer NAME")),
            "adapters" => probe.adapters(),
            "select" => probe.select(),
            "launch" => probe.launch(),
            "record" => probe.record(),
            "overrelease" => probe.overrelease(),
            "errors" => Ok(probe.errors()),
            _ => panic!("no command {command}"),
        };
        println!("{command}: {}", outcome.unwrap_or_else(|error| code(&error)));
    }
}

fn code(error: &Error) -> String {
    match error {
        Error::Ur { code, .. } => format!("{code:?}"),
        other => other.to_string(),
    }
}

/// Asks for a list as every function of this kind is asked: the count first.
fn list<H: Copy + Default>(mut get: impl FnMut(u32, *mut H, *mut u32) -> Result<()>) -> Result<Vec<H>> {
    let mut count = 0;
    get(0, null_mut(), &mut count)?;
    let mut handles = vec![H::default(); count as usize];
    if count > 0 {
        get(count, handles.as_mut_ptr(), null_mut())?;
    }
    Ok(handles)
}

struct Probe<'a> {
    fns: &'a Fns,
    config: LoaderConfigHandle,
}

impl Probe<'_> {
    fn layer(&mut self, name: &str) -> Result<String> {
        let name = std::ffi::CString::new(name)?;
        // SAFETY: the result has a place; the name is a C string.
        unsafe {
            if self.config.is_null() {
                self.fns.urLoaderConfigCreate(&mut self.config)?;
            }
            self.fns.urLoaderConfigEnableLayer(self.config, name.as_ptr())?;
        }
        Ok("ok".into())
    }

    fn adapter_handles(&self) -> Result<Vec<AdapterHandle>> {
        // SAFETY: `list` gives valid places.
        list(|room, place, count| unsafe { self.fns.urAdapterGet(room, place, count) })
    }

    fn adapters(&self) -> Result<String> {
        let mut backends = Vec::new();
        for adapter in self.adapter_handles()? {
            let mut backend = Backend::UNKNOWN;
            let place = (&raw mut backend).cast();
            // SAFETY: the adapter is alive, and the answer is a `Backend`.
            unsafe {
                self.fns
                    .urAdapterGetInfo(adapter, AdapterInfo::BACKEND, 4, place, null_mut())
            }?;
            backends.push(backend);
        }
        Ok(format!("{} {backends:?}", backends.len()))
    }

    /// The message and code of an adapter.
    fn told(&self, adapter: AdapterHandle) -> Result<(String, i32)> {
        let (mut text, mut code) = (null(), 0);
        // SAFETY: the adapter is alive and gives a C string.
        unsafe {
            self.fns.urAdapterGetLastError(adapter, &mut text, &mut code)?;
            Ok((CStr::from_ptr(text).to_string_lossy().into_owned(), code))
        }
    }

    fn select(&self) -> Result<String> {
        let mut line = String::new();
        for adapter in self.adapter_handles()? {
            // SAFETY: `list` gives valid places, and the handles are alive.
            for platform in list(|room, place, count| unsafe { self.fns.urPlatformGet(adapter, room, place, count) })? {
                for kind in [DeviceType::ALL, DeviceType::GPU] {
                    // SAFETY: as above.
                    let devices = list(|room, place, count| unsafe {
                        self.fns.urDeviceGetSelected(platform, kind, room, place, count)
                    })?;
                    let mut ids = Vec::new();
                    for device in devices {
                        let mut id = 0u32;
                        let place = (&raw mut id).cast();
                        // SAFETY: the device is alive, and the answer is a `u32`.
                        unsafe {
                            self.fns
                                .urDeviceGetInfo(device, DeviceInfo::DEVICE_ID, 4, place, null_mut())?;
                            self.fns.urDeviceRelease(device)?;
                        }
                        ids.push(id);
                    }
                    line += &format!("{ids:?} ");
                }
            }
            line += &format!("references {}", self.told(adapter)?.1);
        }
        Ok(line)
    }

    /// The first adapter, and a context, a queue and a kernel of it.
    fn objects(&self) -> Result<(AdapterHandle, ContextHandle, QueueHandle, KernelHandle, DeviceHandle)> {
        let adapter = self.adapter_handles()?[0];
        let (mut context, mut queue) = (ContextHandle::default(), QueueHandle::default());
        let mut kernel = KernelHandle::default();
        // SAFETY: `list` gives valid places, and the handles are alive. The adapter's kernels need no program, but the
        // loader needs a handle of the adapter in its place.
        unsafe {
            let platform = list(|room, place, count| self.fns.urPlatformGet(adapter, room, place, count))?[0];
            let device =
                list(|room, place, count| self.fns.urDeviceGet(platform, DeviceType::ALL, room, place, count))?[0];
            self.fns.urContextCreate(1, &device, null(), &mut context)?;
            self.fns.urQueueCreate(context, device, null(), &mut queue)?;
            self.fns
                .urKernelCreate(ProgramHandle(queue.0), c"kernel".as_ptr(), &mut kernel)?;
            Ok((adapter, context, queue, kernel, device))
        }
    }

    /// Sets arguments of every kind.
    fn set_arguments(&self, kernel: KernelHandle) -> Result<()> {
        let fns = self.fns;
        let access = KernelArgMemObjProperties {
            memoryAccess: MemFlags::READ_ONLY,
            ..Default::default()
        };
        let value = [1u8, 2, 3];
        // SAFETY: the kernel is alive, and the adapter does not look behind the other handles.
        unsafe {
            fns.urKernelSetArgPointer(kernel, 1, null(), 0x20 as *const c_void)?;
            fns.urKernelSetArgValue(kernel, 0, 3, null(), value.as_ptr().cast())?;
            fns.urKernelSetArgLocal(kernel, 4, 64, null())?;
            fns.urKernelSetArgSampler(kernel, 2, null(), SamplerHandle(0x30 as *mut c_void))?;
            fns.urKernelSetArgMemObj(kernel, 3, &access, MemHandle(0x40 as *mut c_void))
        }
    }

    fn launch(&self) -> Result<String> {
        let (adapter, _, queue, kernel, _) = self.objects()?;
        let set = self.set_arguments(kernel);
        if let Err(error) = set {
            return Ok(format!("{}; {}", self.told(adapter)?.0, code(&error)));
        }
        let launch = |kernel| {
            // SAFETY: the handles are alive; nothing else is given.
            unsafe {
                let (none, no_events, global) = (null(), null(), 7);
                self.fns.urEnqueueKernelLaunch(
                    queue,
                    kernel,
                    1,
                    none,
                    &global,
                    none,
                    null(),
                    0,
                    no_events,
                    null_mut(),
                )?;
            }
            Ok::<_, Error>(self.told(adapter)?.0)
        };
        let first = launch(kernel)?;
        // SAFETY: the kernel is alive until the adapter's count is 0; the test adapter never frees it.
        let (second, third) = unsafe {
            self.fns.urKernelRetain(kernel)?;
            self.fns.urKernelRelease(kernel)?;
            let second = launch(kernel)?;
            self.fns.urKernelRelease(kernel)?;
            (second, launch(kernel)?)
        };
        Ok(format!(
            "{first}; kept {}; after the last release {third}",
            first == second
        ))
    }

    fn record(&self) -> Result<String> {
        let (adapter, context, _, kernel, device) = self.objects()?;
        self.set_arguments(kernel)?;
        let mut buffer = ExpCommandBufferHandle::default();
        let (none, global) = (null(), 7);
        // SAFETY: the handles are alive; lists are empty.
        unsafe {
            self.fns
                .urCommandBufferCreateExp(context, device, &ExpCommandBufferDesc::default(), &mut buffer)?;
            self.fns.urCommandBufferAppendKernelLaunchExp(
                buffer,
                kernel,
                1,
                none,
                &global,
                none,
                0,
                null_mut(),
                0,
                null(),
                0,
                null(),
                null_mut(),
                null_mut(),
                null_mut(),
            )?;
        }
        Ok(self.told(adapter)?.0)
    }

    fn overrelease(&self) -> Result<String> {
        let kernel = self.objects()?.3;
        // SAFETY: the test adapter never frees a kernel, and refuses to release one without references.
        let outcomes = [(); 2].map(|()| unsafe { self.fns.urKernelRelease(kernel) });
        Ok(outcomes
            .map(|outcome| outcome.err().map_or("ok".into(), |error| code(&error)))
            .join(" "))
    }

    fn errors(&self) -> String {
        let fns = self.fns;
        let mut count = 0;
        let (mut context, device) = (ContextHandle::default(), DeviceHandle::default());
        let event = EventHandle::default();
        let mut adapters = [AdapterHandle::default()];
        // SAFETY: wrong as they are, these calls give no bad pointer.
        let outcomes = unsafe {
            [
                fns.urAdapterGet(0, adapters.as_mut_ptr(), null_mut()),
                fns.urPlatformGet(AdapterHandle::default(), 0, null_mut(), &mut count),
                fns.urEventWait(1, null()),
                fns.urEventWait(0, &event),
                fns.urEventWait(1, &event),
                fns.urContextCreate(1, null(), null(), &mut context),
                fns.urContextCreate(0, &device, null(), &mut context),
                fns.urContextCreate(1, &device, null(), &mut context),
                fns.urDeviceGetSelected(PlatformHandle::default(), DeviceType::ALL, 0, null_mut(), &mut count),
                self.adapter_handles().and_then(|adapters| match adapters.first() {
                    // The test adapter lacks this function.
                    Some(adapter) => fns.urAdapterSetLoggerCallbackLevel(*adapter, LoggerLevel::INFO),
                    None => Ok(()),
                }),
            ]
        };
        let codes: Vec<_> = outcomes
            .iter()
            .map(|outcome| outcome.as_ref().err().map_or("ok".into(), code))
            .collect();
        codes.join(" ").replace("UR_RESULT_ERROR_", "")
    }
}
