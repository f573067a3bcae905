// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The memory of buffers and images: our own, the client's, or a part of another buffer's.

use std::sync::Arc;

use kit::UrResult;
use kit::usm_cache::{Arena, Driver, HeapOptions, UsmCache};
use oxur_adapter_kit as kit;
use oxur_device_cpu::pages;
use oxur_fork::OnceLock;

use super::Mem;
use crate::Context;
use crate::device_error::out_of_memory;
use crate::usm;

/// The owner of the memory.
pub(super) enum Storage {
    /// Of the context's cache.
    Own(Own),
    /// The client's, which outlives the object.
    Client(*mut u8),
    /// Another buffer's, from this byte on.
    Part(Arc<Mem>, usize),
}

/// Memory of the context's cache, which it returns to.
pub(super) struct Own {
    context: Arc<Context>,
    address: usize,
}

impl Storage {
    /// New memory with undefined content.
    pub(super) fn new(context: &Arc<Context>, size: usize) -> UrResult<Self> {
        let address = context.buffers.alloc(size)?;
        let context = context.clone();
        Ok(Self::Own(Own { context, address }))
    }

    #[inline]
    pub(super) fn data(&self) -> *mut u8 {
        match self {
            Self::Own(own) => own.address as *mut u8,
            Self::Client(pointer) => *pointer,
            Self::Part(whole, origin) => whole.data().wrapping_add(*origin),
        }
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        self.context.buffers.free(self.address);
    }
}

/// The cache for the memory of a context's buffers and images. It is separate from USM's, because none of it is USM.
#[derive(Default)]
pub(crate) struct Buffers {
    cache: UsmCache<()>,
    arena: OnceLock<Arc<Arena<()>>>,
}

struct System;

impl Driver<()> for System {
    fn allocate(&self, _place: &(), size: usize, align: usize) -> UrResult<usize> {
        pages::map(size, align).map_err(out_of_memory)
    }

    fn free(&self, _place: &(), address: usize, size: usize) -> UrResult<()> {
        // SAFETY: what `allocate` gave, and the cache has no block of it any more.
        unsafe { pages::unmap(address, size) };
        Ok(())
    }
}

impl Buffers {
    fn alloc(&self, size: usize) -> UrResult<usize> {
        let arena = self.arena.get_or_init(|| {
            let heap = self.cache.heap(HeapOptions {
                limit: usm::limit(),
                ..HeapOptions::default()
            });
            self.cache.arena(&heap, ())
        });
        self.cache.alloc(&System, arena, size, 0)
    }

    fn free(&self, address: usize) {
        if let Err(error) = self.cache.free(&System, address) {
            log::warn!("the memory of a buffer is leaked: {error}");
        }
    }
}

impl Drop for Buffers {
    fn drop(&mut self) {
        // Memory objects keep their context, so none is left.
        self.cache.drain(&System);
    }
}
