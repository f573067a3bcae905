// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Commands on images.

use std::ffi::c_void;
use std::sync::Arc;

use kit::ur::{RectOffset, RectRegion};
use kit::{ImageRect, UrResult};
use oxur_adapter_kit as kit;

use super::{How, Queue, append};
use crate::image::{self, Image, Pixels};

impl Queue {
    /// Copies a box of pixels between an image and memory.
    pub(crate) fn copy_pixels(
        self: &Arc<Self>,
        image: &Image,
        rect: &ImageRect,
        memory: *mut c_void,
        to_image: bool,
        how: How<'_>,
    ) -> UrResult<()> {
        let pixels = Pixels::new(&image.shape, rect, memory, to_image)?;
        // SAFETY: live handles; the list is locked. The client vouches for its memory until the command is complete.
        self.enqueue(how, |deps| unsafe { image.append(self.list(), &pixels, deps) })
    }

    /// Copies a box of pixels between images.
    pub(crate) fn copy_image(
        self: &Arc<Self>,
        [dst, src]: [(&Image, RectOffset); 2],
        region: RectRegion,
        how: How<'_>,
    ) -> UrResult<()> {
        let ((dst, dst_origin), (src, src_origin)) = (dst, src);
        dst.shape.check_format(&src.shape)?;
        let to = image::region(&dst.shape, dst_origin, region)?;
        let from = image::region(&src.shape, src_origin, region)?;
        let (list, dst, src) = (self.list(), dst.handle(), src.handle());
        self.enqueue(how, |mut deps| {
            // SAFETY: live handles; the list is locked, and the regions live until the call returns.
            unsafe { append!(deps, zeCommandListAppendImageCopyRegion(list, dst, src, &to, &from)) }
        })
    }
}
