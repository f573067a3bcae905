// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Contexts.

use std::ffi::c_void;
use std::sync::Arc;

use oxur_api::callback::{MayThrow, call_or_abort};
use oxur_api::*;
use oxur_fork::Mutex;

use crate::chain::decode;
use crate::handle::{self, export, object};
use crate::table::entry_points;
use crate::{Backend, Command, Device, InfoOut, Object, UrError, UrResult, args, entry, unsupported};

/// A context: devices that share memory objects and programs.
pub trait Context<B: Backend<Context = Self>>: Object<Handle = ContextHandle> {
    /// Makes a context of at least one device.
    fn create(devices: Vec<Arc<B::Device>>, flags: ContextFlags) -> UrResult<Arc<Self>>;

    /// Its devices.
    fn devices(&self) -> &[Arc<B::Device>];

    /// Answers `urContextGetInfo`, but for the devices and the reference count.
    fn info(&self, _query: ContextInfo, out: InfoOut<'_>) -> UrResult<()> {
        out.unsupported()
    }

    /// Whether it is the same for the driver as another one: two of ours may stand for one of the driver's.
    fn is_same(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }

    /// Refuses a device that is neither one of the context's nor a part of one.
    fn check_device(&self, device: &B::Device) -> UrResult<()> {
        match self.devices().iter().any(|own| device.is_in(own)) {
            true => Ok(()),
            false => Err(crate::error!(
                ERROR_INVALID_DEVICE: "the device is none of the context's, and no part of one"
            )),
        }
    }

    /// Checks that a queue or a command buffer of this context, which runs on this device of it, can have a command. The kit
    /// asks it of commands that are appended or captured; `submit` asks it by itself. An adapter that knows more of some
    /// commands begins with [`Command::check_operands`].
    #[inline(always)]
    fn check_command(&self, _device: &Arc<B::Device>, command: &Command<'_, B>) -> UrResult<()> {
        command.check_operands(self)
    }

    /// Where the functions are that a client wants to be called when the context goes, if it has a place for them.
    fn deleters(&self) -> Option<&Deleters> {
        None
    }

    /// Drops what commands of the context may use that are unfinished, when they are complete. By default at once, for drivers that
    /// keep what their commands use.
    fn retire<T: Send + 'static>(self: &Arc<Self>, object: T) {
        drop(object);
    }

    /// The driver's handle.
    fn native(self: &Arc<Self>) -> UrResult<NativeHandle> {
        unsupported()
    }
}

/// Writes the methods of [`Context`] that follow from the members of a context whose memory, events and programs are the kit's:
/// `devices`, `deleters`, and what all wrappers of the driver's context have, `shared`, with the commands that are `in_flight`. A
/// [`Watcher`](crate::Watcher) says when those are complete.
#[macro_export]
macro_rules! driver_context_methods {
    ($backend:ty, $watcher:expr) => {
        fn devices(&self) -> &[::std::sync::Arc<<$backend as $crate::Backend>::Device>] {
            &self.devices
        }

        fn info(&self, query: $crate::ur::ContextInfo, out: $crate::InfoOut<'_>) -> $crate::UrResult<()> {
            use $crate::ur::ContextInfo;
            match query {
                ContextInfo::USM_MEMCPY2D_SUPPORT | ContextInfo::USM_FILL2D_SUPPORT => out.bool(true),
                _ => out.unsupported(),
            }
        }

        fn is_same(&self, other: &Self) -> bool {
            ::std::sync::Arc::ptr_eq(&self.shared, &other.shared)
        }

        #[inline(always)]
        fn check_command(
            &self,
            device: &::std::sync::Arc<<$backend as $crate::Backend>::Device>,
            command: &$crate::Command<'_, $backend>,
        ) -> $crate::UrResult<()> {
            command.check_operands_and_global(self, |global| global.program.locate(device, global).map(drop))
        }

        fn deleters(&self) -> Option<&$crate::Deleters> {
            Some(&self.deleters)
        }

        fn retire<T: Send + 'static>(self: &::std::sync::Arc<Self>, object: T) {
            // The context goes last.
            $watcher.retire(&self.shared.in_flight, (object, self.clone()));
        }
    };
}

/// Whether two contexts are the same for the driver.
pub(crate) fn is_same<B: Backend>(one: &Arc<B::Context>, other: &Arc<B::Context>) -> bool {
    // Most often it is one context, which need not be looked into.
    Arc::ptr_eq(one, other) || one.is_same(other)
}

