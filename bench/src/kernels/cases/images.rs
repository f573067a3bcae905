// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Rows about images: a kernel reads or writes all formats by the same code, and a colour is four floats.

use oxur_client::Range;
use oxur_client::api::{ImageChannelOrder, ImageChannelType, ImageDesc, ImageFormat, MemType};

use super::{Case, Element, Init, Step, Unit, Value, case};

/// An image of two dimensions.
pub struct Pixels {
    /// Its channels.
    pub format: ImageFormat,
    /// In pixels.
    pub side: usize,
    /// The size of a pixel in bytes.
    pub bytes: usize,
    /// What it holds.
    pub init: Init,
}

impl Pixels {
    /// Its size.
    pub fn desc(&self) -> ImageDesc {
        ImageDesc {
            r#type: MemType::IMAGE2D,
            width: self.side,
            height: self.side,
            depth: 1,
            ..Default::default()
        }
    }
}

/// Reads of common formats, by pixel and between pixels, and writes. What is written is read again, to compare it.
pub(super) fn accesses() -> Vec<Case> {
    use ImageChannelOrder as Order;
    use ImageChannelType as Type;
    let side = 512;
    let floats = Init::F32(-1.0, 1.0);
    // The name, the channels, bytes of a pixel, what it holds.
    let formats = [
        ("rgba unorm8", Order::RGBA, Type::UNORM_INT8, 4, Init::U32),
        ("bgra unorm8", Order::BGRA, Type::UNORM_INT8, 4, Init::U32),
        ("rgba half", Order::RGBA, Type::HALF_FLOAT, 8, Init::F16),
        ("r float", Order::R, Type::FLOAT, 4, floats),
        ("rgba float", Order::RGBA, Type::FLOAT, 16, floats),
    ];
    let kernels = [
        ("image_read", "one pixel"),
        ("image_linear", "linear"),
        ("image_read", "written and read"),
    ];
    let mut cases = Vec::new();
    for (kernel, what) in kernels {
        for (name, channel_order, channel_type, bytes, init) in formats {
            let mut row = case(
                &format!("image of {name}, {what}"),
                ("images", kernel),
                &[(16 * side * side, Init::Unset)],
                &[Value::Image(0)],
                Range::new([side, side]).local([64, 1]),
                Element::F32(1e-4),
                (Unit::Per("ns/pixel"), (side * side) as f64),
            );
            let format = ImageFormat {
                channelOrder: channel_order,
                channelType: channel_type,
            };
            row.images.push(Pixels {
                format,
                side,
                bytes,
                init,
            });
            if what == "written and read" {
                let write = Step {
                    kernel: "image_write",
                    range: row.steps[0].range,
                    args: vec![Value::Image(0)],
                };
                row.steps.insert(0, write);
            }
            cases.push(row);
        }
    }
    cases
}
