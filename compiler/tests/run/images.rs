// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Images: items sample, read and write at places of their own, some of them or several times. Scalar code and quick code call
//! functions for one item each, vectors have code of their own for common formats. All must have the same bits; what the
//! functions do is tested beside them. The interpreter knows no images.

use oxur_compiler::{Image, Mode, SamplerBits};

use super::{Argument, GLOBAL_ID, MODES, Tested, compile_in, range, run};

/// A shape: how its type says it, coordinates, layers, and a size.
struct Shape {
    dim: &'static str,
    is_array: bool,
    /// `%float2`
    coordinates: u32,
    layers: u64,
    size: [u64; 3],
}

const SHAPES: [Shape; 5] = [
    Shape {
        dim: "1D",
        is_array: false,
        coordinates: 1,
        layers: 1,
        size: [23, 1, 1],
    },
    Shape {
        dim: "1D",
        is_array: true,
        coordinates: 2,
        layers: 5,
        size: [23, 1, 1],
    },
    Shape {
        dim: "2D",
        is_array: false,
        coordinates: 2,
        layers: 1,
        size: [9, 7, 1],
    },
    Shape {
        dim: "2D",
        is_array: true,
        coordinates: 4,
        layers: 3,
        size: [9, 7, 1],
    },
    Shape {
        dim: "3D",
        is_array: false,
        coordinates: 4,
        layers: 1,
        size: [6, 5, 4],
    },
];

// `cl_channel_order` and `cl_channel_type`.
const R: u32 = 0x10B0;
const RG: u32 = 0x10B2;
const RGBA: u32 = 0x10B5;
const BGRA: u32 = 0x10B6;
const UNORM_INT8: u32 = 0x10D2;
const UNORM_INT16: u32 = 0x10D3;
const SIGNED_INT32: u32 = 0x10D9;
const UNSIGNED_INT8: u32 = 0x10DA;
const UNSIGNED_INT16: u32 = 0x10DB;
const UNSIGNED_INT32: u32 = 0x10DC;
const HALF_FLOAT: u32 = 0x10DD;
const FLOAT: u32 = 0x10DE;

/// Formats, with the bytes of a pixel. The last one has no code of its own.
const FLOATS: [(u32, u32, u64); 7] = [
    (RGBA, UNORM_INT8, 4),
    (BGRA, UNORM_INT8, 4),
    (R, UNORM_INT8, 1),
    (RGBA, FLOAT, 16),
    (R, FLOAT, 4),
    (RGBA, HALF_FLOAT, 8),
    (RG, UNORM_INT16, 4),
];

const INTS: [(u32, u32, u64); 5] = [
    (RGBA, UNSIGNED_INT8, 4),
    (R, UNSIGNED_INT8, 1),
    (RGBA, UNSIGNED_INT32, 16),
    (R, SIGNED_INT32, 4),
    (RG, UNSIGNED_INT16, 4),
];

/// Items whose third number is negative do nothing.
const KERNEL: &str = "
        OpCapability ImageBasic
        OpCapability Image1D
        %image_type = OpTypeImage %void DIM 0 ARRAY 0 0 Unknown ACCESS
        %sampler_type = OpTypeSampler
        %sampled_type = OpTypeSampledImage %image_type
        %global_float4 = OpTypePointer CrossWorkgroup %float4
        %f0 = OpConstant %float 0
        %small = OpConstant %float 0.15
        %type = OpTypeFunction %void %image_type %sampler_type %global_float4 %global_int4 %global_COLOR4
        %kernel = OpFunction %void None %type
        %image = OpFunctionParameter %image_type
        %sampler = OpFunctionParameter %sampler_type
        %places = OpFunctionParameter %global_float4
        %whole_places = OpFunctionParameter %global_int4
        %colors = OpFunctionParameter %global_COLOR4
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %id = OpCompositeExtract %long %ids 0
        %place_at = OpPtrAccessChain %global_float4 %places %id
        %place = OpLoad %float4 %place_at Aligned 16
        %whole_at = OpPtrAccessChain %global_int4 %whole_places %id
        %whole = OpLoad %int4 %whole_at Aligned 16
        %color_at = OpPtrAccessChain %global_COLOR4 %colors %id
        %flag = OpCompositeExtract %float %place 3
        %takes_part = OpFOrdGreaterThanEqual %bool %flag %f0
        OpSelectionMerge %end None
        OpBranchConditional %takes_part %part %end
        %part = OpLabel
        ACTION
        OpBranch %end
        %end = OpLabel
        OpReturn
        OpFunctionEnd
        ";

