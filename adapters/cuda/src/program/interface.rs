// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What a launch of a kernel must provide.

use kit::UrResult;
use oxur_adapter_kit as kit;
use oxur_cuda_sys::*;

use crate::driver;

/// What a launch must provide.
pub(crate) struct Interface {
    /// The parameters that the client sets.
    pub(crate) params: Vec<Param>,
    /// The size of the block of all parameters, in bytes.
    pub(crate) block_size: usize,
    pub(crate) required_size: Option<[u32; 3]>,
    pub(crate) max_size: Option<u32>,
    /// The sub-group size, and whether the kernel requires it; that of a warp if it says nothing.
    pub(crate) sub_group_size: Option<(u32, bool)>,
    pub(crate) sub_groups: Option<u32>,
    /// Bytes of dynamic shared memory that are the kernel's own.
    pub(crate) local_memory: usize,
}

/// A parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Param {
    /// Where it is in the block.
    pub(crate) offset: usize,
    /// Bytes.
    pub(crate) size: usize,
}

impl Interface {
    /// Asks the driver for the parameters of a function.
    pub(super) fn of_function(function: CUfunction) -> UrResult<Self> {
        let mut params = Vec::new();
        loop {
            let (mut offset, mut size) = (0, 0);
            // SAFETY: a live function, and places for the answers.
            let asked = unsafe { (driver::api().cuFuncGetParamInfo)(function, params.len(), &mut offset, &mut size) };
            match asked {
                CUDA_SUCCESS => params.push(Param { offset, size }),
                // There are no more.
                CUDA_ERROR_INVALID_VALUE => break,
                other => driver::check("cuFuncGetParamInfo", other)?,
            }
        }
        Ok(Self {
            block_size: params.last().map_or(0, |last| last.offset + last.size),
            params,
            required_size: None,
            max_size: None,
            sub_group_size: None,
            sub_groups: None,
            local_memory: 0,
        })
    }

    /// Whether a launch tells the kernel its range.
    #[inline(always)]
    pub(crate) fn has_range(&self) -> bool {
        false
    }

    /// Whether the last blocks of a launch may have threads that are no work-items.
    pub(crate) fn may_pad(&self) -> bool {
        false
    }

    /// The attributes in the words of OpenCL.
    pub(crate) fn attributes(&self) -> String {
        let required = self
            .required_size
            .map(|[x, y, z]| format!("reqd_work_group_size({x},{y},{z})"));
        let sub_group = self.sub_group_size.filter(|(_, required)| *required);
        let sub_group = sub_group.map(|(size, _)| format!("intel_reqd_sub_group_size({size})"));
        [required, sub_group]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" ")
    }
}
