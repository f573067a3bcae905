// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Groups of sizes that are no multiples of the lanes, in one to three dimensions; and accesses at all strides.

use std::fmt::Write as _;

use oxur_compiler::{Mode, NdRange};

use super::{Argument, MODES, compile_in, range, run, words};

/// Sizes of groups: whose rows fill the lanes, whose rows do not but who do, and who do not.
const LOCAL_SIZES: [[u64; 3]; 18] = [
    [16, 16, 1],
    [8, 8, 1],
    [10, 10, 1],
    [24, 4, 1],
    [20, 12, 1],
    [1, 96, 1],
    [100, 1, 1],
    [5, 3, 2],
    [3, 7, 5],
    [1, 1, 1],
    [17, 2, 1],
    [1, 1, 33],
    [2, 31, 3],
    [1, 16, 1],
    [15, 1, 17],
    [7, 1, 1],
    [33, 31, 1],
    [8, 8, 128],
];

/// What an item does after it has written its number to local memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// A barrier; then it takes the number of the item opposite.
    Barrier,
    /// The same for half of the items; the others write nothing.
    Guarded,
    /// No barrier: what it takes is its own number.
    Alone,
}

/// `out[g] = 3 * tile[...] + lx + 5 * ly + 7 * lz`, with indices of 32 bits that have no sign, or of 64.
fn tile_kernel(form: Form, narrow: bool) -> String {
    let mut text = String::from(
        "
        OpEntryPoint Kernel %kernel \"k\" %global_id %local_id %local_size
        OpDecorate %global_id BuiltIn GlobalInvocationId
        OpDecorate %local_id BuiltIn LocalInvocationId
        OpDecorate %local_size BuiltIn WorkgroupSize
        %input_long3 = OpTypePointer Input %long3
        %global_id = OpVariable %input_long3 Input
        %local_id = OpVariable %input_long3 Input
        %local_size = OpVariable %input_long3 Input
        %c8192 = OpConstant %int 8192
        %c264 = OpConstant %int 264
        %c5 = OpConstant %int 5
        %c7 = OpConstant %int 7
        %n1 = OpConstant %NUMBER 1
        %tile_type = OpTypeArray %int %c8192
        %tile_pointer = OpTypePointer Workgroup %tile_type
        %tile = OpVariable %tile_pointer Workgroup
        %type = OpTypeFunction %void %global_int %global_int %long %long
        %kernel = OpFunction %void None %type
        %out = OpFunctionParameter %global_int
        %in = OpFunctionParameter %global_int
        %width = OpFunctionParameter %long
        %height = OpFunctionParameter %long
        %start = OpLabel
        %gs = OpLoad %long3 %global_id
        %ls = OpLoad %long3 %local_id
        %ss = OpLoad %long3 %local_size
        ",
    );
    for (d, axis) in ["x", "y", "z"].iter().enumerate() {
        for (prefix, vector) in [("g", "gs"), ("l", "ls"), ("s", "ss")] {
            let _ = writeln!(text, "%{prefix}{axis}64 = OpCompositeExtract %long %{vector} {d}");
            if narrow {
                let _ = writeln!(text, "%{prefix}{axis} = OpUConvert %int %{prefix}{axis}64");
            } else {
                let _ = writeln!(text, "%{prefix}{axis} = OpCopyObject %long %{prefix}{axis}64");
            }
        }
        let _ = writeln!(text, "%l{axis}32 = OpUConvert %int %l{axis}64");
    }
    let (w, h) = if narrow {
        text += "%w32 = OpUConvert %int %width\n%h32 = OpUConvert %int %height\n";
        ("w32", "h32")
    } else {
        ("width", "height")
    };
    let _ = write!(
        text,
        "
        %zh = OpIMul %NUMBER %gz %{h}
        %row = OpIAdd %NUMBER %zh %gy
        %before = OpIMul %NUMBER %row %{w}
        %g = OpIAdd %NUMBER %before %gx
        %lzh = OpIMul %NUMBER %lz %sy
        %lrow = OpIAdd %NUMBER %lzh %ly
        %lbefore = OpIMul %NUMBER %lrow %sx
        %own = OpIAdd %NUMBER %lbefore %lx
        %sxy = OpIMul %NUMBER %sx %sy
        %size = OpIMul %NUMBER %sxy %sz
        %last = OpISub %NUMBER %size %n1
        %opposite = OpISub %NUMBER %last %own
        %from = OpPtrAccessChain %global_int %in %INDEX(g)
        %value = OpLoad %int %from Aligned 4
        %place = OpInBoundsAccessChain %local_int %tile %INDEX(own)
        OpStore %place %value Aligned 4
        "
    );
    let other = match form {
        Form::Alone => "own",
        _ => "opposite",
    };
    if form != Form::Alone {
        text += "OpControlBarrier %i2 %i2 %c264\n";
    }
    let _ = write!(
        text,
        "
        %other_place = OpInBoundsAccessChain %local_int %tile %INDEX({other})
        %theirs = OpLoad %int %other_place Aligned 4
        %three = OpIMul %int %theirs %i3
        %y5 = OpIMul %int %ly32 %c5
        %z7 = OpIMul %int %lz32 %c7
        %sum1 = OpIAdd %int %three %lx32
        %sum2 = OpIAdd %int %sum1 %y5
        %sum = OpIAdd %int %sum2 %z7
        %to = OpPtrAccessChain %global_int %out %INDEX(g)
        "
    );
    if form == Form::Guarded {
        text += "
        %low = OpBitwiseAnd %int %lx32 %i1
        %odd = OpIEqual %bool %low %i1
        OpSelectionMerge %done None
        OpBranchConditional %odd %yes %done
        %yes = OpLabel
        OpStore %to %sum Aligned 4
        OpBranch %done
        %done = OpLabel
        ";
    } else {
        text += "OpStore %to %sum Aligned 4\n";
    }
    text += "OpReturn\nOpFunctionEnd\n";
    let mut text = text.replace("NUMBER", if narrow { "int" } else { "long" });
    // An index without a sign is extended with zeros.
    for name in ["g", "own", "opposite"] {
        let index = format!("%INDEX({name})");
        if narrow {
            let extended = format!("%{name}64 = OpUConvert %long %{name}\n");
            if let Some(at) = text.find(&index) {
                let line = text[..at].rfind('\n').map_or(0, |n| n + 1);
                text.insert_str(line, &extended);
            }
            text = text.replace(&index, &format!("%{name}64"));
        } else {
            text = text.replace(&index, &format!("%{name}"));
        }
    }
    text
}

