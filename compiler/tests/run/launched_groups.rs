// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernels whose groups have a size that the launch says, not the kernel: from the second launch of a size a group may be one vector,
//! with reductions of the group, loops of items, and what the first item does alone. [`run`] launches each kernel twice, and compares
//! the launches, quick code and the interpreter.

use super::{Argument, GLOBAL_ID, compile, range, run};
use oxur_compiler::{CpuLevel, Options};

/// Powers of two from usual lanes to the largest vector, and others.
const SIZES: [u64; 11] = [16, 32, 64, 128, 256, 512, 1024, 48, 100, 9, 1000];

/// Groups of several rows, or planes: of powers of two, of none, longer and shorter than usual lanes.
const SHAPES: [[u64; 3]; 13] = [
    [8, 8, 1],
    [16, 16, 1],
    [64, 4, 1],
    [24, 4, 1],
    [20, 12, 1],
    [10, 10, 1],
    [5, 3, 1],
    [4, 4, 4],
    [7, 3, 2],
    [9, 1, 5],
    [2, 32, 1],
    [1, 96, 1],
    [1, 1, 12],
];

/// What the kernels have: `%id` in the range, `%l` in the group of `%size` items, `%x` from `%in`, `%n` numbers.
fn kernel(ty: &str, bytes: u32, body: &str) -> String {
    format!(
        "
        OpCapability Groups
        OpCapability GroupUniformArithmeticKHR
        OpCapability Int64Atomics
        OpExtension \"SPV_KHR_uniform_group_instructions\"
        {}
        OpDecorate %index BuiltIn LocalInvocationIndex
        OpDecorate %local_size BuiltIn WorkgroupSize
        OpDecorate %group_id BuiltIn WorkgroupId
        OpDecorate %local_id BuiltIn LocalInvocationId
        %input_long = OpTypePointer Input %long
        %index = OpVariable %input_long Input
        %local_size = OpVariable %input_long3 Input
        %group_id = OpVariable %input_long3 Input
        %local_id = OpVariable %input_long3 Input
        %c0 = OpConstant %long 0
        %c1 = OpConstant %long 1
        %c2 = OpConstant %long 2
        %c3 = OpConstant %long 3
        %c264 = OpConstant %int 264
        %c1024 = OpConstant %long 1024
        %tile_type = OpTypeArray %{ty} %c1024
        %tile_pointer = OpTypePointer Workgroup %tile_type
        %in_tile = OpTypePointer Workgroup %{ty}
        %tile = OpVariable %tile_pointer Workgroup
        %type = OpTypeFunction %void %global_{ty} %global_{ty} %long
        %kernel = OpFunction %void None %type
        %out = OpFunctionParameter %global_{ty}
        %in = OpFunctionParameter %global_{ty}
        %n = OpFunctionParameter %long
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %id = OpCompositeExtract %long %ids 0
        %l = OpLoad %long %index
        %sizes = OpLoad %long3 %local_size
        %size = OpCompositeExtract %long %sizes 0
        %groups = OpLoad %long3 %group_id
        %group = OpCompositeExtract %long %groups 0
        %to = OpPtrAccessChain %global_{ty} %out %id
        %from = OpPtrAccessChain %global_{ty} %in %id
        %x = OpLoad %{ty} %from Aligned {bytes}
        {body}
        OpReturn
        OpFunctionEnd
        ",
        GLOBAL_ID
    )
    .replace("BYTES", &bytes.to_string())
}

/// Runs a kernel over three groups of each size. `n` is what it gets as that.
fn check(what: &str, text: &str, bytes: usize, n: u64) {
    for size in SIZES {
        let kernel = compile(text, &Options::default());
        let items = 3 * size as usize;
        // Numbers of all signs, of which no float is a NaN, and whose sums have to be rounded.
        let number = |i: usize| match bytes {
            1 => vec![(i * 37 % 251) as u8],
            4 => ((i * i % 1021) as f32 / 7.0 - 60.0).to_ne_bytes().to_vec(),
            _ => ((i * i % 1021) as f64 / 7.0 - 60.0).to_ne_bytes().to_vec(),
        };
        let mut input: Vec<u8> = (0..items + 1024).flat_map(number).collect();
        let mut output = vec![0; (items + 64) * bytes];
        let all = range([3, 1, 1], [size, 1, 1]);
        run(
            &kernel,
            all,
            &mut [
                Argument::Memory(&mut output),
                Argument::Memory(&mut input),
                Argument::Value(n),
            ],
        )
        .unwrap_or_else(|error| panic!("{what}, groups of {size}: {error}"));
        assert!(
            output.iter().any(|&byte| byte != 0),
            "{what}, groups of {size}: no result"
        );
        // Reductions have the order of sub-groups, which end where the group does.
        let is_vector = size >= u64::from(kernel.lanes()) && (size.is_power_of_two() || !text.contains("OpGroup"));
        let lanes = kernel.lanes_for(&kernel.prepare(all).unwrap());
        let is_expected = if is_vector {
            u64::from(lanes) == size.next_power_of_two()
        } else {
            lanes <= 64
        };
        assert!(is_expected, "{what}, groups of {size}: {lanes} items run at a time");
    }
}

