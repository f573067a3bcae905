// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Commands that the adapter lacks, made of copies and fills of bytes.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use kit::ur::*;
use oxur_adapter_kit as kit;

use super::{Empty, context, queue};

const SUCCESS: ResultCode = ResultCode::SUCCESS;
const UNTOUCHED: u8 = 0xaa;

fn bytes(count: usize) -> Vec<u8> {
    (0..count).map(|i| (i * 37 % 251) as u8).collect()
}

/// Checks that an event of this type was left, and that it is complete.
fn check(event: EventHandle, command: CommandType) {
    let mut status = EventStatus::QUEUED;
    let place = (&raw mut status).cast();
    let asked = call!(Event.pfnGetInfo(event, EventInfo::COMMAND_EXECUTION_STATUS, 4, place, null_mut()));
    assert_eq!((asked, status), (SUCCESS, EventStatus::COMPLETE));
    let mut found = CommandType::KERNEL_LAUNCH;
    let place = (&raw mut found).cast();
    let asked = call!(Event.pfnGetInfo(event, EventInfo::COMMAND_TYPE, 4, place, null_mut()));
    assert_eq!((asked, found), (SUCCESS, command));
    assert_eq!(call!(Event.pfnRelease(event)), SUCCESS);
}

#[test]
fn fills_with_any_pattern() {
    let queue = queue(context());
    for (period, count) in [(1, 7), (2, 1), (3, 1), (3, 2), (3, 5), (5, 1000), (200, 129)] {
        let (pattern, size) = (bytes(period), period * count);
        let mut dst = vec![UNTOUCHED; size + 1];
        let mut event = EventHandle::default();
        let to = dst.as_mut_ptr().cast::<c_void>();
        let from = pattern.as_ptr().cast();
        let filled = call!(Enqueue.pfnUSMFill(queue, to, period, from, size, 0, null(), &mut event));
        assert_eq!(filled, SUCCESS);
        let expected: Vec<u8> = pattern.iter().copied().cycle().take(size).chain([UNTOUCHED]).collect();
        assert_eq!(dst, expected, "{period} x {count}");
        check(event, CommandType::USM_FILL);
    }
}

#[test]
fn fills_rows() {
    let queue = queue(context());
    // The pattern runs on from row to row.
    for (period, width, height, pitch) in [
        (1, 5, 3, 8),
        (4, 8, 3, 8),
        (3, 6, 4, 7),
        (4, 6, 4, 9),
        (3, 1, 6, 2),
        (10, 5, 2, 6),
    ] {
        let pattern = bytes(period);
        let mut dst = vec![UNTOUCHED; pitch * height];
        let mut event = EventHandle::default();
        let to = dst.as_mut_ptr().cast::<c_void>();
        let from = pattern.as_ptr().cast();
        let filled = call!(Enqueue.pfnUSMFill2D(queue, to, pitch, period, from, width, height, 0, null(), &mut event));
        assert_eq!(filled, SUCCESS);
        for (i, byte) in dst.iter().enumerate() {
            let (x, y) = (i % pitch, i / pitch);
            let expected = if x < width {
                pattern[(y * width + x) % period]
            } else {
                UNTOUCHED
            };
            assert_eq!(*byte, expected, "{period} in {width} x {height} by {pitch} at {x}, {y}");
        }
        check(event, CommandType::USM_FILL_2D);
    }
}

#[test]
fn copies_rows() {
    let queue = queue(context());
    let (width, height) = (5, 7);
    for (dst_pitch, src_pitch) in [(5, 5), (5, 8), (9, 5), (6, 7)] {
        let src = bytes(src_pitch * height);
        let mut dst = vec![UNTOUCHED; dst_pitch * height];
        let (to, from) = (dst.as_mut_ptr().cast::<c_void>(), src.as_ptr().cast());
        for wanted in [true, false] {
            let mut event = EventHandle::default();
            let place = if wanted { &raw mut event } else { null_mut() };
            let (blocking, none) = (!wanted, null());
            let copied = call!(Enqueue.pfnUSMMemcpy2D(
                queue, blocking, to, dst_pitch, from, src_pitch, width, height, 0, none, place
            ));
            assert_eq!(copied, SUCCESS);
            if wanted {
                check(event, CommandType::USM_MEMCPY_2D);
            }
        }
        for (i, byte) in dst.iter().enumerate() {
            let (x, y) = (i % dst_pitch, i / dst_pitch);
            let expected = if x < width { src[y * src_pitch + x] } else { UNTOUCHED };
            assert_eq!(*byte, expected);
        }
    }
}
