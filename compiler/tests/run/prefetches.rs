// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Loops that ask for the memory of later rounds: down and up the columns of a matrix, whose memory ends where it ends.

use super::{Argument, MODES, compile_in, range, run};

const COLUMNS: usize = 67;

/// An item goes along a column from row `first` to `last`, by `step` rows, and computes 3 * (sum ^ x) seven times in each.
fn text(counter: &str, step: i64) -> String {
    let work: Vec<String> = (0..7)
        .map(|i| {
            format!(
                "%xor{i} = OpBitwiseXor %int %sum{i} %x\n%sum{} = OpIMul %int %xor{i} %i3",
                i + 1
            )
        })
        .collect();
    let next = if step < 0 { "OpISub" } else { "OpIAdd" };
    let place = match counter {
        "int" => "%row_of_64 = OpSConvert %long %row",
        _ => "%row_of_64 = OpCopyObject %long %row",
    };
    format!(
        "OpEntryPoint Kernel %kernel \"k\" %global_id
        OpDecorate %global_id BuiltIn GlobalInvocationId
        %input_long3 = OpTypePointer Input %long3
        %global_id = OpVariable %input_long3 Input
        %one = OpConstant %{counter} 1
        %type = OpTypeFunction %void %global_int %global_int %{counter} %{counter} %long
        %kernel = OpFunction %void None %type
        %p = OpFunctionParameter %global_int
        %q = OpFunctionParameter %global_int
        %first = OpFunctionParameter %{counter}
        %last = OpFunctionParameter %{counter}
        %columns = OpFunctionParameter %long
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %id = OpCompositeExtract %long %ids 0
        OpBranch %head
        %head = OpLabel
        %row = OpPhi %{counter} %first %start %next %body
        %sum0 = OpPhi %int %i0 %start %sum7 %body
        %again = OpINotEqual %bool %row %last
        OpLoopMerge %done %body None
        OpBranchConditional %again %body %done
        %body = OpLabel
        {place}
        %before = OpIMul %long %row_of_64 %columns
        %place = OpIAdd %long %before %id
        %from = OpPtrAccessChain %global_int %p %place
        %x = OpLoad %int %from Aligned 4
        {work}
        %next = {next} %{counter} %row %one
        OpBranch %head
        %done = OpLabel
        %to = OpPtrAccessChain %global_int %q %id
        OpStore %to %sum0 Aligned 4
        OpReturn
        OpFunctionEnd",
        work = work.join("\n"),
    )
}

#[test]
fn results_are_those_of_the_rows() {
    for (counter, step) in [("int", 1), ("int", -1), ("long", 1), ("long", -1)] {
        let kernels = MODES.map(|mode| (mode, compile_in(mode, &text(counter, step))));
        // With 48 rows and less nothing is asked for.
        for rows in [1, 47, 48, 49, 50, 300] {
            let first = if step < 0 { rows - 1 } else { 0 };
            let last = first + step * rows;
            let number = |row: i64, column: usize| (row as u32).wrapping_mul(2_654_435_761) ^ column as u32;
            let memory = (0..rows).flat_map(|row| (0..COLUMNS).map(move |column| number(row, column)));
            let mut p: Vec<u8> = memory.flat_map(u32::to_le_bytes).collect();
            let sum = |column| {
                let visited = std::iter::successors(Some(first), |row| Some(row + step)).take(rows as usize);
                visited
                    .map(|row| number(row, column))
                    .fold(0u32, |sum, x| (0..7).fold(sum, |sum, _| (sum ^ x).wrapping_mul(3)))
            };
            let expected: Vec<u8> = (0..COLUMNS).flat_map(|column| sum(column).to_le_bytes()).collect();
            for (mode, kernel) in &kernels {
                let mut q = vec![0; 4 * COLUMNS];
                let mut arguments = [
                    Argument::Memory(&mut p),
                    Argument::Memory(&mut q),
                    Argument::Value(first as u64),
                    Argument::Value(last as u64),
                    Argument::Value(COLUMNS as u64),
                ];
                run(kernel, range([1; 3], [COLUMNS as u64, 1, 1]), &mut arguments).unwrap();
                assert_eq!(q, expected, "{rows} rows by {step}, {counter}, {mode:?}");
            }
        }
    }
}