/// Two reductions, of which the second has the first's result.
#[test]
fn reductions() {
    let of_floats = ["OpGroupFAdd", "OpGroupFMin", "OpGroupFMax"];
    let of_ints = ["OpGroupIAdd", "OpGroupSMin", "OpGroupUMax", "OpGroupBitwiseXorKHR"];
    let all = of_floats.map(|op| (op, "double", 8, "OpFAdd")).into_iter();
    let all = all.chain(of_floats.map(|op| (op, "float", 4, "OpFAdd")));
    let all = all.chain(of_ints.map(|op| (op, "long", 8, "OpIAdd")));
    for (op, ty, bytes, add) in all.chain(of_ints.map(|op| (op, "char", 1, "OpIAdd"))) {
        let body = format!(
            "
            %first = {op} %{ty} %i2 Reduce %x
            %y = {add} %{ty} %x %first
            %second = {op} %{ty} %i2 Reduce %y
            OpStore %to %second Aligned BYTES
            "
        );
        check(op, &kernel(ty, bytes, &body), bytes as usize, 0);
    }
}

/// `for (i = l; i < n; i += size) sum += in[i]`, and the sum of the group. Items leave together, or in two rounds.
#[test]
fn strided_loops() {
    let body = "
        OpBranch %head
        %head = OpLabel
        %i = OpPhi %long %l %start %i_next %round
        %sum = OpPhi %double %x %start %more %round
        %goes_on = OpULessThan %bool %i %n
        OpLoopMerge %done %round None
        OpBranchConditional %goes_on %round %done
        %round = OpLabel
        %at = OpPtrAccessChain %global_double %in %i
        %y = OpLoad %double %at Aligned 8
        %more = OpFAdd %double %sum %y
        %i_next = OpIAdd %long %i %size
        OpBranch %head
        %done = OpLabel
        %all = OpGroupFAdd %double %i2 Reduce %sum
        OpStore %to %all Aligned 8
        ";
    for n in [0, 1, 15, 256, 1000] {
        check("strided loop", &kernel("double", 8, body), 8, n);
    }
}

/// A loop that only some items come to, with one in it whose length differs; and what comes from before both and is there behind them.
#[test]
fn loops_of_some() {
    let body = "
        %low = OpBitwiseAnd %long %x %c3
        %is_odd = OpUGreaterThan %bool %low %c1
        OpSelectionMerge %joined None
        OpBranchConditional %is_odd %before %joined
        %before = OpLabel
        OpBranch %head
        %head = OpLabel
        %i = OpPhi %long %c0 %before %i_next %next
        %sum = OpPhi %long %x %before %more %next
        %goes_on = OpULessThan %bool %i %low
        OpLoopMerge %done %next None
        OpBranchConditional %goes_on %round %done
        %round = OpLabel
        OpBranch %inner
        %inner = OpLabel
        %j = OpPhi %long %i %round %j_next %inner_round
        %product = OpPhi %long %sum %round %bigger %inner_round
        %inner_goes_on = OpULessThan %bool %j %c3
        OpLoopMerge %next %inner_round None
        OpBranchConditional %inner_goes_on %inner_round %next
        %inner_round = OpLabel
        %bigger = OpIMul %long %product %id
        %j_next = OpIAdd %long %j %c1
        OpBranch %inner
        %next = OpLabel
        %more = OpIAdd %long %product %l
        %i_next = OpIAdd %long %i %c1
        OpBranch %head
        %done = OpLabel
        OpBranch %joined
        %joined = OpLabel
        %result = OpPhi %long %x %start %sum %done
        %all = OpGroupIAdd %long %i2 Reduce %result
        %both = OpBitwiseXor %long %all %result
        OpStore %to %both Aligned 8
        ";
    check("loop of some", &kernel("long", 8, body), 8, 0);
}

