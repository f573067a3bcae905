// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each collective at least once: of work-groups and sub-groups, where all items come and where only some do.

#define ADD(VALUE) fold = fold * 3 + (ulong)(VALUE)
#define FLOAT(VALUE) ADD(bits_float((VALUE) + 0.0f))
// Only where all items of the cluster are there.
#define CLUSTER(KIND, VALUE, LAST)           \
  do {                                       \
    const __typeof__(VALUE) value = VALUE;   \
    KIND((lane | LAST) < lanes ? value : 0); \
  } while (0)

// Those of which only some items need be there.
static inline __attribute__((always_inline)) ulong active(int lid, int x, long y, float f, float sign) {
  ulong fold = 0;
  const uint4 votes = sub_group_ballot((x & 4) != 0 | sub_group_elect() != 0);
  ADD(votes.x);
  ADD(sub_group_ballot_bit_count(votes));
  ADD(sub_group_ballot_inclusive_scan(votes));
  ADD(sub_group_ballot_exclusive_scan(votes));
  ADD(sub_group_ballot_find_lsb(votes));
  ADD(sub_group_ballot_find_msb(votes));
  ADD(sub_group_ballot_bit_extract(votes, (uint)x % 16) != 0);
  ADD(sub_group_inverse_ballot(votes) != 0);
  ADD(sub_group_elect() != 0);
  ADD(sub_group_broadcast_first(x));
  ADD(sub_group_non_uniform_all_equal(x >> 6) != 0);
  ADD(sub_group_non_uniform_reduce_add(x));
  ADD(sub_group_non_uniform_reduce_min(x));
  ADD(sub_group_non_uniform_reduce_max(x));
  ADD(sub_group_non_uniform_reduce_mul(x));
  ADD(sub_group_non_uniform_reduce_mul(y));
  ADD(sub_group_non_uniform_reduce_mul((short)x));
  ADD(sub_group_non_uniform_reduce_and(x));
  ADD(sub_group_non_uniform_reduce_or(x));
  ADD(sub_group_non_uniform_reduce_xor(x));
  ADD(sub_group_non_uniform_reduce_logical_and((x & 3) != 0) != 0);
  ADD(sub_group_non_uniform_reduce_logical_or((x & 3) != 0) != 0);
  ADD(sub_group_non_uniform_reduce_logical_xor((x & 3) != 0) != 0);
  FLOAT(sub_group_non_uniform_reduce_add(f));
  FLOAT(sub_group_non_uniform_reduce_min(f));
  FLOAT(sub_group_non_uniform_reduce_max(f));
  FLOAT(sub_group_non_uniform_reduce_mul(sign));
  ADD(sub_group_non_uniform_scan_inclusive_add(x));
  ADD(sub_group_non_uniform_scan_inclusive_min(x));
  ADD(sub_group_non_uniform_scan_inclusive_max(x));
  ADD(sub_group_non_uniform_scan_inclusive_mul(x));
  ADD(sub_group_non_uniform_scan_inclusive_mul(y));
  ADD(sub_group_non_uniform_scan_inclusive_mul((short)x));
  ADD(sub_group_non_uniform_scan_inclusive_and(x));
  ADD(sub_group_non_uniform_scan_inclusive_or(x));
  ADD(sub_group_non_uniform_scan_inclusive_xor(x));
  ADD(sub_group_non_uniform_scan_inclusive_logical_and((x & 3) != 0) != 0);
  ADD(sub_group_non_uniform_scan_inclusive_logical_or((x & 3) != 0) != 0);
  ADD(sub_group_non_uniform_scan_inclusive_logical_xor((x & 3) != 0) != 0);
  FLOAT(sub_group_non_uniform_scan_inclusive_add(f));
  FLOAT(sub_group_non_uniform_scan_inclusive_min(f));
  FLOAT(sub_group_non_uniform_scan_inclusive_max(f));
  FLOAT(sub_group_non_uniform_scan_inclusive_mul(sign));
  ADD(sub_group_non_uniform_scan_exclusive_add(x));
  ADD(sub_group_non_uniform_scan_exclusive_min(x));
  ADD(sub_group_non_uniform_scan_exclusive_max(x));
  ADD(sub_group_non_uniform_scan_exclusive_mul(x));
  ADD(sub_group_non_uniform_scan_exclusive_mul(y));
  ADD(sub_group_non_uniform_scan_exclusive_mul((short)x));
  ADD(sub_group_non_uniform_scan_exclusive_and(x));
  ADD(sub_group_non_uniform_scan_exclusive_or(x));
  ADD(sub_group_non_uniform_scan_exclusive_xor(x));
  ADD(sub_group_non_uniform_scan_exclusive_logical_and((x & 3) != 0) != 0);
  ADD(sub_group_non_uniform_scan_exclusive_logical_or((x & 3) != 0) != 0);
  ADD(sub_group_non_uniform_scan_exclusive_logical_xor((x & 3) != 0) != 0);
  FLOAT(sub_group_non_uniform_scan_exclusive_add(f));
  FLOAT(sub_group_non_uniform_scan_exclusive_min(f));
  FLOAT(sub_group_non_uniform_scan_exclusive_max(f));
  FLOAT(sub_group_non_uniform_scan_exclusive_mul(sign));
  return fold;
}