const SAMPLE: &str = "
        %at = PLACE
        %pair = OpSampledImage %sampled_type %image %sampler
        %color = OpImageSampleExplicitLod %COLOR4 %pair %at Lod %f0
        OpStore %color_at %color Aligned 16
        ";

/// As many reads as the item's last whole number says, in a row.
const READS: &str = "
        %rounds = OpCompositeExtract %int %whole 3
        OpBranch %head
        %head = OpLabel
        %round = OpPhi %int %i0 %part %next %body
        %goes_on = OpULessThan %bool %round %rounds
        OpLoopMerge %done %body None
        OpBranchConditional %goes_on %body %done
        %body = OpLabel
        %x = OpCompositeExtract %int %whole 0
        %further = OpIAdd %int %x %round
        %moved = OpCompositeInsert %int4 %further %whole 0
        %at = WHOLE
        %color = OpImageRead %COLOR4 %image %at
        %before = OpLoad %COLOR4 %color_at Aligned 16
        %sum = ADD %COLOR4 %before %color
        OpStore %color_at %sum Aligned 16
        %next = OpIAdd %int %round %i1
        OpBranch %head
        %done = OpLabel
        ";

/// Items that write to the same pixel write the same.
const WRITE: &str = "
        %moved = OpCopyObject %int4 %whole
        %at = WHOLE
        %numbers = OpVectorShuffle %int4 %whole %whole NUMBERS
        %color = COLOR_OF
        OpImageWrite %image %at %color
        ";

fn kernel(shape: &Shape, action: &str, is_float: bool) -> String {
    let color_of = match is_float {
        true => "OpConvertSToF %float4 %numbers\n %scaled = OpVectorTimesScalar %float4 %color %small",
        false => "OpIMul %int4 %numbers %numbers",
    };
    let part = |vector: &str, element: &str| match shape.coordinates {
        1 => format!("OpCompositeExtract %{element} {vector} 0"),
        2 => format!("OpVectorShuffle %{element}2 {vector} {vector} 0 1"),
        _ => format!("OpCopyObject %{element}4 {vector}"),
    };
    let access = if action == WRITE { "WriteOnly" } else { "ReadOnly" };
    format!("{GLOBAL_ID}{KERNEL}")
        .replace("ACTION", action)
        .replace("COLOR_OF", color_of)
        .replace(
            "%image %at %color",
            if is_float {
                "%image %at %scaled"
            } else {
                "%image %at %color"
            },
        )
        .replace(
            "NUMBERS",
            ["0 0 0 0", "0 1 0 1", "0 1 2 0"][shape.coordinates as usize / 2],
        )
        .replace("ACCESS", access)
        .replace("PLACE", &part("%place", "float"))
        .replace("WHOLE", &part("%moved", "int"))
        .replace("COLOR", if is_float { "float" } else { "int" })
        .replace("ADD", if is_float { "OpFAdd" } else { "OpIAdd" })
        .replace("ARRAY", if shape.is_array { "1" } else { "0" })
        .replace("DIM", shape.dim)
}

/// An image of a format; the pitches leave gaps.
fn image(shape: &Shape, (channel_order, channel_type, pixel): (u32, u32, u64), memory: &mut Vec<u8>) -> Image {
    let [width, height, depth] = shape.size;
    let row_pitch = (width + 2) * pixel;
    let slice_pitch = (height + 1) * row_pitch;
    memory.resize((slice_pitch * depth * shape.layers) as usize, 0);
    Image {
        data: memory.as_mut_ptr(),
        size: shape.size,
        array_size: shape.layers,
        row_pitch,
        slice_pitch,
        channel_order,
        channel_type,
        dimensions: u32::from(shape.dim.as_bytes()[0] - b'0'),
        is_array: shape.is_array.into(),
        sampler: SamplerBits::NONE,
        class: 0,
    }
    .classified()
}

