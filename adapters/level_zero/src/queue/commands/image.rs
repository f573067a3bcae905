// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Commands on images.

use std::sync::Arc;

use kit::UrResult;
use kit::ur::{CommandType, RectOffset, RectRegion};
use oxur_adapter_kit as kit;

use super::{Out, Queue, Wait};
use crate::Mem;
use crate::mem::image::Pixels;
use crate::ze::ze;

impl Queue {
    /// Copies a box of pixels between an image and memory.
    pub(super) fn copy_pixels(
        self: &Arc<Self>,
        kind: CommandType,
        image: &Mem,
        pixels: UrResult<Pixels>,
        blocking: bool,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        let (image, pixels) = (image.image()?, pixels?);
        self.enqueue(kind, blocking, wait, event, |mut deps| {
            let events = (deps.signal, deps.count(), deps.events());
            // SAFETY: live handles; the list is locked. The client vouches for its memory until the command is complete.
            unsafe { image.append(self.list(), &pixels, events) }
        })
    }

    /// Copies a box of pixels between images.
    pub(super) fn copy_image(
        self: &Arc<Self>,
        kind: CommandType,
        [dst, src]: [(&Mem, RectOffset); 2],
        region: RectRegion,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        let ((dst, dst_origin), (src, src_origin)) = ((dst.0.image()?, dst.1), (src.0.image()?, src.1));
        dst.check_format(src)?;
        let (to, from) = (dst.region(dst_origin, region)?, src.region(src_origin, region)?);
        let (list, dst, src) = (self.list(), dst.handle(), src.handle());
        self.enqueue(kind, false, wait, event, |mut deps| {
            let (signal, count, events) = (deps.signal, deps.count(), deps.events());
            // SAFETY: live handles; the list is locked, and the regions live until the call returns.
            unsafe {
                ze!(zeCommandListAppendImageCopyRegion(
                    list, dst, src, &to, &from, signal, count, events
                ))
            }
        })
    }
}
