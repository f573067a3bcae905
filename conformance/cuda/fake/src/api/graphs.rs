// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions of graphs.

use std::ffi::c_uint;
use std::sync::Arc;

use oxur_cuda_sys::*;

use super::{code, prepared, stream};
use crate::device;
use crate::fail::Object;
use crate::graph::{Executable, Graph, Node, Work};
use crate::transfer::{Fill, Rows};

/// What a kernel node launches.
unsafe fn node_launch(params: *const CUDA_KERNEL_NODE_PARAMS) -> Result<Work, CUresult> {
    // SAFETY: passed on to the caller.
    unsafe {
        let p = &*params;
        let (grid, block) = (
            [p.gridDimX, p.gridDimY, p.gridDimZ],
            [p.blockDimX, p.blockDimY, p.blockDimZ],
        );
        let launch = prepared(p.func, grid, block, p.sharedMemBytes, p.kernelParams, p.extra)?;
        Ok(Work::Kernel(launch))
    }
}

unsafe fn graph<'a>(graph: CUgraph) -> Result<&'a Graph, CUresult> {
    device::current()?;
    // SAFETY: a live graph.
    unsafe { graph.cast::<Graph>().as_ref() }.ok_or(CUDA_ERROR_INVALID_HANDLE)
}

unsafe fn executable<'a>(executable: CUgraphExec) -> Result<&'a Executable, CUresult> {
    device::current()?;
    // SAFETY: a live executable graph.
    unsafe { executable.cast::<Executable>().as_ref() }.ok_or(CUDA_ERROR_INVALID_HANDLE)
}

unsafe fn node<'a>(node: CUgraphNode) -> Result<&'a Node, CUresult> {
    // SAFETY: a node of a live graph.
    unsafe { node.cast::<Node>().as_ref() }.ok_or(CUDA_ERROR_INVALID_HANDLE)
}

api! {
    fn cuGraphCreate(place: *mut CUgraph, flags: c_uint) {
        device::current()?;
        if flags != 0 {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        place.write(Box::into_raw(Box::new(Graph::new())).cast());
        Object::Graph.made();
        Ok(())
    }

    fn cuGraphDestroy(old: CUgraph) {
        graph(old)?;
        drop(Box::from_raw(old.cast::<Graph>()));
        Object::Graph.gone();
        Ok(())
    }

    fn cuGraphAddEmptyNode(place: *mut CUgraphNode, to: CUgraph, after: *const CUgraphNode, count: usize) {
        place.write(graph(to)?.add(Work::Empty, after, count)?);
        Ok(())
    }

    fn cuGraphAddKernelNode(
        place: *mut CUgraphNode, to: CUgraph, after: *const CUgraphNode, count: usize,
        params: *const CUDA_KERNEL_NODE_PARAMS,
    ) {
        place.write(graph(to)?.add(node_launch(params)?, after, count)?);
        Ok(())
    }

    fn cuGraphAddMemcpyNode(
        place: *mut CUgraphNode, to: CUgraph, after: *const CUgraphNode, count: usize, copy: *const CUDA_MEMCPY3D,
        context: CUcontext,
    ) {
        let rows = Rows::new(&*copy)?;
        if !rows.is_in_reach(device::of(context)?.ordinal) {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        place.write(graph(to)?.add(Work::Copy(rows), after, count)?);
        Ok(())
    }

    fn cuGraphAddMemsetNode(
        place: *mut CUgraphNode, to: CUgraph, after: *const CUgraphNode, count: usize,
        fill: *const CUDA_MEMSET_NODE_PARAMS, context: CUcontext,
    ) {
        let own = device::of(context)?.ordinal;
        let f = &*fill;
        let fill = Fill {
            dst: f.dst,
            pitch: f.pitch,
            value: f.value,
            element: f.elementSize as usize,
            width: f.width,
            height: f.height,
        };
        if f.height > 1 && f.pitch < f.width * fill.element {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        place.write(graph(to)?.add(Work::Fill(fill.check(own)?), after, count)?);
        Ok(())
    }

    fn cuGraphAddChildGraphNode(
        place: *mut CUgraphNode, to: CUgraph, after: *const CUgraphNode, count: usize, child: CUgraph,
    ) {
        // As it is now: it is cloned.
        let child = Work::Child(graph(child)?.steps());
        place.write(graph(to)?.add(child, after, count)?);
        Ok(())
    }

    fn cuGraphClone(place: *mut CUgraph, of: CUgraph) {
        place.write(Box::into_raw(graph(of)?.copy()).cast());
        Object::Graph.made();
        Ok(())
    }

    fn cuGraphGetNodes(of: CUgraph, nodes: *mut CUgraphNode, count: *mut usize) {
        let all = graph(of)?.handles();
        if !nodes.is_null() {
            let most = all.len().min(*count);
            std::ptr::copy_nonoverlapping(all.as_ptr(), nodes, most);
        }
        count.write(all.len());
        Ok(())
    }

    fn cuGraphInstantiateWithFlags(place: *mut CUgraphExec, of: CUgraph, flags: u64) {
        if flags != 0 {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        place.write(Box::into_raw(Box::new(graph(of)?.instantiate())).cast());
        Object::Executable.made();
        Ok(())
    }

    fn cuGraphUpload(of: CUgraphExec, on: CUstream) {
        executable(of)?;
        stream(on).map(drop)
    }

    fn cuGraphLaunch(of: CUgraphExec, on: CUstream) { executable(of)?.launch(stream(on)?) }

    fn cuGraphExecDestroy(old: CUgraphExec) {
        executable(old)?;
        drop(Box::from_raw(old.cast::<Executable>()));
        Object::Executable.gone();
        Ok(())
    }

    fn cuGraphExecKernelNodeSetParams(of: CUgraphExec, at: CUgraphNode, params: *const CUDA_KERNEL_NODE_PARAMS) {
        let new = Arc::new(node_launch(params)?);
        executable(of)?.change(node(at)?, |first, work, _| match first {
            Work::Kernel(_) => {
                *work = new;
                Ok(())
            }
            _ => Err(CUDA_ERROR_INVALID_VALUE),
        })
    }

    fn cuGraphNodeSetEnabled(of: CUgraphExec, at: CUgraphNode, on: c_uint) {
        executable(of)?.change(node(at)?, |first, _, enabled| match first {
            // As CUDA has it.
            Work::Empty => Err(CUDA_ERROR_INVALID_VALUE),
            _ => {
                *enabled = on != 0;
                Ok(())
            }
        })
    }
}
