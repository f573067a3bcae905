// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Commands that the client adds by itself to a child's native handle: a graph of CUDA, which becomes one node of the parent's.

use std::sync::Arc;

use kit::UrResult;
use oxur_adapter_kit as kit;
use oxur_cuda_sys::CUgraph;

use super::CommandBuffer;
use crate::driver::{self, cu, cu_get};
use crate::primary::Primary;

/// A copy of a child's graph.
pub(super) struct ChildGraph {
    pub(super) raw: CUgraph,
    primary: &'static Primary,
    /// Has what its commands use.
    _commands: Arc<CommandBuffer>,
}

// SAFETY: CUDA's handles may be used from any thread, by one at a time.
unsafe impl Send for ChildGraph {}

impl ChildGraph {
    /// A copy of `raw`, which is the graph of `commands`.
    pub(super) fn copy(raw: CUgraph, primary: &'static Primary, commands: &Arc<CommandBuffer>) -> UrResult<Self> {
        let _current = primary.activate()?;
        // SAFETY: a live graph, and a place for another.
        let raw = unsafe { cu_get!(cuGraphClone(_, raw): CUgraph = std::ptr::null_mut()) }?;
        Ok(Self {
            raw,
            primary,
            _commands: commands.clone(),
        })
    }
}

impl Drop for ChildGraph {
    fn drop(&mut self) {
        if driver::is_gone() {
            return;
        }
        let _current = self.primary.activate();
        // SAFETY: nobody uses it any more.
        if let Err(error) = unsafe { cu!(cuGraphDestroy(self.raw)) } {
            log::debug!("a graph is leaked: {error}");
        }
    }
}
