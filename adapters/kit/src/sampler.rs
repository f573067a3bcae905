// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Samplers.

use std::ffi::c_void;
use std::sync::Arc;

use oxur_api::*;

use crate::chain::decode;
use crate::handle::{self, export, object};
use crate::table::entry_points;
use crate::{Backend, Context, HandleCell, InfoOut, Object, UrResult, args, entry, unsupported};

/// A sampler: how a kernel reads an image.
pub trait Sampler<B: Backend>: Object<Handle = SamplerHandle> {
    /// Makes a sampler.
    fn create(_context: &Arc<B::Context>, _properties: &SamplerProperties) -> UrResult<Arc<Self>> {
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

/// A driver's sampler, which is destroyed when this is dropped.
pub trait NativeSampler<B: Backend>: Send + Sync + Sized + 'static {
    /// Makes a sampler.
    fn create(context: &Arc<B::Context>, properties: &SamplerProperties) -> UrResult<Self>;

    /// The driver's handle, for the client.
    fn native(&self, _context: &Arc<B::Context>) -> UrResult<NativeHandle> {
        unsupported()
    }

    /// Wraps a native sampler. `owned` says that the native handle is ours to release.
    fn from_native(_native: NativeHandle, _owned: bool) -> UrResult<Self> {
        unsupported()
    }

    /// What the driver says of a native one.
    fn properties(&self) -> UrResult<SamplerProperties> {
        unsupported()
    }
}

/// The whole of a sampler, where `S` is the driver's.
pub struct DriverSampler<B: Backend, S: NativeSampler<B>> {
    handle_cell: HandleCell,
    /// The driver's.
    pub raw: Arc<S>,
    /// `None` for a native one.
    properties: Option<SamplerProperties>,
    context: Arc<B::Context>,
}

impl<B: Backend, S: NativeSampler<B>> DriverSampler<B, S> {
    fn new(raw: S, properties: Option<SamplerProperties>, context: &Arc<B::Context>) -> Arc<Self> {
        Arc::new(Self {
            handle_cell: HandleCell::new(),
            raw: Arc::new(raw),
            properties,
            context: context.clone(),
        })
    }
}

impl<B: Backend, S: NativeSampler<B>> Object for DriverSampler<B, S> {
    type Handle = SamplerHandle;

    fn handle_cell(&self) -> &HandleCell {
        &self.handle_cell
    }
}

impl<B: Backend, S: NativeSampler<B>> Drop for DriverSampler<B, S> {
    fn drop(&mut self) {
        if std::mem::needs_drop::<S>() {
            self.context.retire(self.raw.clone());
        }
    }
}

impl<B: Backend, S: NativeSampler<B>> Sampler<B> for DriverSampler<B, S> {
    fn create(context: &Arc<B::Context>, properties: &SamplerProperties) -> UrResult<Arc<Self>> {
        properties.without_bindless()?;
        Ok(Self::new(S::create(context, properties)?, Some(*properties), context))
    }

    fn info(&self, query: SamplerInfo, out: InfoOut<'_>) -> UrResult<()> {
        match (query, &self.properties) {
            (SamplerInfo::CONTEXT, _) => out.handle(&self.context),
            (_, Some(properties)) => properties.info(query, out),
            (_, None) => self.raw.properties()?.info(query, out),
        }
    }

    fn native(self: &Arc<Self>) -> UrResult<NativeHandle> {
        self.raw.native(&self.context)
    }

    fn from_native(context: &Arc<B::Context>, native: NativeHandle, owned: bool) -> UrResult<Arc<Self>> {
        Ok(Self::new(S::from_native(native, owned)?, None, context))
    }
}

/// What a sampler is created with: `ur_sampler_desc_t` and its chain.
#[derive(Clone, Copy, Debug)]
pub struct SamplerProperties {
    /// Whether coordinates run over [0, 1) instead of pixels.
    pub normalized: bool,
    /// What becomes of coordinates outside of the image.
    pub addressing: SamplerAddressingMode,
    /// How pixels are mixed.
    pub filter: SamplerFilterMode,
    /// In place of `addressing`, a mode for each dimension.
    pub addressing_by_dimension: Option<[SamplerAddressingMode; 3]>,
    /// How it treats levels of mipmaps.
    pub mip: Option<SamplerMip>,
    /// Whether filtering crosses the edges of a cubemap's faces.
    pub cubemap: Option<ExpSamplerCubemapFilterMode>,
}

/// How a sampler treats levels of mipmaps.
#[derive(Clone, Copy, Debug)]
pub struct SamplerMip {
    /// The finest level that it may choose.
    pub min_level: f32,
    /// The coarsest level that it may choose.
    pub max_level: f32,
    /// The largest ratio of anisotropic filtering.
    pub max_anisotropy: f32,
    /// How levels are mixed.
    pub filter: SamplerFilterMode,
}

impl SamplerProperties {
    /// What any sampler has.
    pub fn new(normalized: bool, addressing: SamplerAddressingMode, filter: SamplerFilterMode) -> Self {
        Self {
            normalized,
            addressing,
            filter,
            addressing_by_dimension: None,
            mip: None,
            cubemap: None,
        }
    }

