// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entries of preload.c. A call goes on with the arguments and the stack it came with.

#define FUNCTION(index, kind, library, name) entry index, name

.macro entry index, name
    .globl \name
    .type \name, @function
\name:
    .cfi_startproc
    endbr64
    movl $\index, %r11d
    jmp dispatch
    .cfi_endproc
    .size \name, . - \name
.endm

    .text
#include "functions.h"

    .type dispatch, @function
dispatch:
    .cfi_startproc
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    subq $176, %rsp
    movq %rdi, (%rsp)
    movq %rsi, 8(%rsp)
    movq %rdx, 16(%rsp)
    movq %rcx, 24(%rsp)
    movq %r8, 32(%rsp)
    movq %r9, 40(%rsp)
    movups %xmm0, 48(%rsp)
    movups %xmm1, 64(%rsp)
    movups %xmm2, 80(%rsp)
    movups %xmm3, 96(%rsp)
    movups %xmm4, 112(%rsp)
    movups %xmm5, 128(%rsp)
    movups %xmm6, 144(%rsp)
    movups %xmm7, 160(%rsp)
    movq %rsi, %rdx
    movq %rdi, %rsi
    movl %r11d, %edi
    call oxur_onemkl_target
    movq %rax, %r11
    movq (%rsp), %rdi
    movq 8(%rsp), %rsi
    movq 16(%rsp), %rdx
    movq 24(%rsp), %rcx
    movq 32(%rsp), %r8
    movq 40(%rsp), %r9
    movups 48(%rsp), %xmm0
    movups 64(%rsp), %xmm1
    movups 80(%rsp), %xmm2
    movups 96(%rsp), %xmm3
    movups 112(%rsp), %xmm4
    movups 128(%rsp), %xmm5
    movups 144(%rsp), %xmm6
    movups 160(%rsp), %xmm7
    leave
    .cfi_def_cfa %rsp, 8
    jmp *%r11
    .cfi_endproc
    .size dispatch, . - dispatch

    .section .note.GNU-stack, "", @progbits