#[test]
fn local_sizes() {
    for form in [Form::Barrier, Form::Guarded, Form::Alone] {
        for narrow in [false, true] {
            for mode in MODES {
                let kernel = compile_in(mode, &tile_kernel(form, narrow));
                for local in LOCAL_SIZES {
                    let items: u64 = local.iter().product();
                    let groups = if items > 1000 { [1, 1, 1] } else { [3, 2, 2] };
                    let range = range(groups, local);
                    let [width, height, depth] = range.global_size;
                    let count = (width * height * depth) as usize;
                    let input: Vec<u32> = (0..count as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
                    let mut memory = vec![0xee; 4 * count];
                    let mut bytes: Vec<u8> = input.iter().flat_map(|v| v.to_ne_bytes()).collect();
                    let mut arguments = [
                        Argument::Memory(&mut memory),
                        Argument::Memory(&mut bytes),
                        Argument::Value(width),
                        Argument::Value(height),
                    ];
                    run(&kernel, range, &mut arguments).unwrap();
                    for (at, found) in words(&memory).into_iter().enumerate() {
                        let g = at as u64;
                        let id = [g % width, g / width % height, g / (width * height)];
                        let own: [u64; 3] = std::array::from_fn(|d| id[d] % local[d]);
                        let taken: [u64; 3] = match form {
                            Form::Alone => own,
                            _ => std::array::from_fn(|d| local[d] - 1 - own[d]),
                        };
                        let there: [u64; 3] = std::array::from_fn(|d| id[d] - own[d] + taken[d]);
                        let theirs = input[((there[2] * height + there[1]) * width + there[0]) as usize];
                        let sum = theirs
                            .wrapping_mul(3)
                            .wrapping_add((own[0] + 5 * own[1] + 7 * own[2]) as u32);
                        let expected = match form {
                            Form::Guarded if own[0].is_multiple_of(2) => 0xeeee_eeee,
                            _ => sum,
                        };
                        assert_eq!(found, expected, "{form:?} {narrow} {mode:?} {local:?}: item {id:?}");
                    }
                }
            }
        }
    }
}

/// Groups without barriers are one vector each where their rows do not fill vectors, and only there.
#[test]
fn groups_of_short_rows_are_vectors() {
    let kernel = compile_in(Mode::Fast, &tile_kernel(Form::Alone, true));
    let is_one_vector = |local: [u64; 3]| {
        let range = range([20, 2, 1], local);
        // The second launch of a size has the code.
        let [_, again] = [(); 2].map(|()| kernel.prepare(range).unwrap());
        u64::from(kernel.lanes_for(&again)) >= local.iter().product()
    };
    assert!(is_one_vector([10, 10, 1]) && is_one_vector([5, 3, 2]) && is_one_vector([20, 12, 1]));
    assert!(!is_one_vector([16, 16, 1]) && !is_one_vector([100, 1, 1]));
}

/// The number of an item's group, which is all that the kernel asks of groups: small ones do not run as one then.
#[test]
fn numbers_of_groups() {
    let text = "OpEntryPoint Kernel %kernel \"k\" %global_id %group_id
        OpDecorate %global_id BuiltIn GlobalInvocationId
        OpDecorate %group_id BuiltIn WorkgroupId
        %input_long3 = OpTypePointer Input %long3
        %global_id = OpVariable %input_long3 Input
        %group_id = OpVariable %input_long3 Input
        %type = OpTypeFunction %void %global_int
        %kernel = OpFunction %void None %type
        %out = OpFunctionParameter %global_int
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %id = OpCompositeExtract %long %ids 0
        %groups = OpLoad %long3 %group_id
        %group = OpCompositeExtract %long %groups 0
        %number = OpUConvert %int %group
        %at = OpPtrAccessChain %global_int %out %id
        OpStore %at %number Aligned 4
        OpReturn
        OpFunctionEnd";
    for mode in MODES {
        let kernel = compile_in(mode, text);
        for (groups, local) in [(6, 4), (5, 16), (3, 13), (1, 40)] {
            let mut memory = vec![0xee; 4 * (groups * local) as usize];
            let mut arguments = [Argument::Memory(&mut memory)];
            run(&kernel, range([groups, 1, 1], [local, 1, 1]), &mut arguments).unwrap();
            let expected: Vec<u32> = (0..(groups * local) as u32).map(|id| id / local as u32).collect();
            assert_eq!(words(&memory), expected, "{mode:?}, {groups} groups of {local}");
        }
    }
}

/// Accesses of an item: to `step * id + place`, for each of some places.
#[derive(Clone, Debug)]
struct Window {
    step: i64,
    reads: Vec<i64>,
    writes: Vec<i64>,
    element: &'static str,
    /// Whether items do it whose id is odd only.
    guarded: bool,
}

impl Window {
    /// `out[FAR + step * id + w] = (sum of in[FAR + step * id + r]) + w`.
    fn kernel(&self) -> String {
        let element = self.element;
        let mut text = format!(
            "
            OpEntryPoint Kernel %kernel \"k\" %global_id
            OpDecorate %global_id BuiltIn GlobalInvocationId
            %input_long3 = OpTypePointer Input %long3
            %global_id = OpVariable %input_long3 Input
            %l1 = OpConstant %long 1
            %l0 = OpConstant %long 0
            %step = OpConstant %long {}
            %far = OpConstant %long {FAR}
            ",
            self.step as u64
        );
        let mut places: Vec<i64> = self.reads.iter().chain(&self.writes).copied().collect();
        places.sort_unstable();
        places.dedup();
        for place in &places {
            let _ = writeln!(text, "%p{place} = OpConstant %long {place}");
        }
        for write in &self.writes {
            let _ = writeln!(text, "%v{write} = OpConstant %{element} {write}");
        }
        let _ = write!(
            text,
            "
            %type = OpTypeFunction %void %global_{element} %global_{element}
            %kernel = OpFunction %void None %type
            %out = OpFunctionParameter %global_{element}
            %in = OpFunctionParameter %global_{element}
            %start = OpLabel
            %ids = OpLoad %long3 %global_id
            %id = OpCompositeExtract %long %ids 0
            %own = OpIMul %long %id %step
            %first = OpIAdd %long %own %far
            "
        );
        if self.guarded {
            text += "
            %low = OpBitwiseAnd %long %id %l1
            %odd = OpIEqual %bool %low %l1
            OpSelectionMerge %done None
            OpBranchConditional %odd %yes %done
            %yes = OpLabel
            ";
        }
        let mut sum = None;
        for read in &self.reads {
            let _ = write!(
                text,
                "
                %ri{read} = OpIAdd %long %first %p{read}
                %rp{read} = OpPtrAccessChain %global_{element} %in %ri{read}
                %r{read} = OpLoad %{element} %rp{read} Aligned {0}
                ",
                size(element)
            );
            sum = Some(match sum {
                None => format!("r{read}"),
                Some(before) => {
                    let _ = writeln!(text, "%s{read} = OpIAdd %{element} %{before} %r{read}");
                    format!("s{read}")
                }
            });
        }
        let sum = sum.unwrap();
        for write in &self.writes {
            let _ = write!(
                text,
                "
                %wi{write} = OpIAdd %long %first %p{write}
                %wp{write} = OpPtrAccessChain %global_{element} %out %wi{write}
                %w{write} = OpIAdd %{element} %{sum} %v{write}
                OpStore %wp{write} %w{write} Aligned {0}
                ",
                size(element)
            );
        }
        if self.guarded {
            text += "OpBranch %done\n%done = OpLabel\n";
        }
        text + "OpReturn\nOpFunctionEnd\n"
    }

    fn check(&self) {
        let kernels = MODES.map(|mode| compile_in(mode, &self.kernel()));
        let size = size(self.element);
        for (kernel, mode) in kernels.iter().zip(MODES) {
            for (groups, local) in [([2, 1, 1], [64, 1, 1]), ([3, 1, 1], [21, 1, 1]), ([1, 2, 1], [5, 2, 1])] {
                let range = range(groups, local);
                let ids = range.global_size[0] as i64;
                let low = if self.step < 0 {
                    FAR + self.step * (ids - 1)
                } else {
                    FAR
                };
                assert!(low >= 0);
                let span = self.step.abs() * (ids - 1) + 16;
                let count = (low + span + 1) as usize;
                // Memory ends with the last element that is read.
                let last = (0..ids).rfind(|id| !self.guarded || id % 2 == 1).unwrap_or_default();
                let first = (0..ids).find(|id| !self.guarded || id % 2 == 1).unwrap_or_default();
                let high = FAR + (self.step * last).max(self.step * first) + self.reads.iter().max().unwrap();
                let before: Vec<u8> = (0..(high as usize + 1) * size)
                    .map(|i| (i * 7 + i / 256) as u8)
                    .collect();
                let mut input = Guarded::new(&before);
                let mut memory = vec![0xa5; count * size];
                let mut expected = memory.clone();
                let value = |at: i64| {
                    let bytes = &before[at as usize * size..][..size];
                    bytes.iter().rev().fold(0u64, |all, &b| all << 8 | u64::from(b))
                };
                for id in (0..ids).filter(|id| !self.guarded || id % 2 == 1) {
                    let first = FAR + self.step * id;
                    let sum = self
                        .reads
                        .iter()
                        .fold(0u64, |sum, r| sum.wrapping_add(value(first + r)));
                    for w in &self.writes {
                        let at = (first + w) as usize * size;
                        expected[at..at + size].copy_from_slice(&sum.wrapping_add(*w as u64).to_le_bytes()[..size]);
                    }
                }
                let mut arguments = [Argument::Memory(&mut memory), Argument::Memory(input.bytes())];
                run(kernel, range, &mut arguments).unwrap();
                let wrong = (0..expected.len()).find(|&i| memory[i] != expected[i]);
                assert_eq!(wrong, None, "{self:?} {mode:?} {local:?}: this byte");
            }
        }
    }
}

/// Memory that ends where a page does. The next page is not there.
struct Guarded {
    start: *mut u8,
    /// With the page that is not there.
    mapped: usize,
    size: usize,
}

impl Guarded {
    const PAGE: usize = 4096;

    fn new(bytes: &[u8]) -> Self {
        let pages = bytes.len().next_multiple_of(Self::PAGE);
        let mapped = pages + Self::PAGE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: new memory, anywhere.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), mapped, access, flags, -1, 0) };
        assert_ne!(start, libc::MAP_FAILED);
        let start = start.cast::<u8>();
        // SAFETY: the last page of what was mapped, which nothing uses.
        let done = unsafe { libc::mprotect(start.add(pages).cast(), Self::PAGE, libc::PROT_NONE) };
        assert_eq!(done, 0);
        let mut made = Self {
            start,
            mapped,
            size: bytes.len(),
        };
        made.bytes().copy_from_slice(bytes);
        made
    }

    fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the last bytes before the page that is not there; zero at first.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(self.mapped - Self::PAGE - self.size), self.size) }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: what was mapped, and nobody borrows it.
        unsafe { libc::munmap(self.start.cast(), self.mapped) };
    }
}