/// The first item adds up what all have left in local memory, adds that to a counter, and leaves its result to all. What it does not
/// change, and what others have, stays.
#[test]
fn first_items() {
    let body = "
        %mine = OpInBoundsAccessChain %in_tile %tile %l
        OpStore %mine %x Aligned 8
        OpControlBarrier %i2 %i2 %c264
        %is_first = OpIEqual %bool %l %c0
        %twice = OpIAdd %long %x %x
        OpSelectionMerge %joined None
        OpBranchConditional %is_first %first %joined
        %first = OpLabel
        OpBranch %head
        %head = OpLabel
        %i = OpPhi %long %c0 %first %i_next %round
        %sum = OpPhi %long %twice %first %more %round
        %goes_on = OpULessThan %bool %i %size
        OpLoopMerge %done %round None
        OpBranchConditional %goes_on %round %done
        %round = OpLabel
        %at = OpInBoundsAccessChain %in_tile %tile %i
        %y = OpLoad %long %at Aligned 8
        %more = OpIAdd %long %sum %y
        %i_next = OpIAdd %long %i %c1
        OpBranch %head
        %done = OpLabel
        %items = OpIMul %long %size %c3
        %counter = OpPtrAccessChain %global_long %out %items
        %old = OpAtomicIAdd %long %counter %i1 %i0 %sum
        %zeroth = OpInBoundsAccessChain %in_tile %tile %c0
        OpStore %zeroth %sum Aligned 8
        OpBranch %joined
        %joined = OpLabel
        %result = OpPhi %long %twice %start %n %done
        OpControlBarrier %i2 %i2 %c264
        %place = OpInBoundsAccessChain %in_tile %tile %c0
        %total = OpLoad %long %place Aligned 8
        %both = OpBitwiseXor %long %total %result
        OpStore %to %both Aligned 8
        ";
    check("first item", &kernel("long", 8, body), 8, 77);
}

/// Runs a kernel of several dimensions over groups of each shape. It gets the width of the range.
fn check_shapes(what: &str, body: &str, are_vectors: bool) {
    let places = "
        %lids = OpLoad %long3 %local_id
        %lx = OpCompositeExtract %long %lids 0
        %ly = OpCompositeExtract %long %lids 1
        %lz = OpCompositeExtract %long %lids 2
        %height = OpCompositeExtract %long %sizes 1
        %depth = OpCompositeExtract %long %sizes 2
        %gy = OpCompositeExtract %long %ids 1
        %gz = OpCompositeExtract %long %ids 2
        %z_rows = OpIMul %long %gz %c100
        %row_number = OpIAdd %long %z_rows %gy
        %row = OpIMul %long %row_number %n
        %place = OpIAdd %long %row %id
        %own_from = OpPtrAccessChain %global_float %in %place
        %own_to = OpPtrAccessChain %global_float %out %place
        %v = OpLoad %float %own_from Aligned 4
        %ly_rows = OpIMul %long %lz %height
        %l_row_number = OpIAdd %long %ly_rows %ly
        %l_row = OpIMul %long %l_row_number %size
        %own = OpIAdd %long %l_row %lx
        %square = OpIMul %long %size %height
        %items = OpIMul %long %square %depth
        %last = OpISub %long %items %c1
        %mine = OpInBoundsAccessChain %in_tile %tile %own
        OpStore %mine %v Aligned 4
        OpControlBarrier %i2 %i2 %c264
        ";
    // Constants come before functions.
    let constant = "%c100 = OpConstant %long 100\n%c63 = OpConstant %long 63";
    let text = kernel("float", 4, &format!("{places}{body}"));
    let text = text.replace("%c1024 =", &format!("{constant}\n%c1024 ="));
    // One kernel has code for several shapes at a time, of which some have as many items.
    let kernel = compile(&text, &Options::default());
    for shape @ [x, y, z] in SHAPES {
        // Several groups of one column are one vector; of these there are two, and a rest.
        let columns = if x == 1 { 8 } else { 1 };
        let groups = if x == 1 { 19 } else { 2 };
        let all = range([groups, 2, 1], shape);
        let width = groups * x + 3;
        let numbers = (100 * z + 2 * y + 2) * width;
        let number = |i: u64| ((i * i % 1021) as f32 / 8.0 - 60.0).to_ne_bytes();
        let mut input: Vec<u8> = (0..numbers).flat_map(number).collect();
        let mut output = vec![0; 4 * numbers as usize];
        run(
            &kernel,
            all,
            &mut [
                Argument::Memory(&mut output),
                Argument::Memory(&mut input),
                Argument::Value(width),
            ],
        )
        .unwrap_or_else(|error| panic!("{what}, groups of {shape:?}: {error}"));
        assert!(output.iter().any(|&byte| byte != 0), "{what}, {shape:?}: no result");
        let lanes = u64::from(kernel.lanes_for(&kernel.prepare(all).unwrap()));
        let items = columns * x * y * z;
        let is_vector = are_vectors && items >= u64::from(kernel.lanes());
        // With narrower registers several columns may be too long a vector.
        let is_alone = CpuLevel::current() < CpuLevel::V4 && lanes == (x * y * z).next_power_of_two();
        let is_expected = !is_vector || is_alone || lanes == items.next_power_of_two();
        assert!(is_expected, "{what}, groups of {shape:?}: {lanes} items run at a time");
    }
}

