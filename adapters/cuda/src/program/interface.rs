// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What a launch of a kernel must provide.

use kit::UrResult;
use oxur_adapter_kit as kit;
use oxur_compiler::ParamKind;
use oxur_compiler::nvptx::Entry;
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
    /// What a kernel of ours is told of its launch; `None` for one of PTX.
    pub(crate) told: Option<Told>,
}

/// What a kernel that our compiler made is told of its launch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Told {
    /// Where the [`LaunchRange`](oxur_compiler::nvptx::LaunchRange) is in the block.
    pub(crate) range_offset: usize,
    /// Whether the last blocks may have threads that are no work-items.
    pub(crate) may_pad: bool,
    /// Whether all work-groups wait for each other.
    pub(crate) has_device_barrier: bool,
    /// Whether assertions may fail.
    pub(crate) has_assertions: bool,
}

/// A parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Param {
    /// Where it is in the block.
    pub(crate) offset: usize,
    /// Bytes.
    pub(crate) size: usize,
    /// What it is; `None` if that is not known.
    pub(crate) kind: Option<ParamKind>,
}

impl Interface {
    /// That of a kernel that our compiler made.
    pub(super) fn of_entry(entry: &Entry) -> Self {
        let info = &entry.info;
        let param = |param: &oxur_compiler::Param| Param {
            offset: param.offset,
            size: param.size,
            kind: Some(param.kind),
        };
        Self {
            params: info.params.iter().map(param).collect(),
            block_size: entry.block_size,
            required_size: info.required_work_group_size,
            max_size: info.max_work_group_size,
            sub_group_size: Some((info.sub_group_size, info.sub_group_size_required)),
            sub_groups: info.sub_groups_per_work_group,
            local_memory: info.local_memory,
            told: Some(Told {
                range_offset: entry.range_offset,
                may_pad: entry.may_pad,
                has_device_barrier: info.has_device_barrier,
                has_assertions: info.has_assertions,
            }),
        }
    }

    /// Asks the driver for the parameters of a function.
    pub(super) fn of_function(function: CUfunction) -> UrResult<Self> {
        let mut params = Vec::new();
        loop {
            let (mut offset, mut size) = (0, 0);
            // SAFETY: a live function, and places for the answers.
            let asked = unsafe { (driver::api().cuFuncGetParamInfo)(function, params.len(), &mut offset, &mut size) };
            match asked {
                CUDA_SUCCESS => params.push(Param {
                    offset,
                    size,
                    kind: None,
                }),
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
            told: None,
        })
    }

    /// Whether a launch tells the kernel its range.
    #[inline(always)]
    pub(crate) fn has_range(&self) -> bool {
        self.told.is_some()
    }

    /// Whether the last blocks of a launch may have threads that are no work-items.
    pub(crate) fn may_pad(&self) -> bool {
        self.told.is_some_and(|told| told.may_pad)
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