/// Where windows begin, such that none of a negative step is below zero.
const FAR: i64 = 2200;

fn size(element: &str) -> usize {
    match element {
        "char" => 1,
        "short" => 2,
        "int" => 4,
        _ => 8,
    }
}

#[test]
fn strides() {
    let elements = ["int", "long", "short", "char"];
    let mut n = 0;
    for step in [1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 17, -1, -2, -3, -4, -5, -8, -16] {
        let places = i64::abs(step);
        let all: Vec<i64> = (0..places).collect();
        let ends = if places > 1 { vec![0, places - 1] } else { vec![0] };
        let most: Vec<i64> = all.iter().copied().filter(|p| *p != places / 2 || places < 3).collect();
        for (reads, writes) in [
            (all.clone(), all.clone()),
            (vec![0], all.clone()),
            (all.clone(), vec![places - 1]),
            (ends.clone(), ends.clone()),
            (most.clone(), most.iter().rev().copied().collect()),
            (most.iter().rev().copied().collect(), vec![0]),
            // The first element of the next window belongs to it, too.
            ((0..=places).collect(), vec![0]),
            // The same with all of them a constant away from one address.
            ((1..=places + 1).collect(), vec![0]),
        ] {
            n += 1;
            Window {
                step,
                reads,
                writes,
                element: elements[if n % 3 == 0 { n / 3 % 4 } else { 0 }],
                guarded: n % 4 == 3,
            }
            .check();
        }
    }
}