/// Each item has what the one opposite left, and what all of its row share.
#[test]
fn rows() {
    let body = "
        %opposite = OpISub %long %last %own
        %theirs = OpInBoundsAccessChain %in_tile %tile %opposite
        %other = OpLoad %float %theirs Aligned 4
        %of_row = OpPtrAccessChain %global_float %in %row_number
        %shared = OpLoad %float %of_row Aligned 4
        %sum = OpFAdd %float %other %shared
        %thrice = OpIMul %long %lx %c3
        %no_number = OpIAdd %long %l_row %thrice
        %as_float = OpConvertUToF %float %no_number
        %all = OpFAdd %float %sum %as_float
        OpStore %own_to %all Aligned 4
        ";
    check_shapes("rows", body, true);
}

/// The same for some items only: of no row, of a part of one, and of whole ones.
#[test]
fn rows_of_some() {
    for (dimension, compared) in [("%id", "%gy"), ("%gy", "%id"), ("%own", "%c3"), ("%c3", "%own")] {
        let body = format!(
            "
            %opposite = OpISub %long %last %own
            %theirs = OpInBoundsAccessChain %in_tile %tile %opposite
            %other = OpLoad %float %theirs Aligned 4
            %next = OpIAdd %long %place %c1
            %next_from = OpPtrAccessChain %global_float %in %next
            %some = OpULessThan %bool {dimension} {compared}
            OpSelectionMerge %joined None
            OpBranchConditional %some %inside %joined
            %inside = OpLabel
            %y = OpLoad %float %next_from Aligned 4
            %sum = OpFAdd %float %y %other
            OpStore %own_to %sum Aligned 4
            OpBranch %joined
            %joined = OpLabel
            %result = OpPhi %float %v %start %sum %inside
            OpControlBarrier %i2 %i2 %c264
            OpStore %mine %result Aligned 4
            OpControlBarrier %i2 %i2 %c264
            %again = OpLoad %float %theirs Aligned 4
            %is_first = OpIEqual %bool %own %c0
            OpSelectionMerge %end None
            OpBranchConditional %is_first %first %end
            %first = OpLabel
            OpStore %own_to %again Aligned 4
            OpBranch %end
            %end = OpLabel
            "
        );
        check_shapes(&format!("{dimension} < {compared}"), &body, false);
    }
}

/// `for (h = 2 * items; (h /= 2) > 0;) { if (own + h < items) tile[own] += tile[own + h]; barrier }`, and columns of local memory.
#[test]
fn trees_of_rows() {
    let body = "
        %twice = OpIAdd %long %items %items
        OpBranch %head
        %head = OpLabel
        %h = OpPhi %long %twice %start %lower %next
        %lower = OpUDiv %long %h %c2
        %goes_on = OpUGreaterThan %bool %lower %c0
        OpLoopMerge %done %next None
        OpBranchConditional %goes_on %round %done
        %round = OpLabel
        %partner = OpIAdd %long %own %lower
        %adds = OpULessThan %bool %partner %items
        OpSelectionMerge %added None
        OpBranchConditional %adds %add %added
        %add = OpLabel
        %theirs = OpInBoundsAccessChain %in_tile %tile %partner
        %x0 = OpLoad %float %mine Aligned 4
        %y0 = OpLoad %float %theirs Aligned 4
        %sum = OpFAdd %float %x0 %y0
        OpStore %mine %sum Aligned 4
        OpBranch %added
        %added = OpLabel
        OpControlBarrier %i2 %i2 %c264
        OpBranch %next
        %next = OpLabel
        OpBranch %head
        %done = OpLabel
        %column = OpIMul %long %lx %height
        %in_column = OpIAdd %long %column %ly
        %turned = OpUMod %long %in_column %items
        %there = OpInBoundsAccessChain %in_tile %tile %turned
        %result = OpLoad %float %there Aligned 4
        OpStore %own_to %result Aligned 4
        ";
    check_shapes("tree", body, false);
}

