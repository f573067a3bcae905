// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of kernels.hpp in PTX, which the driver compiles. Threads of the first dimension have a word of 32 bits, a pivot or
// an element of a diagonal each, blocks of the second a matrix. Strides and leading dimensions are the callers' units: bytes and words.
#pragma once

namespace oxur {

// Begins a kernel: %r0 is the thread in the first dimension, %d0 the matrix. Threads from %r5 on have nothing to do.
#define BEGIN                                                                                                              \
    "{ .reg .pred %p<8>; .reg .b32 %r<24>; .reg .b64 %d<24>; .reg .f32 %f<8>; .reg .f64 %g<8>;\n"                          \
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.s32 %r0, %r1, %r2, %r3;\n"                   \
    "mov.u32 %r4, %ctaid.y; cvt.u64.u32 %d0, %r4;\n"
#define LIMIT "setp.ge.u32 %p0, %r0, %r5; @%p0 bra DONE;\n"
#define END "DONE: ret; }\n"
// Of the word of a thread, where %r6 is the number of rows of words and %r9 the logarithm of the words of an element: the column
// in %r7, the row of words in %r8, the row in %r10.
#define PLACE "div.u32 %r7, %r0, %r6; mul.lo.s32 %r8, %r7, %r6; sub.s32 %r8, %r0, %r8; shr.u32 %r10, %r8, %r9;\n"
// The address of that word in %TO, of the matrices at %TO of which %STRIDE and %LD are the distances.
#define ADDRESS(TO, STRIDE, LD)                                                                                            \
    "cvt.u64.u32 %d20, %r7; cvt.u64.u32 %d21, %r8; mad.lo.s64 %d20, %d20, " LD ", %d21; shl.b64 %d20, %d20, 2;\n"          \
    "mad.lo.s64 " TO ", %d0, " STRIDE ", " TO "; add.s64 " TO ", " TO ", %d20;\n"
// %r15 is the word of a one that the thread has, on the diagonal: %r13 is which word of an element is not zero, %r14 its bits.
#define ONE                                                                                                                \
    "mov.u32 %r15, 1; shl.b32 %r15, %r15, %r9; sub.s32 %r15, %r15, 1; and.b32 %r15, %r8, %r15;\n"                          \
    "setp.eq.u32 %p3, %r15, %r13; selp.b32 %r15, %r14, 0, %p3;\n"
// Reciprocals: %d1 is the address of the n × n matrices with elements of SIZE bytes, %d2 that of tau. The addresses of the thread's
// elements take their places.
#define RECIPROCALS(NAME, SIZE, WORK)                                                                                      \
    ".visible .entry " NAME "(.param .u64 to, .param .u64 tau, .param .u64 stride_tau, .param .u32 n)\n" BEGIN             \
    "ld.param.u64 %d1, [to]; ld.param.u64 %d2, [tau]; ld.param.u64 %d3, [stride_tau]; ld.param.u32 %r5, [n];\n" LIMIT      \
    "cvt.u64.u32 %d4, %r0; cvt.u64.u32 %d5, %r5; mad.lo.s64 %d6, %d0, %d5, %d4; mad.lo.s64 %d6, %d6, %d5, %d4;\n"          \
    "mul.lo.s64 %d6, %d6, " SIZE "; add.s64 %d1, %d1, %d6;\n"                                                              \
    "mad.lo.s64 %d2, %d0, %d3, %d2; mul.lo.s64 %d4, %d4, " SIZE "; add.s64 %d2, %d2, %d4;\n" WORK END
// F is the letter of the registers.
#define REAL(NAME, SIZE, F, TYPE, ONE_BITS, ZERO)                                                                          \
    RECIPROCALS(NAME, SIZE,                                                                                                \
                "ld.global." TYPE " %" F "0, [%d2]; mov." TYPE " %" F "1, " ONE_BITS ";\n"                                 \
                "setp.eq." TYPE " %p1, %" F "0, " ZERO "; selp." TYPE " %" F "0, %" F "1, %" F "0, %p1;\n"                 \
                "div.rn." TYPE " %" F "2, %" F "1, %" F "0; st.global." TYPE " [%d1], %" F "2;\n")
#define COMPLEX(NAME, SIZE, HALF, F, TYPE, ONE_BITS, ZERO)                                                                 \
    RECIPROCALS(NAME, SIZE,                                                                                                \
                "ld.global." TYPE " %" F "0, [%d2]; ld.global." TYPE " %" F "1, [%d2+" HALF "]; mov." TYPE " %" F "2, " ONE_BITS ";\n" \
                "mul." TYPE " %" F "3, %" F "1, %" F "1; fma.rn." TYPE " %" F "3, %" F "0, %" F "0, %" F "3;\n"            \
                "setp.eq." TYPE " %p1, %" F "3, " ZERO "; selp." TYPE " %" F "3, %" F "2, %" F "3, %p1;\n"                 \
                "selp." TYPE " %" F "0, %" F "2, %" F "0, %p1; neg." TYPE " %" F "1, %" F "1;\n"                           \
                "div.rn." TYPE " %" F "4, %" F "0, %" F "3; div.rn." TYPE " %" F "5, %" F "1, %" F "3;\n"                  \
                "st.global." TYPE " [%d1], %" F "4; st.global." TYPE " [%d1+" HALF "], %" F "5;\n")

constexpr char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"

