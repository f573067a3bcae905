// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every collective of sub-groups and work-groups, in groups whose last sub-group lacks items.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle_relative : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_ballot : enable

size_t place(void) {
    size_t group = get_group_id(0) + get_num_groups(0) * (get_group_id(1) + get_num_groups(1) * get_group_id(2));
    return group * get_local_size(0) * get_local_size(1) * get_local_size(2) + get_local_linear_id();
}

#define NUMBERS(T, S)                                                                                                                    \
    __attribute__((intel_reqd_sub_group_size(S))) __kernel void numbers_##T##_##S(__global T *out, __global const T *in) {               \
        uint size = get_sub_group_size(), lane = get_sub_group_local_id();                                                               \
        T value = in[place()];                                                                                                           \
        out += 20 * place();                                                                                                             \
        out[0] = sub_group_reduce_add(value);                                                                                            \
        out[1] = sub_group_reduce_min(value);                                                                                            \
        out[2] = sub_group_reduce_max(value);                                                                                            \
        out[3] = sub_group_scan_exclusive_add(value);                                                                                    \
        out[4] = sub_group_scan_exclusive_min(value);                                                                                    \
        out[5] = sub_group_scan_exclusive_max(value);                                                                                    \
        out[6] = sub_group_scan_inclusive_add(value);                                                                                    \
        out[7] = sub_group_scan_inclusive_min(value);                                                                                    \
        out[8] = sub_group_scan_inclusive_max(value);                                                                                    \
        out[9] = sub_group_broadcast(value, size - 1);                                                                                   \
        out[10] = sub_group_shuffle(value, (lane + 1) % size);                                                                           \
        T other = sub_group_shuffle_xor(value, 1);                                                                                       \
        out[11] = (lane ^ 1) < size ? other : value;                                                                                     \
        other = sub_group_shuffle_up(value, 3);                                                                                          \
        out[12] = lane >= 3 ? other : value;                                                                                             \
        other = sub_group_shuffle_down(value, 3);                                                                                        \
        out[13] = lane + 3 < size ? other : value;                                                                                       \
        out[14] = work_group_reduce_add(value);                                                                                          \
        out[15] = work_group_reduce_min(value);                                                                                          \
        out[16] = work_group_scan_exclusive_add(value);                                                                                  \
        out[17] = work_group_scan_inclusive_max(value);                                                                                  \
        out[18] = work_group_broadcast(value, get_local_size(0) - 1, get_local_size(1) - 1, get_local_size(2) - 1);                      \
        out[19] = work_group_reduce_max(value);                                                                                          \
    }

#define QUERIES(S)                                                                                                                       \
    __attribute__((intel_reqd_sub_group_size(S))) __kernel void queries_##S(__global int *out, __global const int *in) {                 \
        int value = in[place()];                                                                                                         \
        uint4 ballot = sub_group_ballot(value > 4);                                                                                      \
        out += 11 * place();                                                                                                             \
        out[0] = get_sub_group_size();                                                                                                   \
        out[1] = get_max_sub_group_size();                                                                                               \
        out[2] = get_num_sub_groups();                                                                                                   \
        out[3] = get_sub_group_id();                                                                                                     \
        out[4] = get_sub_group_local_id();                                                                                               \
        out[5] = sub_group_any(value > 5) ? 1 : 0;                                                                                       \
        out[6] = sub_group_all(value >= 0) ? 1 : 0;                                                                                      \
        out[7] = work_group_any(value > 5) ? 1 : 0;                                                                                      \
        out[8] = work_group_all(value > 0) ? 1 : 0;                                                                                      \
        out[9] = ballot.x;                                                                                                               \
        out[10] = sub_group_ballot_bit_count(ballot);                                                                                    \
    }

#define SIZES(KERNEL) KERNEL(8) KERNEL(16) KERNEL(32)
SIZES(QUERIES)

#define OF_SIZES(T) NUMBERS(T, 8) NUMBERS(T, 16) NUMBERS(T, 32)
OF_SIZES(char)
OF_SIZES(int)
OF_SIZES(uint)
OF_SIZES(long)
OF_SIZES(ulong)
OF_SIZES(float)
OF_SIZES(double)
OF_SIZES(half)
