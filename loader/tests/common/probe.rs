// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A client for the tests: `loader_probe LIBUR_LOADER COMMAND...` in an environment that the test chooses.
//!
//! | command | prints |
//! |---|---|
//! | `init`, `teardown` | the result |
//! | `layer NAME` | the result of enabling it for the next `init` |
//! | `adapters` | their number and backends |
//! | `select` | the ids of the selected devices of all platforms, or the error, and the device references left |
//! | `launch` | what the first adapter received for arguments set one by one |
//! | `record` | the same for a command buffer |
//! | `throw` | the results of two native commands, the second of which throws, and what the first adapter received |
//! | `overrelease` | the results of releasing a kernel once more than it was created |
//! | `errors` | the results of wrong calls |
//! | `open LIBRARY` | `ok` |
//! | `launch2025`, `programs2025`, `image2025` | what the first adapter received for calls with the parameters of release 2025.3 |
//! | `launches2025_2`, `others2025_2` | the same for release 2025.2 |

use std::ffi::CStr;
use std::mem::transmute;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::{null, null_mut};

use libloading::Library;
use oxur_client::api::*;
use oxur_client::{Error, Fns, Loader, Result};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().expect("the first argument is the loader");
    let loader = Loader::open_uninitialised(path.as_ref()).expect("the loader loads");
    let mut probe = Probe {
        fns: loader.fns(),
        config: LoaderConfigHandle::default(),
        path: path.clone(),
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
            "throw" => probe.throw(),
            "overrelease" => probe.overrelease(),
            "errors" => Ok(probe.errors()),
            "open" => probe.open(&arguments.next().expect("open LIBRARY")),
            "launch2025" => probe.launch2025(),
            "programs2025" => probe.programs2025(),
            "image2025" => probe.image2025(),
            "launches2025_2" => probe.launches2025_2(),
            "others2025_2" => probe.others2025_2(),
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

/// Queries a list: first the count, then the elements.
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
    path: String,
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
        // SAFETY: `list` gives valid places, and the adapter is alive.
        let platforms = list(|room, place, count| unsafe { self.fns.urPlatformGet(adapter, room, place, count) })?;
        self.objects_of(adapter, platforms[0])
    }

    /// The same for a platform of the adapter.
    fn objects_of(
        &self,
        adapter: AdapterHandle,
        platform: PlatformHandle,
    ) -> Result<(AdapterHandle, ContextHandle, QueueHandle, KernelHandle, DeviceHandle)> {
        let (mut context, mut queue) = (ContextHandle::default(), QueueHandle::default());
        let mut kernel = KernelHandle::default();
        // SAFETY: `list` gives valid places, and the handles are alive. The adapter's kernels need no program, but the
        // loader needs a handle of the adapter in its place.
        unsafe {
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

    /// Two native commands, the second of which throws. To the libraries a Rust panic is as foreign as a C++ exception.
    fn throw(&self) -> Result<String> {
        unsafe extern "C-unwind" fn act(_: QueueHandle, throws: *mut c_void) {
            if !throws.is_null() {
                resume_unwind(Box::new("thrown"));
            }
        }
        let (adapter, _, queue, _, _) = self.objects()?;
        let mut lines = Vec::new();
        for throws in [false, true, false] {
            // SAFETY: the two types differ only in whether they may unwind.
            let function = unsafe {
                transmute::<unsafe extern "C-unwind" fn(_, _), unsafe extern "C" fn(QueueHandle, *mut c_void)>(act)
            };
            let data = std::ptr::without_provenance_mut(throws.into());
            let (none, no_event) = (null(), null_mut());
            let call = AssertUnwindSafe(|| {
                // SAFETY: the queue is alive; the function takes any pointer for a flag.
                unsafe {
                    self.fns.urEnqueueNativeCommandExp(
                        queue,
                        Some(function),
                        data,
                        0,
                        none,
                        null(),
                        0,
                        null(),
                        no_event,
                    )
                }
            });
            let outcome = match catch_unwind(call) {
                Ok(outcome) => outcome.err().map_or("ok".into(), |error| code(&error)),
                Err(thrown) => thrown
                    .downcast_ref::<&str>()
                    .map_or("something", |text| text)
                    .to_owned(),
            };
            lines.push(format!("{outcome}, {}", self.told(adapter)?.0));
        }
        Ok(lines.join("; "))
    }

    fn overrelease(&self) -> Result<String> {
        let kernel = self.objects()?.3;
        // SAFETY: the test adapter never frees a kernel, and rejects a release without references.
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
        // SAFETY: these calls are wrong, but pass no bad pointer.
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

    fn open(&self, path: &str) -> Result<String> {
        // SAFETY: the library of the test has no constructors.
        std::mem::forget(unsafe { Library::new(path) }.expect("the library loads"));
        Ok("ok".into())
    }

    /// A function of the loader, with the parameters of any release.
    ///
    /// # Safety
    /// `F` is the type of the function.
    unsafe fn symbol<F: Copy>(&self, name: &str) -> F {
        // SAFETY: the loader is loaded already.
        let loader = unsafe { Library::new(&self.path) }.expect("the loader loads");
        // SAFETY: the caller vouches for the type.
        let function = *unsafe { loader.get::<F>(name.as_bytes()) }.expect("the loader has it");
        std::mem::forget(loader);
        function
    }

    fn launch2025(&self) -> Result<String> {
        type Launch = unsafe extern "C" fn(
            QueueHandle,
            KernelHandle,
            u32,
            *const usize,
            *const usize,
            *const usize,
            u32,
            *const Property,
            u32,
            *const EventHandle,
            *mut EventHandle,
        ) -> ResultCode;
        #[repr(C, align(8))]
        struct Property([u32; 6]);
        let (adapter, _, queue, kernel, _) = self.objects()?;
        // Cooperative, clusters of 2 x 3 x 4, 64 bytes of memory: each has an id, 4 bytes of padding and a value of 16 bytes.
        let properties = [
            Property([1, 0, 1, 0, 0, 0]),
            Property([2, 0, 2, 3, 4, 0]),
            Property([3, 0, 64, 0, 0, 0]),
        ];
        let unknown = [Property([9, 0, 0, 0, 0, 0])];
        let (none, global, waits) = (null(), 7, [EventHandle::default(); 2]);
        let mut lines = Vec::new();
        for (list, count) in [
            (null(), 0),
            (properties.as_ptr(), 3),
            (unknown.as_ptr(), 1),
            (null(), 1),
        ] {
            // SAFETY: the type is that of release 2025.3; the handles are alive.
            let code = unsafe {
                let launch: Launch = self.symbol("urEnqueueKernelLaunch");
                launch(
                    queue,
                    kernel,
                    1,
                    none,
                    &global,
                    none,
                    count,
                    list,
                    2,
                    waits.as_ptr(),
                    null_mut(),
                )
            };
            lines.push(match code {
                ResultCode::SUCCESS => self.told(adapter)?.0,
                code => format!("{code:?}"),
            });
        }
        Ok(lines.join("; "))
    }

    fn programs2025(&self) -> Result<String> {
        type Build = unsafe extern "C" fn(ProgramHandle, u32, *mut DeviceHandle, *const c_char) -> ResultCode;
        type Link = unsafe extern "C" fn(
            ContextHandle,
            u32,
            *mut DeviceHandle,
            u32,
            *const ProgramHandle,
            *const c_char,
            *mut ProgramHandle,
        ) -> ResultCode;
        let (adapter, context, queue, _, mut device) = self.objects()?;
        // The adapter has no programs; any of its objects will do.
        let programs = [ProgramHandle(queue.0); 3];
        let mut lines = Vec::new();
        for name in ["urProgramBuildExp", "urProgramCompileExp"] {
            // SAFETY: the type is that of release 2025.3; the handles are alive.
            let code = unsafe { self.symbol::<Build>(name)(programs[0], 1, &mut device, c"-a".as_ptr()) };
            lines.push(format!("{code:?} {}", self.told(adapter)?.0));
        }
        let mut linked = ProgramHandle::default();
        // SAFETY: as above.
        let code = unsafe {
            let link: Link = self.symbol("urProgramLinkExp");
            link(
                context,
                1,
                &mut device,
                3,
                programs.as_ptr(),
                c"-b".as_ptr(),
                &mut linked,
            )
        };
        lines.push(format!("{code:?} {} {}", self.told(adapter)?.0, !linked.is_null()));
        Ok(lines.join("; "))
    }

    fn image2025(&self) -> Result<String> {
        type Copy = unsafe extern "C" fn(
            QueueHandle,
            *const c_void,
            *mut c_void,
            *const ImageDesc,
            *const ImageDesc,
            *const ImageFormat,
            *const ImageFormat,
            *mut ExpImageCopyRegion,
            ExpImageCopyFlags,
            u32,
            *const EventHandle,
            *mut EventHandle,
        ) -> ResultCode;
        type Direction = ExpImageCopyFlags;
        let (adapter, _, queue, _, _) = self.objects()?;
        // The adapter says that it has allocated what begins at 0x1000.
        let (image, allocated, other) = (0x2000usize, 0x1000, 0x3000);
        let (plain, pitched) = (
            ImageDesc::default(),
            ImageDesc {
                rowPitch: 64,
                ..Default::default()
            },
        );
        // 8 bytes a pixel.
        let format = ImageFormat {
            channelOrder: ImageChannelOrder::RGBA,
            channelType: ImageChannelType::HALF_FLOAT,
        };
        let mut region = ExpImageCopyRegion::default();
        (region.srcOffset.x, region.dstOffset.x) = (1, 2);
        (region.copyExtent.width, region.copyExtent.height) = (5, 7);
        let mut lines = Vec::new();
        for ((src, src_desc), (dst, dst_desc), direction) in [
            ((other, plain), (image, plain), Direction::HOST_TO_DEVICE),
            ((other, pitched), (image, plain), Direction::HOST_TO_DEVICE),
            ((other, plain), (allocated, pitched), Direction::HOST_TO_DEVICE),
            ((other, plain), (allocated, plain), Direction::HOST_TO_DEVICE),
            ((image, plain), (other, plain), Direction::DEVICE_TO_HOST),
            ((other, pitched), (other, plain), Direction::DEVICE_TO_HOST),
            ((image, plain), (image, plain), Direction::DEVICE_TO_DEVICE),
            ((allocated, plain), (image, plain), Direction::DEVICE_TO_DEVICE),
            ((image, plain), (other, pitched), Direction::DEVICE_TO_DEVICE),
            ((other, plain), (other, plain), Direction::HOST_TO_HOST),
            ((0, plain), (image, plain), Direction::DEVICE_TO_DEVICE),
        ] {
            // SAFETY: the type is that of release 2025.3; the adapter reads none of the addresses.
            let code = unsafe {
                self.symbol::<Copy>("urBindlessImagesImageCopyExp")(
                    queue,
                    src as *const c_void,
                    dst as *mut c_void,
                    &src_desc,
                    &dst_desc,
                    &format,
                    &format,
                    &mut region,
                    direction,
                    2,
                    [EventHandle::default(); 2].as_ptr(),
                    null_mut(),
                )
            };
            lines.push(match code {
                ResultCode::SUCCESS => self.told(adapter)?.0,
                code => format!("{code:?}"),
            });
        }
        Ok(lines.join("; "))
    }

    /// What the adapter received for a call, or the call's error.
    fn received(&self, adapter: AdapterHandle, code: ResultCode) -> Result<String> {
        Ok(match code {
            ResultCode::SUCCESS => self.told(adapter)?.0,
            code => format!("{code:?}"),
        })
    }

    /// The platforms of the first adapter, three times: how many there are, the first two of them, and the result.
    fn platforms2025_2(&self, adapter: AdapterHandle) -> (u32, [PlatformHandle; 2], ResultCode) {
        type Get = unsafe extern "C" fn(*mut AdapterHandle, u32, u32, *mut PlatformHandle, *mut u32) -> ResultCode;
        let (mut adapters, mut platforms, mut count) = ([adapter; 3], [PlatformHandle::default(); 2], 0);
        // SAFETY: the type is that of release 2025.2; the handles are alive.
        let code = unsafe {
            let get: Get = self.symbol("urPlatformGet");
            get(adapters.as_mut_ptr(), 3, 2, platforms.as_mut_ptr(), &mut count)
        };
        (count, platforms, code)
    }

    fn launches2025_2(&self) -> Result<String> {
        type Launch = unsafe extern "C" fn(
            QueueHandle,
            KernelHandle,
            u32,
            *const usize,
            *const usize,
            *const usize,
            u32,
            *const EventHandle,
            *mut EventHandle,
        ) -> ResultCode;
        type CustomLaunch = unsafe extern "C" fn(
            QueueHandle,
            KernelHandle,
            u32,
            *const usize,
            *const usize,
            *const usize,
            u32,
            *const [u64; 3],
            u32,
            *const EventHandle,
            *mut EventHandle,
        ) -> ResultCode;
        type GroupCount =
            unsafe extern "C" fn(KernelHandle, DeviceHandle, u32, *const usize, usize, *mut u32) -> ResultCode;
        let adapter = self.adapter_handles()?[0];
        let (_, _, queue, kernel, device) = self.objects_of(adapter, self.platforms2025_2(adapter).1[0])?;
        let (none, global, waits) = (null(), 7, [EventHandle::default(); 2]);
        let mut lines = Vec::new();
        for name in ["urEnqueueKernelLaunch", "urEnqueueCooperativeKernelLaunchExp"] {
            // SAFETY: the type is that of release 2025.2.
            let launch: Launch = unsafe { self.symbol(name) };
            // SAFETY: the type is that of release 2025.2; the handles are alive.
            let code = unsafe { launch(queue, kernel, 1, none, &global, none, 2, waits.as_ptr(), null_mut()) };
            lines.push(self.received(adapter, code)?);
        }
        // 64 bytes of memory.
        let properties = [[3, 64, 0]];
        // SAFETY: the type is that of release 2025.2.
        let custom: CustomLaunch = unsafe { self.symbol("urEnqueueKernelLaunchCustomExp") };
        // SAFETY: as above.
        let code = unsafe {
            let (list, events) = (properties.as_ptr(), waits.as_ptr());
            custom(queue, kernel, 1, none, &global, none, 1, list, 2, events, null_mut())
        };
        lines.push(self.received(adapter, code)?);
        // SAFETY: the type is that of release 2025.2.
        let count: GroupCount = unsafe { self.symbol("urKernelSuggestMaxCooperativeGroupCountExp") };
        let mut groups = 0;
        // SAFETY: as above.
        let code = unsafe { count(kernel, device, 1, &global, 64, &mut groups) };
        lines.push(self.received(adapter, code)?);
        Ok(lines.join("; "))
    }

    fn others2025_2(&self) -> Result<String> {
        type SampledImage = unsafe extern "C" fn(
            ContextHandle,
            DeviceHandle,
            usize,
            *const ImageFormat,
            *const ImageDesc,
            SamplerHandle,
            *mut ExpImageNativeHandle,
        ) -> ResultCode;
        type Granularity = unsafe extern "C" fn(
            ContextHandle,
            DeviceHandle,
            VirtualMemGranularityInfo,
            usize,
            *mut c_void,
            *mut usize,
        ) -> ResultCode;
        let adapter = self.adapter_handles()?[0];
        // The adapter has one platform.
        let (count, platforms, code) = self.platforms2025_2(adapter);
        let found = platforms.iter().filter(|platform| !platform.is_null()).count();
        let mut lines = vec![format!("{code:?} {count} {found}")];
        let (_, context, _, _, device) = self.objects_of(adapter, platforms[0])?;

        let mut cubemap = ExpSamplerCubemapProperties::default();
        let mut mip = ExpSamplerMipProperties {
            pNext: (&raw mut cubemap).cast(),
            ..Default::default()
        };
        let mut modes = ExpSamplerAddrModes {
            pNext: (&raw mut mip).cast(),
            ..Default::default()
        };
        let desc = SamplerDesc {
            pNext: (&raw mut modes).cast(),
            addressingMode: SamplerAddressingMode::REPEAT,
            filterMode: SamplerFilterMode::LINEAR,
            ..Default::default()
        };
        let (mut sampler, mut image) = (SamplerHandle::default(), ExpImageNativeHandle::default());
        // SAFETY: the type is that of release 2025.2.
        let create: SampledImage = unsafe { self.symbol("urBindlessImagesSampledImageCreateExp") };
        let (format, of) = (ImageFormat::default(), ImageDesc::default());
        let mut make = |sampler| {
            // SAFETY: as above.
            let code = unsafe { create(context, device, 0x10, &format, &of, sampler, &mut image) };
            self.received(adapter, code)
        };
        // SAFETY: as above. The last image is of a sampler that is gone.
        unsafe {
            self.fns.urSamplerCreate(context, &desc, &mut sampler)?;
            self.fns.urSamplerRetain(sampler)?;
            self.fns.urSamplerRelease(sampler)?;
            lines.push(make(sampler)?);
            self.fns.urSamplerRelease(sampler)?;
            lines.push(make(sampler)?);
        }
        // SAFETY: the type is that of release 2025.2.
        let granularity: Granularity = unsafe { self.symbol("urVirtualMemGranularityGetInfo") };
        // SAFETY: as above.
        let result = unsafe {
            granularity(
                context,
                device,
                VirtualMemGranularityInfo::RECOMMENDED,
                8,
                null_mut(),
                null_mut(),
            )
        };
        lines.push(self.received(adapter, result)?);
        let properties = PhysicalMemProperties {
            stype: StructureType(28),
            ..Default::default()
        };
        let mut memory = PhysicalMemHandle::default();
        // SAFETY: as above.
        let created = unsafe {
            self.fns
                .urPhysicalMemCreate(context, device, 64, &properties, &mut memory)
        };
        lines.push(match created {
            Ok(()) => self.told(adapter)?.0,
            Err(error) => self::code(&error),
        });
        Ok(lines.join("; "))
    }
}