    ".visible .entry addresses(.param .u64 to, .param .u64 first, .param .u64 stride, .param .u32 count)\n" BEGIN
    "ld.param.u64 %d1, [to]; ld.param.u64 %d2, [first]; ld.param.u64 %d3, [stride]; ld.param.u32 %r5, [count];\n" LIMIT
    "cvt.u64.u32 %d4, %r0; mad.lo.s64 %d5, %d4, %d3, %d2; shl.b64 %d6, %d4, 3; add.s64 %d1, %d1, %d6; st.global.u64 [%d1], %d5;\n" END

    ".visible .entry widen(.param .u64 to, .param .u64 stride, .param .u64 from, .param .u32 n)\n" BEGIN
    "ld.param.u64 %d1, [to]; ld.param.u64 %d2, [stride]; ld.param.u64 %d3, [from]; ld.param.u32 %r5, [n];\n" LIMIT
    "cvt.u64.u32 %d4, %r0; cvt.u64.u32 %d5, %r5; mad.lo.s64 %d6, %d0, %d5, %d4; shl.b64 %d6, %d6, 2; add.s64 %d3, %d3, %d6;\n"
    "mad.lo.s64 %d1, %d0, %d2, %d1; shl.b64 %d4, %d4, 3; add.s64 %d1, %d1, %d4;\n"
    "ld.global.u32 %r6, [%d3]; cvt.s64.s32 %d7, %r6; st.global.u64 [%d1], %d7;\n" END

    ".visible .entry narrow(.param .u64 to, .param .u64 from, .param .u64 stride, .param .u32 n)\n" BEGIN
    "ld.param.u64 %d1, [to]; ld.param.u64 %d2, [from]; ld.param.u64 %d3, [stride]; ld.param.u32 %r5, [n];\n" LIMIT
    "cvt.u64.u32 %d4, %r0; cvt.u64.u32 %d5, %r5; mad.lo.s64 %d6, %d0, %d5, %d4; shl.b64 %d6, %d6, 2; add.s64 %d1, %d1, %d6;\n"
    "mad.lo.s64 %d2, %d0, %d3, %d2; shl.b64 %d4, %d4, 3; add.s64 %d2, %d2, %d4;\n"
    "ld.global.u64 %d7, [%d2]; cvt.u32.u64 %r6, %d7; st.global.u32 [%d1], %r6;\n" END

    // The part: 1 is the upper triangle, 2 the lower one, with the diagonal.
    ".visible .entry copy_elements(.param .u64 to, .param .u64 stride_to, .param .u64 ld_to, .param .u64 from, .param .u64 stride_from,\n"
    ".param .u64 ld_from, .param .u32 rows, .param .u32 words, .param .u32 shift, .param .u32 part)\n" BEGIN
    "ld.param.u32 %r5, [words];\n" LIMIT
    "ld.param.u32 %r6, [rows]; ld.param.u32 %r9, [shift]; ld.param.u32 %r11, [part];\n" PLACE
    "setp.eq.u32 %p1, %r11, 1; setp.gt.u32 %p2, %r10, %r7; and.pred %p1, %p1, %p2; @%p1 bra DONE;\n"
    "setp.eq.u32 %p1, %r11, 2; setp.lt.u32 %p2, %r10, %r7; and.pred %p1, %p1, %p2; @%p1 bra DONE;\n"
    "ld.param.u64 %d1, [to]; ld.param.u64 %d2, [stride_to]; ld.param.u64 %d3, [ld_to];\n" ADDRESS("%d1", "%d2", "%d3")
    "ld.param.u64 %d4, [from]; ld.param.u64 %d5, [stride_from]; ld.param.u64 %d6, [ld_from];\n" ADDRESS("%d4", "%d5", "%d6")
    "ld.global.u32 %r12, [%d4]; st.global.u32 [%d1], %r12;\n" END