/// Groups whose ids go up to the largest number that there is.
#[test]
fn the_last_ids() {
    let text = "OpEntryPoint Kernel %kernel \"k\" %global_id
        OpDecorate %global_id BuiltIn GlobalInvocationId
        %input_long3 = OpTypePointer Input %long3
        %global_id = OpVariable %input_long3 Input
        %l15 = OpConstant %long 15
        %l32 = OpConstant %long 32
        %type = OpTypeFunction %void %global_int
        %kernel = OpFunction %void None %type
        %p = OpFunctionParameter %global_int
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %id = OpCompositeExtract %long %ids 0
        %low = OpBitwiseAnd %long %id %l15
        %upper = OpShiftRightLogical %long %id %l32
        %number = OpUConvert %int %upper
        %at = OpPtrAccessChain %global_int %p %low
        OpStore %at %number Aligned 4
        OpReturn
        OpFunctionEnd";
    for mode in MODES {
        let kernel = compile_in(mode, text);
        let range = NdRange {
            global_offset: [u64::MAX - 15, 0, 0],
            ..range([4, 1, 1], [4, 1, 1])
        };
        let mut memory = vec![0; 64];
        run(&kernel, range, &mut [Argument::Memory(&mut memory)]).unwrap();
        assert_eq!(words(&memory), [u32::MAX; 16], "{mode:?}");
    }
}

