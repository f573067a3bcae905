// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What the fuzz targets have in common.

pub mod spirv;