struct Random(u64);

impl Random {
    fn bits(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as u32
    }

    /// From -0.5 to 1.5.
    fn around(&mut self) -> f32 {
        (self.bits() % 4096) as f32 / 2048.0 - 0.5
    }
}

const ITEMS: usize = 100;

/// Places inside and outside of an image, and flags.
fn places(shape: &Shape, is_normalized: bool, random: &mut Random) -> (Vec<u8>, Vec<u8>) {
    let (mut places, mut whole) = (Vec::new(), Vec::new());
    let layer = |d: usize| shape.is_array && d == usize::from(shape.dim == "2D") + 1;
    for _ in 0..ITEMS {
        for d in 0..3 {
            let size = if layer(d) { shape.layers } else { shape.size[d] } as f32;
            let scale = if is_normalized && !layer(d) { 1.0 } else { size };
            places.extend((random.around() * scale).to_ne_bytes());
            whole.extend(((random.around() * size) as i32).to_ne_bytes());
        }
        let flag = if random.bits().is_multiple_of(3) { -1.0f32 } else { 1.0 };
        places.extend(flag.to_ne_bytes());
        whole.extend((random.bits() % 4).to_ne_bytes());
    }
    (places, whole)
}

/// The kernel of an action in all modes.
struct Action<'a> {
    shape: &'a Shape,
    action: &'a str,
    is_float: bool,
    kernels: Vec<(Mode, Tested)>,
}

impl<'a> Action<'a> {
    fn new(shape: &'a Shape, action: &'a str, is_float: bool) -> Self {
        let text = kernel(shape, action, is_float);
        Self {
            shape,
            action,
            is_float,
            kernels: MODES.map(|mode| (mode, compile_in(mode, &text))).into(),
        }
    }

    /// Runs it in all modes, with several sizes of groups: all leave the same colors and the same image.
    fn check(&self, format: (u32, u32, u64), sampler: SamplerBits) {
        let mut random = Random(5);
        let (mut places, mut whole) = places(self.shape, sampler != SamplerBits::NONE, &mut random);
        let mut pixels = Vec::new();
        let image = image(self.shape, format, &mut pixels);
        for byte in &mut pixels {
            // No halfs or floats that are no numbers.
            *byte = (random.bits() % 0x70) as u8;
        }
        let mut first: Option<Vec<u8>> = None;
        for (mode, kernel) in &self.kernels {
            let groups: &[u64] = if *mode == Mode::Scalar { &[100] } else { &[100, 20, 5] };
            for &group in groups {
                let mut own_pixels = pixels.clone();
                let mut colors = vec![0; 16 * ITEMS];
                let image = Image {
                    data: own_pixels.as_mut_ptr(),
                    ..image
                };
                let mut arguments = [
                    Argument::Value(&raw const image as u64),
                    Argument::Value(sampler.0.into()),
                    Argument::Memory(&mut places),
                    Argument::Memory(&mut whole),
                    Argument::Memory(&mut colors),
                ];
                run(
                    kernel,
                    range([ITEMS as u64 / group, 1, 1], [group, 1, 1]),
                    &mut arguments,
                )
                .unwrap();
                let result = [own_pixels, colors].concat();
                let Some(first) = &first else {
                    let changes =
                        result[..pixels.len()] != pixels || result[pixels.len()..].iter().any(|&byte| byte != 0);
                    assert!(changes, "nothing is read or written");
                    first = Some(result);
                    continue;
                };
                let differs = first.iter().zip(&result).position(|(a, b)| a != b);
                assert_eq!(
                    differs, None,
                    "{} as arrays: {}, {format:x?}, {sampler:?}, {mode:?}, groups of {group}{}",
                    self.shape.dim, self.shape.is_array, self.action
                );
            }
        }
    }

    fn formats(&self) -> &'static [(u32, u32, u64)] {
        if self.is_float { &FLOATS } else { &INTS }
    }
}

/// Samplers: whether coordinates are normalized, the addressing mode, whether pixels are mixed.
const SAMPLERS: [(bool, u32, bool); 6] = [
    (true, 0, false),
    (true, 1, true),
    (true, 3, true),
    (true, 4, true),
    (true, 3, false),
    (false, 2, true),
];