/// Groups of one dimension run together, up to some thousand items, also where their size is no multiple of the lanes.
#[test]
fn many_short_groups() {
    let text = "OpEntryPoint Kernel %kernel \"k\" %global_id
        OpDecorate %global_id BuiltIn GlobalInvocationId
        %input_long3 = OpTypePointer Input %long3
        %global_id = OpVariable %input_long3 Input
        %type = OpTypeFunction %void %global_int
        %kernel = OpFunction %void None %type
        %p = OpFunctionParameter %global_int
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %id = OpCompositeExtract %long %ids 0
        %at = OpPtrAccessChain %global_int %p %id
        %x = OpLoad %int %at Aligned 4
        %narrow = OpUConvert %int %id
        %sum = OpIAdd %int %x %narrow
        OpStore %at %sum Aligned 4
        OpReturn
        OpFunctionEnd";
    for mode in MODES {
        let kernel = compile_in(mode, text);
        for (groups, local) in [(137, 100), (1000, 5), (7, 1000), (300, 16), (4097, 1)] {
            let offset = 33;
            let range = NdRange {
                global_offset: [offset, 0, 0],
                ..range([groups, 1, 1], [local, 1, 1])
            };
            let (first, count) = (offset as u32, (groups * local) as u32);
            let mut memory = vec![0; 4 * (first + count + 8) as usize];
            run(&kernel, range, &mut [Argument::Memory(&mut memory)]).unwrap();
            let is_there = |i: &u32| (first..first + count).contains(i);
            let expected: Vec<u32> = (0..first + count + 8)
                .map(|i| if is_there(&i) { i } else { 0 })
                .collect();
            assert_eq!(words(&memory), expected, "{mode:?}, {groups} groups of {local}");
        }
    }
}