/// A loop that all but the first item come to, which read from addresses of their own: these go in through memory, under a mask.
#[test]
fn addresses_of_some() {
    let body = "
        %low = OpBitwiseAnd %long %x %c3
        %at = OpPtrAccessChain %global_long %in %low
        %is_first = OpIEqual %bool %l %c0
        OpSelectionMerge %joined None
        OpBranchConditional %is_first %joined %before
        %before = OpLabel
        OpBranch %head
        %head = OpLabel
        %i = OpPhi %long %c0 %before %i_next %round
        %from_here = OpPhi %global_long %at %before %further %round
        %sum = OpPhi %long %x %before %more %round
        %goes_on = OpULessThan %bool %i %low
        OpLoopMerge %done %round None
        OpBranchConditional %goes_on %round %done
        %round = OpLabel
        %y = OpLoad %long %from_here Aligned 8
        %more = OpIAdd %long %sum %y
        %further = OpPtrAccessChain %global_long %from_here %c2
        %i_next = OpIAdd %long %i %c1
        OpBranch %head
        %done = OpLabel
        OpBranch %joined
        %joined = OpLabel
        %result = OpPhi %long %x %start %sum %done
        %all = OpGroupIAdd %long %i2 Reduce %result
        %both = OpBitwiseXor %long %all %result
        OpStore %to %both Aligned 8
        ";
    check("addresses of some", &kernel("long", 8, body), 8, 0);
}

/// Behind what items store to local memory: each loads what the item at the other end has there.
const LOAD_OPPOSITE: &str = "
        OpControlBarrier %i2 %i2 %c264
        %last = OpISub %long %size %c1
        %opposite = OpISub %long %last %l
        %theirs = OpInBoundsAccessChain %in_tile %tile %opposite
        %y = OpLoad %long %theirs Aligned 8
        OpStore %to %y Aligned 8
        ";

/// A loop that only some items come to, and that stores: others store nothing.
#[test]
fn stores_of_some() {
    let body = format!(
        "
        %mine = OpInBoundsAccessChain %in_tile %tile %l
        OpStore %mine %x Aligned 8
        %low = OpBitwiseAnd %long %x %c3
        %is_some = OpUGreaterThan %bool %low %c1
        OpSelectionMerge %joined None
        OpBranchConditional %is_some %before %joined
        %before = OpLabel
        OpBranch %head
        %head = OpLabel
        %i = OpPhi %long %c0 %before %i_next %round
        %i_next = OpIAdd %long %i %c1
        %sum = OpIAdd %long %x %i_next
        OpStore %mine %sum Volatile|Aligned 8
        %goes_on = OpULessThan %bool %i_next %n
        OpLoopMerge %done %round None
        OpBranchConditional %goes_on %round %done
        %round = OpLabel
        OpBranch %head
        %done = OpLabel
        OpBranch %joined
        %joined = OpLabel
        {LOAD_OPPOSITE}"
    );
    for n in [1, 5] {
        check("stores of some", &kernel("long", 8, &body), 8, n);
    }
}

/// Stores of every second item, or of every second pair. What the others have stored before stays.
#[test]
fn stores_with_holes() {
    for bit in ["%c1", "%c2"] {
        let body = format!(
            "
        %mine = OpInBoundsAccessChain %in_tile %tile %l
        OpStore %mine %x Aligned 8
        OpControlBarrier %i2 %i2 %c264
        %low = OpBitwiseAnd %long %l {bit}
        %is_some = OpIEqual %bool %low %c0
        %twice = OpIAdd %long %x %x
        OpSelectionMerge %joined None
        OpBranchConditional %is_some %stores %joined
        %stores = OpLabel
        OpStore %mine %twice Aligned 8
        OpBranch %joined
        %joined = OpLabel
        {LOAD_OPPOSITE}"
        );
        check("stores with holes", &kernel("long", 8, &body), 8, 1);
    }
}