    /// Refuses what only bindless images have: for adapters without them.
    pub fn without_bindless(&self) -> UrResult<()> {
        if self.addressing_by_dimension.is_some() || self.mip.is_some() || self.cubemap.is_some() {
            crate::bail!(
                ERROR_UNSUPPORTED_FEATURE: "there are no samplers with modes by dimension, for mipmaps, or for cubemaps"
            );
        }
        Ok(())
    }

    /// The same with one mode for all dimensions, for bindless images on devices that have neither a mode for each, nor mipmaps,
    /// nor cubemaps. Clients describe all of that even where it says nothing.
    pub fn with_one_addressing(&self) -> UrResult<Self> {
        let addressing = match self.addressing_by_dimension {
            Some([x, y, z]) if x != y || y != z => {
                crate::bail!(ERROR_UNSUPPORTED_FEATURE: "samplers have one addressing mode, not {x:?}, {y:?} and {z:?}");
            }
            Some([x, ..]) => x,
            None => self.addressing,
        };
        if self
            .mip
            .is_some_and(|mip| mip.max_level > 0.0 || mip.max_anisotropy > 1.0)
        {
            crate::bail!(ERROR_UNSUPPORTED_FEATURE: "there are no mipmaps that a sampler could choose levels of");
        }
        if self.cubemap == Some(ExpSamplerCubemapFilterMode::SEAMLESS) {
            crate::bail!(ERROR_UNSUPPORTED_FEATURE: "there are no cubemaps");
        }
        Ok(Self::new(self.normalized, addressing, self.filter))
    }

    /// Answers `urSamplerGetInfo`, but for the context.
    pub fn info(&self, query: SamplerInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            SamplerInfo::NORMALIZED_COORDS => out.bool(self.normalized),
            SamplerInfo::ADDRESSING_MODE => out.value(self.addressing),
            SamplerInfo::FILTER_MODE => out.value(self.filter),
            _ => out.unsupported(),
        }
    }

    /// Takes a description and its chain.
    ///
    /// # Safety
    /// As the C functions.
    pub(crate) unsafe fn of(function: &'static str, desc: &SamplerDesc) -> UrResult<Self> {
        args::known(desc.addressingMode)?;
        args::known(desc.filterMode)?;
        let mut found = Self::new(desc.normalizedCoords, desc.addressingMode, desc.filterMode);
        // SAFETY: passed on to the caller.
        unsafe {
            decode!(function, desc.pNext,
                modes: ExpSamplerAddrModes => {
                    modes.addrModes.into_iter().try_for_each(args::known)?;
                    found.addressing_by_dimension = Some(modes.addrModes);
                },
                mip: ExpSamplerMipProperties => {
                    args::known(mip.mipFilterMode)?;
                    found.mip = Some(SamplerMip {
                        min_level: mip.minMipmapLevelClamp,
                        max_level: mip.maxMipmapLevelClamp,
                        max_anisotropy: mip.maxAnisotropy,
                        filter: mip.mipFilterMode,
                    });
                },
                cubemap: ExpSamplerCubemapProperties => {
                    args::known(cubemap.cubemapFilterMode)?;
                    found.cubemap = Some(cubemap.cubemapFilterMode);
                },
            )?;
        }
        Ok(found)
    }
}

entry! {
    fn urSamplerCreate<B>(context: ContextHandle, desc: *const SamplerDesc, sampler: *mut SamplerHandle) {
        let context = object::<B::Context>(context)?;
        let desc = args::required(desc)?;
        let out = args::out(sampler)?;
        let properties = SamplerProperties::of("urSamplerCreate", desc)?;
        out.write(export(&B::Sampler::create(&context, &properties)?));
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
        let properties = properties.as_ref().copied().unwrap_or_default();
        decode!("urSamplerCreateWithNativeHandle", properties.pNext)?;
        let owned = properties.isNativeHandleOwned;
        out.write(export(&B::Sampler::from_native(&context, native, owned)?));
        Ok(())
    }
}

oxur_api::sampler_functions! { entry_points {} }