__attribute__((intel_reqd_sub_group_size(16)))
kernel void k(PARAMETERS) {
  const size_t g = ((get_global_id(2) - get_global_offset(2)) * get_global_size(1) + get_global_id(1) - get_global_offset(1)) *
                       get_global_size(0) + get_global_id(0) - get_global_offset(0);
  const uint lane = get_sub_group_local_id(), lanes = get_sub_group_size();
  const int x = vi[g], lid = get_local_linear_id();
  const long y = vl[g];
  const uint z = (uint)vi[g + 1];
  // Sums and products of these are exact.
  const float f = (x & 255) - 100, sign = lid == 3 ? 3.0f : x & 1 ? -1.0f : 1.0f;
  ulong fold = 0;
  ADD(__spirv_GroupIMulKHR(2u, 0u, x));
  ADD(__spirv_GroupIMulKHR(2u, 0u, y));
  ADD(__spirv_GroupIMulKHR(2u, 0u, (short)x));
  ADD(__spirv_GroupIMulKHR(2u, 0u, (char)x));
  ADD(__spirv_GroupBitwiseAndKHR(2u, 0u, x));
  ADD(__spirv_GroupBitwiseOrKHR(2u, 0u, x));
  ADD(__spirv_GroupBitwiseXorKHR(2u, 0u, x));
  ADD(__spirv_GroupLogicalAndKHR(2u, 0u, (bool)(x & 3)));
  ADD(__spirv_GroupLogicalOrKHR(2u, 0u, (bool)(x & 3)));
  ADD(__spirv_GroupLogicalXorKHR(2u, 0u, (bool)(x & 3)));
  FLOAT(work_group_reduce_add(f));
  FLOAT(work_group_reduce_min(f));
  FLOAT(work_group_reduce_max(f));
  FLOAT(__spirv_GroupFMulKHR(2u, 0u, sign));
  ADD(__spirv_GroupIMulKHR(2u, 1u, x));
  ADD(__spirv_GroupIMulKHR(2u, 1u, y));
  ADD(__spirv_GroupIMulKHR(2u, 1u, (short)x));
  ADD(__spirv_GroupIMulKHR(2u, 1u, (char)x));
  ADD(__spirv_GroupBitwiseAndKHR(2u, 1u, x));
  ADD(__spirv_GroupBitwiseOrKHR(2u, 1u, x));
  ADD(__spirv_GroupBitwiseXorKHR(2u, 1u, x));
  ADD(__spirv_GroupLogicalAndKHR(2u, 1u, (bool)(x & 3)));
  ADD(__spirv_GroupLogicalOrKHR(2u, 1u, (bool)(x & 3)));
  ADD(__spirv_GroupLogicalXorKHR(2u, 1u, (bool)(x & 3)));
  FLOAT(work_group_scan_inclusive_add(f));
  FLOAT(work_group_scan_inclusive_min(f));
  FLOAT(work_group_scan_inclusive_max(f));
  FLOAT(__spirv_GroupFMulKHR(2u, 1u, sign));
  ADD(__spirv_GroupIMulKHR(2u, 2u, x));
  ADD(__spirv_GroupIMulKHR(2u, 2u, y));
  ADD(__spirv_GroupIMulKHR(2u, 2u, (short)x));
  ADD(__spirv_GroupIMulKHR(2u, 2u, (char)x));
  ADD(__spirv_GroupBitwiseAndKHR(2u, 2u, x));
  ADD(__spirv_GroupBitwiseOrKHR(2u, 2u, x));
  ADD(__spirv_GroupBitwiseXorKHR(2u, 2u, x));
  ADD(__spirv_GroupLogicalAndKHR(2u, 2u, (bool)(x & 3)));
  ADD(__spirv_GroupLogicalOrKHR(2u, 2u, (bool)(x & 3)));
  ADD(__spirv_GroupLogicalXorKHR(2u, 2u, (bool)(x & 3)));
  FLOAT(work_group_scan_exclusive_add(f));
  FLOAT(work_group_scan_exclusive_min(f));
  FLOAT(work_group_scan_exclusive_max(f));
  FLOAT(__spirv_GroupFMulKHR(2u, 2u, sign));
  ADD(__spirv_GroupIMulKHR(3u, 0u, x));
  ADD(__spirv_GroupIMulKHR(3u, 0u, y));
  ADD(__spirv_GroupIMulKHR(3u, 0u, (short)x));
  ADD(__spirv_GroupIMulKHR(3u, 0u, (char)x));
  ADD(__spirv_GroupBitwiseAndKHR(3u, 0u, x));
  ADD(__spirv_GroupBitwiseOrKHR(3u, 0u, x));
  ADD(__spirv_GroupBitwiseXorKHR(3u, 0u, x));
  ADD(__spirv_GroupLogicalAndKHR(3u, 0u, (bool)(x & 3)));
  ADD(__spirv_GroupLogicalOrKHR(3u, 0u, (bool)(x & 3)));
  ADD(__spirv_GroupLogicalXorKHR(3u, 0u, (bool)(x & 3)));
  FLOAT(sub_group_reduce_add(f));
  FLOAT(sub_group_reduce_min(f));
  FLOAT(sub_group_reduce_max(f));
  FLOAT(__spirv_GroupFMulKHR(3u, 0u, sign));
  ADD(__spirv_GroupIMulKHR(3u, 1u, x));
  ADD(__spirv_GroupIMulKHR(3u, 1u, y));
  ADD(__spirv_GroupIMulKHR(3u, 1u, (short)x));
  ADD(__spirv_GroupIMulKHR(3u, 1u, (char)x));
  ADD(__spirv_GroupBitwiseAndKHR(3u, 1u, x));
  ADD(__spirv_GroupBitwiseOrKHR(3u, 1u, x));
  ADD(__spirv_GroupBitwiseXorKHR(3u, 1u, x));
  ADD(__spirv_GroupLogicalAndKHR(3u, 1u, (bool)(x & 3)));
  ADD(__spirv_GroupLogicalOrKHR(3u, 1u, (bool)(x & 3)));
  ADD(__spirv_GroupLogicalXorKHR(3u, 1u, (bool)(x & 3)));
  FLOAT(sub_group_scan_inclusive_add(f));
  FLOAT(sub_group_scan_inclusive_min(f));
  FLOAT(sub_group_scan_inclusive_max(f));
  FLOAT(__spirv_GroupFMulKHR(3u, 1u, sign));
  ADD(__spirv_GroupIMulKHR(3u, 2u, x));
  ADD(__spirv_GroupIMulKHR(3u, 2u, y));
  ADD(__spirv_GroupIMulKHR(3u, 2u, (short)x));
  ADD(__spirv_GroupIMulKHR(3u, 2u, (char)x));
  ADD(__spirv_GroupBitwiseAndKHR(3u, 2u, x));
  ADD(__spirv_GroupBitwiseOrKHR(3u, 2u, x));
  ADD(__spirv_GroupBitwiseXorKHR(3u, 2u, x));
  ADD(__spirv_GroupLogicalAndKHR(3u, 2u, (bool)(x & 3)));
  ADD(__spirv_GroupLogicalOrKHR(3u, 2u, (bool)(x & 3)));
  ADD(__spirv_GroupLogicalXorKHR(3u, 2u, (bool)(x & 3)));
  FLOAT(sub_group_scan_exclusive_add(f));
  FLOAT(sub_group_scan_exclusive_min(f));
  FLOAT(sub_group_scan_exclusive_max(f));
  FLOAT(__spirv_GroupFMulKHR(3u, 2u, sign));
  CLUSTER(ADD, sub_group_clustered_reduce_add(x, 1u), 0);
  CLUSTER(ADD, sub_group_clustered_reduce_add(x, 2u), 1);
  CLUSTER(ADD, sub_group_clustered_reduce_min(x, 2u), 1);
  CLUSTER(ADD, sub_group_clustered_reduce_max(x, 2u), 1);
  CLUSTER(ADD, sub_group_clustered_reduce_mul(x, 2u), 1);
  CLUSTER(ADD, sub_group_clustered_reduce_and(x, 2u), 1);
  CLUSTER(ADD, sub_group_clustered_reduce_or(x, 2u), 1);
  CLUSTER(ADD, sub_group_clustered_reduce_xor(x, 2u), 1);
  CLUSTER(ADD, sub_group_clustered_reduce_logical_xor((x & 3) != 0, 2u) != 0, 1);
  CLUSTER(FLOAT, sub_group_clustered_reduce_add(f, 2u), 1);
  CLUSTER(ADD, sub_group_clustered_reduce_add(y, 8u), 7);
  CLUSTER(ADD, sub_group_clustered_reduce_min(y, 8u), 7);
  CLUSTER(ADD, sub_group_clustered_reduce_max(y, 8u), 7);
  CLUSTER(ADD, sub_group_clustered_reduce_mul(y, 8u), 7);
  CLUSTER(ADD, sub_group_clustered_reduce_and(y, 8u), 7);
  CLUSTER(ADD, sub_group_clustered_reduce_or(y, 8u), 7);
  CLUSTER(ADD, sub_group_clustered_reduce_xor(y, 8u), 7);
  CLUSTER(ADD, sub_group_clustered_reduce_logical_xor((x & 3) != 0, 8u) != 0, 7);
  CLUSTER(FLOAT, sub_group_clustered_reduce_add(f, 8u), 7);
  CLUSTER(ADD, sub_group_clustered_reduce_add(x, 16u), 15);
  CLUSTER(ADD, sub_group_clustered_reduce_min(x, 16u), 15);
  CLUSTER(ADD, sub_group_clustered_reduce_max(x, 16u), 15);
  CLUSTER(ADD, sub_group_clustered_reduce_mul(x, 16u), 15);
  CLUSTER(ADD, sub_group_clustered_reduce_and(x, 16u), 15);
  CLUSTER(ADD, sub_group_clustered_reduce_or(x, 16u), 15);
  CLUSTER(ADD, sub_group_clustered_reduce_xor(x, 16u), 15);
  CLUSTER(ADD, sub_group_clustered_reduce_logical_xor((x & 3) != 0, 16u) != 0, 15);
  CLUSTER(FLOAT, sub_group_clustered_reduce_add(f, 16u), 15);
  for (uint by = 0; by < 20; by += 3) {
    const uint from = (lane + by) & 15, in_cluster = (lane & ~3) + ((lane + by) & 3);
    const int rotated = __spirv_GroupNonUniformRotateKHR(3u, x, by), in_four = __spirv_GroupNonUniformRotateKHR(3u, x, by, 4u);
    ADD(from < lanes ? rotated : 0);
    ADD(in_cluster < lanes ? in_four : 0);
  }
  const uint first = get_sub_group_id() * 16;
  ADD(intel_sub_group_block_read((global const uint *)vi + first));
  ADD(intel_sub_group_block_read_ul((global const ulong *)vl + first));
  ADD(intel_sub_group_block_read_us((global const ushort *)vs + first));
  ADD(intel_sub_group_block_read_uc((global const uchar *)vc + first));
  const uint4 four = intel_sub_group_block_read4((global const uint *)vi + first);
  ADD(four.x ^ four.y * 3 ^ four.z * 5 ^ four.w * 7);
  const ushort8 eight = intel_sub_group_block_read_us8((global const ushort *)vs + first);
  ADD(eight.s0 ^ eight.s3 * 3 ^ eight.s7 * 5);
  if (get_local_size(1) * get_local_size(2) == 1 && ((g - lane) & 15) == 0)
    intel_sub_group_block_write((global uint *)oi + g - lane, z);
  else
    oi[g] = z;
  fold ^= active(lid, x, y, f, sign);
  if (x % 3)
    fold += active(lid, x, y, f, sign);
  ol[g] = fold;
}