/// Local memory by unsigned indices that wrap for items that do not access it, which the compiler cannot know.
#[test]
fn unsigned_indices_of_rows() {
    let body = "
        %own32 = OpUConvert %int %own
        %back = OpBitwiseAnd %long %n %c3
        %back32 = OpUConvert %int %back
        %shift32 = OpISub %int %own32 %back32
        %shift = OpUConvert %long %shift32
        %reaches = OpUGreaterThanEqual %bool %own32 %back32
        %flag = OpSelect %long %reaches %c1 %c0
        %flag_float = OpConvertUToF %float %flag
        %one = OpConvertUToF %float %c1
        OpStore %mine %flag_float Aligned 4
        OpControlBarrier %i2 %i2 %c264
        %own_flag = OpLoad %float %mine Aligned 4
        %is_some = OpFOrdEqual %bool %own_flag %one
        OpSelectionMerge %joined None
        OpBranchConditional %is_some %inside %joined
        %inside = OpLabel
        %theirs = OpInBoundsAccessChain %in_tile %tile %shift
        %y = OpLoad %float %theirs Aligned 4
        OpStore %own_to %y Aligned 4
        OpBranch %joined
        %joined = OpLabel
        ";
    check_shapes("unsigned indices", body, false);
}

/// Rows at addresses that take many instructions, each of which uses the one before it twice.
#[test]
fn rows_at_long_addresses() {
    let rounds = (0..12).map(|i| {
        let before = if i == 0 { "%gy".into() } else { format!("%h{}", i - 1) };
        format!("%square{i} = OpIMul %long {before} {before}\n%h{i} = OpIAdd %long %square{i} %gy\n")
    });
    let body = format!(
        "
        {}
        %low = OpBitwiseAnd %long %h11 %c63
        %at_row = OpIMul %long %low %n
        %at = OpIAdd %long %at_row %id
        %from_there = OpPtrAccessChain %global_float %in %at
        %y = OpLoad %float %from_there Aligned 4
        OpStore %own_to %y Aligned 4
        ",
        rounds.collect::<String>()
    );
    check_shapes("long addresses", &body, true);
}

/// A kernel keeps code for the sizes that came first; groups of others run as before.
#[test]
fn more_sizes_than_room() {
    const ROOM: usize = 32;
    let body = "
        %mine = OpInBoundsAccessChain %in_tile %tile %l
        OpStore %mine %x Aligned 4
        OpControlBarrier %i2 %i2 %c264
        %last = OpISub %long %size %c1
        %opposite = OpISub %long %last %l
        %theirs = OpInBoundsAccessChain %in_tile %tile %opposite
        %y = OpLoad %float %theirs Aligned 4
        OpStore %to %y Aligned 4
        ";
    let kernel = compile(&kernel("float", 4, body), &Options::default());
    let least = u64::from(kernel.lanes());
    let mut vectors = 0;
    for size in (least..).take(ROOM + 3) {
        let items = 2 * size as usize;
        let mut input: Vec<u8> = (0..items).flat_map(|i| (i as f32).to_ne_bytes()).collect();
        let mut output = vec![0; 4 * items];
        let all = range([2, 1, 1], [size, 1, 1]);
        run(
            &kernel,
            all,
            &mut [
                Argument::Memory(&mut output),
                Argument::Memory(&mut input),
                Argument::Value(0),
            ],
        )
        .unwrap_or_else(|error| panic!("groups of {size}: {error}"));
        let lanes = kernel.lanes_for(&kernel.prepare(all).unwrap());
        vectors += usize::from(u64::from(lanes) == size.next_power_of_two() && lanes as u64 > least);
    }
    // The first size has as many items as the main code has lanes.
    assert_eq!(vectors, ROOM - 1);
}

/// Two variables in local memory, of which each item reads what another one wrote.
#[test]
fn two_local_variables() {
    let body = "
        %mine = OpInBoundsAccessChain %in_tile %tile %l
        %my_other = OpInBoundsAccessChain %in_tile %tile2 %l
        %twice = OpIAdd %long %x %x
        OpStore %mine %x Aligned 8
        OpStore %my_other %twice Aligned 8
        OpControlBarrier %i2 %i2 %c264
        %last = OpISub %long %size %c1
        %opposite = OpISub %long %last %l
        %theirs = OpInBoundsAccessChain %in_tile %tile2 %opposite
        %y = OpLoad %long %theirs Aligned 8
        %z = OpLoad %long %mine Aligned 8
        %sum = OpIAdd %long %y %z
        OpStore %to %sum Aligned 8
        ";
    let variable = "%tile = OpVariable %tile_pointer Workgroup";
    let both = format!("{variable}\n{}", variable.replace("%tile =", "%tile2 ="));
    check("two variables", &kernel("long", 8, body).replace(variable, &both), 8, 0);
}
