// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives that only the first items of each sub-group reach, as Intel's GPUs allow it.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable

__kernel void among_some(__global int *out, __global const int *in, uint some) {
    size_t i = get_global_id(0);
    uint lane = get_sub_group_local_id();
    int value = in[i], result = sub_group_reduce_max(value);
    if (lane < some) {
        result = 1000 * sub_group_reduce_add(value) + sub_group_scan_exclusive_add(1);
        if (lane >= 3)
            result += 1000000 * sub_group_reduce_min((int)lane);
        result += 100 * (int)sub_group_broadcast(value, 0);
    }
    out[i] = result;
}