    ".visible .entry identity(.param .u64 to, .param .u64 stride_to, .param .u64 ld_to, .param .u32 rows, .param .u32 words,\n"
    ".param .u32 shift, .param .u32 one_at, .param .u32 one)\n" BEGIN
    "ld.param.u32 %r5, [words];\n" LIMIT
    "ld.param.u32 %r6, [rows]; ld.param.u32 %r9, [shift]; ld.param.u32 %r13, [one_at]; ld.param.u32 %r14, [one];\n" PLACE ONE
    "ld.param.u64 %d1, [to]; ld.param.u64 %d2, [stride_to]; ld.param.u64 %d3, [ld_to];\n" ADDRESS("%d1", "%d2", "%d3")
    "setp.eq.u32 %p1, %r10, %r7; selp.b32 %r15, %r15, 0, %p1; st.global.u32 [%d1], %r15;\n" END

    // Whether tau is zero is whether its words are, but for signs.
    ".visible .entry reflectors(.param .u64 to, .param .u64 from, .param .u64 stride_from, .param .u64 ld_from, .param .u64 tau,\n"
    ".param .u64 stride_tau, .param .u32 rows, .param .u32 words, .param .u32 shift, .param .u32 one_at, .param .u32 one)\n" BEGIN
    "ld.param.u32 %r5, [words];\n" LIMIT
    "ld.param.u32 %r6, [rows]; ld.param.u32 %r9, [shift]; ld.param.u32 %r13, [one_at]; ld.param.u32 %r14, [one];\n" PLACE ONE
    "ld.param.u64 %d1, [to]; cvt.u64.u32 %d2, %r5; cvt.u64.u32 %d3, %r0; mad.lo.s64 %d2, %d0, %d2, %d3; shl.b64 %d2, %d2, 2;\n"
    "add.s64 %d1, %d1, %d2;\n"
    "ld.param.u64 %d8, [tau]; ld.param.u64 %d9, [stride_tau]; mad.lo.s64 %d8, %d0, %d9, %d8;\n"
    "shl.b32 %r16, %r7, %r9; mul.wide.u32 %d9, %r16, 4; add.s64 %d8, %d8, %d9;\n"
    "mov.u32 %r17, 1; shl.b32 %r17, %r17, %r9; mov.u32 %r18, 0;\n"
    "NEXT: ld.global.u32 %r19, [%d8]; and.b32 %r19, %r19, 0x7fffffff; or.b32 %r18, %r18, %r19; add.s64 %d8, %d8, 4;\n"
    "sub.s32 %r17, %r17, 1; setp.ne.u32 %p4, %r17, 0; @%p4 bra NEXT;\n"
    "setp.eq.u32 %p4, %r18, 0; setp.lt.u32 %p5, %r10, %r7; or.pred %p4, %p4, %p5; selp.b32 %r15, 0, %r15, %p4;\n"
    "setp.eq.u32 %p6, %r10, %r7; or.pred %p4, %p4, %p6; @%p4 bra WRITE;\n"
    "ld.param.u64 %d4, [from]; ld.param.u64 %d5, [stride_from]; ld.param.u64 %d6, [ld_from];\n" ADDRESS("%d4", "%d5", "%d6")
    "ld.global.u32 %r15, [%d4];\n"
    "WRITE: st.global.u32 [%d1], %r15;\n" END

    REAL("reciprocals_S", "4", "f", "f32", "0f3F800000", "0f00000000")
    REAL("reciprocals_D", "8", "g", "f64", "0d3FF0000000000000", "0d0000000000000000")
    COMPLEX("reciprocals_C", "8", "4", "f", "f32", "0f3F800000", "0f00000000")
    COMPLEX("reciprocals_Z", "16", "8", "g", "f64", "0d3FF0000000000000", "0d0000000000000000");

#undef BEGIN
#undef LIMIT
#undef END
#undef PLACE
#undef ADDRESS
#undef ONE
#undef RECIPROCALS
#undef REAL
#undef COMPLEX

} // namespace oxur