#[test]
fn samples() {
    for shape in &SHAPES {
        for is_float in [true, false] {
            let action = Action::new(shape, SAMPLE, is_float);
            for (normalized, mode, linear) in SAMPLERS {
                for &format in action.formats() {
                    action.check(format, SamplerBits::new(normalized, mode, linear && is_float));
                }
            }
        }
    }
}

#[test]
fn reads() {
    for shape in &SHAPES {
        for is_float in [true, false] {
            let action = Action::new(shape, READS, is_float);
            for &format in action.formats() {
                action.check(format, SamplerBits::NONE);
            }
        }
    }
}

#[test]
fn writes() {
    for shape in &SHAPES {
        for is_float in [true, false] {
            let action = Action::new(shape, WRITE, is_float);
            for &format in action.formats() {
                action.check(format, SamplerBits::NONE);
            }
        }
    }
}

/// Handles of bindless images, whose formats and samplers differ between items.
#[test]
fn handles_of_each_item() {
    let text = format!(
        "{GLOBAL_ID}
        OpCapability ImageBasic
        %image_type = OpTypeImage %void 2D 0 0 0 0 Unknown ReadOnly
        %sampled_type = OpTypeSampledImage %image_type
        %global_float4 = OpTypePointer CrossWorkgroup %float4
        %f0 = OpConstant %float 0
        %type = OpTypeFunction %void %global_long %global_float4 %global_float4
        %kernel = OpFunction %void None %type
        %handles = OpFunctionParameter %global_long
        %places = OpFunctionParameter %global_float4
        %colors = OpFunctionParameter %global_float4
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %id = OpCompositeExtract %long %ids 0
        %handle_at = OpPtrAccessChain %global_long %handles %id
        %handle = OpLoad %long %handle_at Aligned 8
        ; OpConvertHandleToSampledImageINTEL, behind an instruction that takes no more words
        %same_handle = OpCopyObject %long %handle
        !0x00041983 %sampled_type %pair %same_handle
        %place_at = OpPtrAccessChain %global_float4 %places %id
        %place = OpLoad %float4 %place_at Aligned 16
        %at = OpVectorShuffle %float2 %place %place 0 1
        %color = OpImageSampleExplicitLod %float4 %pair %at Lod %f0
        %color_at = OpPtrAccessChain %global_float4 %colors %id
        OpStore %color_at %color Aligned 16
        OpReturn
        OpFunctionEnd
        "
    );
    let shape = &SHAPES[2];
    let mut random = Random(6);
    let mut memory: Vec<Vec<u8>> = vec![Vec::new(); FLOATS.len() * SAMPLERS.len()];
    let images: Vec<Image> = (memory.iter_mut().enumerate())
        .map(|(i, pixels)| {
            let (normalized, mode, linear) = SAMPLERS[i % SAMPLERS.len()];
            let sampler = SamplerBits::new(normalized, mode, linear);
            let image = image(shape, FLOATS[i / SAMPLERS.len()], pixels);
            // No halfs or floats that are no numbers.
            for byte in pixels.iter_mut() {
                *byte = (random.bits() % 0x70) as u8;
            }
            Image { sampler, ..image }
        })
        .collect();
    let mut handles: Vec<u8> = (0..ITEMS)
        .flat_map(|_| (&raw const images[random.bits() as usize % images.len()] as u64).to_ne_bytes())
        .collect();
    let (mut places, _) = places(shape, true, &mut random);
    let mut first = None;
    for mode in MODES {
        let kernel = compile_in(mode, &text);
        for group in [100, 20, 5] {
            let mut colors = vec![0; 16 * ITEMS];
            let mut arguments = [
                Argument::Memory(&mut handles),
                Argument::Memory(&mut places),
                Argument::Memory(&mut colors),
            ];
            run(
                &kernel,
                range([ITEMS as u64 / group, 1, 1], [group, 1, 1]),
                &mut arguments,
            )
            .unwrap();
            assert!(colors.iter().any(|&byte| byte != 0), "nothing is read");
            assert!(
                *first.get_or_insert_with(|| colors.clone()) == colors,
                "{mode:?}, groups of {group}"
            );
        }
    }
}
