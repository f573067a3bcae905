// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels for launches with properties.

// As SPIR-V has it: for scopes of execution and of memory, and what memory is seen.
void __attribute__((overloadable)) __spirv_ControlBarrier(uint execution, uint memory, uint semantics);

// The numbers of an item and of its group.
__kernel void numbers(__global uint2 *out) {
    size_t at = get_global_id(1) * get_global_size(0) + get_global_id(0);
    out[at] = (uint2)(at, get_group_id(1) * get_num_groups(0) + get_group_id(0));
}

// As `numbers`, with a barrier: all items of a group are there.
__attribute__((reqd_work_group_size(8, 2, 1))) __kernel void whole(__global uint2 *out) {
    size_t at = get_global_id(1) * get_global_size(0) + get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[at] = (uint2)(at, get_group_id(1) * get_num_groups(0) + get_group_id(0));
}

// What the next group has written before all groups have met. Sums stay in local memory across the meeting.
__kernel void meet(__global uint *out, __global uint *words, __local uint *kept) {
    size_t group = get_group_id(0), groups = get_num_groups(0), item = get_local_id(0);
    kept[item] = 1000 * group + item;
    if (item == 0)
        words[group] = group + 1;
    // Device, device, sequentially consistent in global memory.
    __spirv_ControlBarrier(1, 1, 0x210);
    out[get_global_id(0)] = 100000 * words[(group + 1) % groups] + kept[item];
}