/// Checks that what a command works on is of its context.
#[inline]
pub(crate) fn check_context<B: Backend>(of: &B::Context, context: &B::Context) -> UrResult<()> {
    #[cold]
    fn strange() -> UrError {
        crate::error!(ERROR_INVALID_CONTEXT: "a command and what it works on are of different contexts")
    }
    if of.is_same(context) { Ok(()) } else { Err(strange()) }
}

/// The functions that a client asked to be called when an object is destroyed. They run when this is dropped, the
/// last one registered first.
#[derive(Default)]
pub struct Deleters {
    registered: Mutex<Vec<Deleter>>,
}

struct Deleter {
    function: unsafe extern "C" fn(*mut c_void),
    user_data: *mut c_void,
}

// SAFETY: the client's pointer is only given back to the client's function, which the specification allows to be called from any
// thread.
unsafe impl Send for Deleter {}

impl Deleters {
    /// One more function to call, with this pointer.
    pub(crate) fn add(&self, function: unsafe extern "C" fn(*mut c_void), user_data: *mut c_void) {
        self.registered.lock().push(Deleter { function, user_data });
    }
}

impl Drop for Deleters {
    fn drop(&mut self) {
        for deleter in self.registered.get_mut().drain(..).rev() {
            // SAFETY: whoever registered the function vouched that it may be called once with this pointer.
            let call = || unsafe { deleter.function.may_throw()(deleter.user_data) };
            call_or_abort("a function that is called when an object is destroyed", call);
        }
    }
}

entry! {
    fn urContextCreate<B>(
        count: u32, devices: *const DeviceHandle, properties: *const ContextProperties, context: *mut ContextHandle,
    ) {
        if count == 0 {
            return Err(ResultCode::ERROR_INVALID_SIZE.into());
        }
        let mut flags = ContextFlags::empty();
        if let Some(properties) = properties.as_ref() {
            args::known_flags(properties.flags)?;
            decode!("urContextCreate", properties.pNext)?;
            flags = properties.flags;
        }
        let devices = args::objects::<B::Device>(devices, count)?;
        let out = args::out(context)?;
        out.write(export(&B::Context::create(devices, flags)?));
        Ok(())
    }

    fn urContextRetain<B>(context: ContextHandle) {
        handle::retain::<B::Context>(context)
    }

    fn urContextRelease<B>(context: ContextHandle) {
        handle::release::<B::Context>(context)
    }

    fn urContextGetInfo<B>(
        context: ContextHandle, query: ContextInfo, size: usize, value: *mut c_void, needed: *mut usize,
    ) {
        let context = object::<B::Context>(context)?;
        let out = InfoOut::of(query, size, value, needed)?;
        match query {
            ContextInfo::NUM_DEVICES => out.value(context.devices().len() as u32),
            ContextInfo::DEVICES => out.handles(context.devices()),
            ContextInfo::REFERENCE_COUNT => out.references(&**context),
            _ => context.info(query, out),
        }
    }

    fn urContextGetNativeHandle<B>(context: ContextHandle, native: *mut NativeHandle) {
        let context = object::<B::Context>(context)?;
        args::out(native)?.write(context.native()?);
        Ok(())
    }

    fn urContextCreateWithNativeHandle<B>(
        native: NativeHandle, adapter: AdapterHandle, count: u32, devices: *const DeviceHandle,
        properties: *const ContextNativeProperties, context: *mut ContextHandle,
    ) {
        let adapter = object::<B::Adapter>(adapter)?;
        let devices = args::objects::<B::Device>(devices, count)?;
        let out = args::out(context)?;
        let properties = properties.as_ref().copied().unwrap_or_default();
        decode!("urContextCreateWithNativeHandle", properties.pNext)?;
        let owned = properties.isNativeHandleOwned;
        out.write(export(&crate::Adapter::context_from_native(&**adapter, native, devices, owned)?));
        Ok(())
    }

    fn urContextSetExtendedDeleter<B>(
        context: ContextHandle, deleter: ContextExtendedDeleter, user_data: *mut c_void,
    ) {
        let context = object::<B::Context>(context)?;
        let function = deleter.ok_or(ResultCode::ERROR_INVALID_NULL_POINTER)?;
        match context.deleters() {
            Some(deleters) => deleters.add(function, user_data),
            None => return unsupported(),
        }
        Ok(())
    }
}

oxur_api::context_functions! { entry_points {} }
