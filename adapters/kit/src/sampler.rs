// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Samplers.

use std::ffi::c_void;
use std::sync::Arc;

use oxur_api::*;

use crate::handle::{self, export, object};
use crate::table::entry_points;
use crate::{Backend, InfoOut, Object, UrResult, args, entry, unsupported};

/// A sampler: how a kernel reads an image.
pub trait Sampler<B: Backend>: Object<Handle = SamplerHandle> {
    /// Makes a sampler.
    fn create(_context: &Arc<B::Context>, _desc: &SamplerDesc) -> UrResult<Arc<Self>> {
        unsupported()
    }

    /// Answers `urSamplerGetInfo`, but for the reference count.
    fn info(&self, _query: SamplerInfo, out: InfoOut<'_>) -> UrResult<()> {
        out.unsupported()
    }

    /// The driver's handle.
    fn native(self: &Arc<Self>) -> UrResult<NativeHandle> {
        unsupported()
    }

    /// Wraps a native sampler. `owned` says that the native handle is ours to release.
    fn from_native(_context: &Arc<B::Context>, _native: NativeHandle, _owned: bool) -> UrResult<Arc<Self>> {
        unsupported()
    }
}

entry! {
    fn urSamplerCreate<B>(context: ContextHandle, desc: *const SamplerDesc, sampler: *mut SamplerHandle) {
        let context = object::<B::Context>(context)?;
        let desc = args::required(desc)?;
        let out = args::out(sampler)?;
        if desc.addressingMode > SamplerAddressingMode::MIRRORED_REPEAT || desc.filterMode > SamplerFilterMode::LINEAR {
            return Err(ResultCode::ERROR_INVALID_ENUMERATION.into());
        }
        out.write(export(&B::Sampler::create(&context, desc)?));
        Ok(())
    }

    fn urSamplerRetain<B>(sampler: SamplerHandle) {
        handle::retain::<B::Sampler>(sampler)
    }

    fn urSamplerRelease<B>(sampler: SamplerHandle) {
        handle::release::<B::Sampler>(sampler)
    }

    fn urSamplerGetInfo<B>(
        sampler: SamplerHandle, query: SamplerInfo, size: usize, value: *mut c_void, needed: *mut usize,
    ) {
        let sampler = object::<B::Sampler>(sampler)?;
        let out = InfoOut::of(query, size, value, needed)?;
        match query {
            SamplerInfo::REFERENCE_COUNT => out.references(&**sampler),
            _ => sampler.info(query, out),
        }
    }

    fn urSamplerGetNativeHandle<B>(sampler: SamplerHandle, native: *mut NativeHandle) {
        let sampler = object::<B::Sampler>(sampler)?;
        args::out(native)?.write(sampler.native()?);
        Ok(())
    }

    fn urSamplerCreateWithNativeHandle<B>(
        native: NativeHandle, context: ContextHandle, properties: *const SamplerNativeProperties,
        sampler: *mut SamplerHandle,
    ) {
        let context = object::<B::Context>(context)?;
        let out = args::out(sampler)?;
        let owned = properties.as_ref().is_some_and(|p| p.isNativeHandleOwned);
        out.write(export(&B::Sampler::from_native(&context, native, owned)?));
        Ok(())
    }
}

oxur_api::sampler_functions! { entry_points {} }
