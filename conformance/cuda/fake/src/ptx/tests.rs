// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Calls: of functions by their names and by addresses, in functions that call themselves, with barriers.

use std::sync::Arc;

use oxur_cuda_sys::*;

use super::{Code, Launch};
use crate::memory::{self, Kind};

/// Functions that tests call.
const FUNCTIONS: &str = "
.version 8.1
.target sm_90
.address_size 64

.func (.param .b32 result) twice(.param .b32 value);
.func (.param .b32 result) factorial(.param .b32 value);
.visible .global .align 8 .u64 table[3] = {twice, factorial, 0};
.visible .global .align 8 .u64 place = generic(table)+8;

// 2 * value, in a way that needs local memory of the function.
.func (.param .b32 result) twice(.param .b32 value)
{
    .local .align 4 .b8 depot[8];
    .reg .b32 %r<4>;
    .reg .b64 %rd<3>;
    ld.param.b32 %r1, [value];
    mov.u64 %rd1, depot;
    cvta.local.u64 %rd2, %rd1;
    st.u32 [%rd2+4], %r1;
    ld.local.u32 %r2, [%rd1+4];
    add.s32 %r3, %r1, %r2;
    st.param.b32 [result], %r3;
    ret;
}

// value!, with a local variable that has to outlive the inner call.
.func (.param .b32 result) factorial(.param .b32 value)
{
    .local .align 4 .b8 own[4];
    .reg .pred %p<2>;
    .reg .b32 %r<6>;
    ld.param.b32 %r1, [value];
    st.local.u32 [own], %r1;
    mov.u32 %r2, 1;
    setp.lt.s32 %p1, %r1, 2;
    @%p1 bra done;
    {
        .param .b32 param0;
        .param .b32 retval0;
        sub.s32 %r3, %r1, 1;
        st.param.b32 [param0], %r3;
        call.uni (retval0), factorial, (param0);
        ld.param.b32 %r4, [retval0];
    }
    ld.local.u32 %r5, [own];
    mul.lo.s32 %r2, %r4, %r5;
done:
    st.param.b32 [result], %r2;
    ret;
}

// Adds to what `where` points to, which is the caller's: nothing is returned.
.func add_to(.param .b64 where, .param .align 4 .b8 pair[8])
{
    .reg .b32 %r<5>;
    .reg .b64 %rd<2>;
    ld.param.b64 %rd1, [where];
    ld.param.b32 %r1, [pair];
    ld.param.b32 %r2, [pair+4];
    ld.u32 %r3, [%rd1];
    add.s32 %r4, %r1, %r2;
    add.s32 %r4, %r4, %r3;
    st.u32 [%rd1], %r4;
    ret;
}

// Ends the thread if the value is 0.
.func ends(.param .b32 value)
{
    .reg .pred %p<2>;
    .reg .b32 %r<2>;
    ld.param.b32 %r1, [value];
    setp.eq.s32 %p1, %r1, 0;
    @%p1 exit;
    ret;
}

.func never_ends(.param .b32 value)
{
    .reg .b32 %r<2>;
    ld.param.b32 %r1, [value];
    {
        .param .b32 param0;
        st.param.b32 [param0], %r1;
        call never_ends, (param0);
    }
    ret;
}

// The sum of the values of the lanes in a mask, by their shuffles, and a barrier of the block before that.
.func (.param .b32 result) among(.param .b32 value, .param .b32 mask)
{
    .reg .b32 %r<5>;
    ld.param.b32 %r1, [value];
    ld.param.b32 %r2, [mask];
    barrier.sync 0;
    shfl.sync.bfly.b32 %r3, %r1, 1, 31, %r2;
    add.s32 %r4, %r1, %r3;
    st.param.b32 [result], %r4;
    ret;
}
";

/// The result of a kernel that has `body`, in which %r1 is the number of the thread, %rd1 the address of the thread's
/// word, `%r9` what is written there in the end.
struct Run {
    fault: Option<CUresult>,
    words: Vec<u32>,
}

const UNTOUCHED: u32 = 0xaaaa_aaaa;

fn text(body: &str) -> String {
    format!(
        "{FUNCTIONS}
        .visible .entry kernel(.param .u64 words, .param .u64 argument) {{
            .reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %rd<16>;
            mov.u32 %r1, %tid.x;
            ld.param.u64 %rd1, [words];
            mul.wide.u32 %rd2, %r1, 4;
            add.s64 %rd1, %rd1, %rd2;
            ld.param.u64 %rd3, [argument];
            {body}
            st.global.u32 [%rd1], %r9;
            ret;
        }}"
    )
}

fn load(body: &str) -> Result<Arc<Code>, String> {
    let mut code = Code::parse(&text(body))?;
    let mut places = Vec::new();
    for global in &code.globals {
        places.push(memory::allocate(global.bytes.len(), Kind::Host, 0).expect("memory") as u64);
    }
    for (place, bytes) in places.clone().into_iter().zip(code.place(places)) {
        // SAFETY: new memory of this size, which the host may use.
        unsafe { (place as *mut u8).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    }
    Ok(Arc::new(code))
}

/// Launches a block.
fn launch(code: &Arc<Code>, threads: u32, argument: u64) -> Run {
    let size = 4 * threads as usize;
    let words = memory::allocate(size, Kind::Host, 0).expect("memory");
    // SAFETY: new memory of so many words, which is the host's, too.
    let own = unsafe { std::slice::from_raw_parts_mut(words as *mut u32, threads as usize) };
    own.fill(UNTOUCHED);
    let launch = Launch {
        code: code.clone(),
        entry: 0,
        grid: [1; 3],
        block: [threads, 1, 1],
        shared: 0,
        params: [words as u64, argument].map(u64::to_le_bytes).concat(),
        cluster: None,
    };
    let fault = launch.run(0).err();
    let run = Run {
        fault,
        words: own.to_vec(),
    };
    memory::free(words, |_| true);
    run
}

/// Runs a kernel that has to succeed.
#[track_caller]
fn run(body: &str, threads: u32) -> Vec<u32> {
    let run = launch(&load(body).expect("a module"), threads, 0);
    assert_eq!(run.fault, None);
    run.words
}

/// A call of a function by its name, of the value in a register, into %r9.
fn call(function: &str, register: &str) -> String {
    format!(
        "{{ .param .b32 param0; .param .b32 retval0;
            st.param.b32 [param0+0], {register};
            call.uni (retval0), {function}, (param0);
            ld.param.b32 %r9, [retval0+0]; }}"
    )
}

/// The same by the address in %rd4.
fn call_address(register: &str) -> String {
    format!(
        "{{ .param .b32 param0; .param .b32 retval0;
            st.param.b32 [param0], {register};
            prototype_0 : .callprototype (.param .b32 _) _ (.param .b32 _);
            call (retval0), %rd4, (param0), prototype_0;
            ld.param.b32 %r9, [retval0]; }}"
    )
}

#[test]
fn both_halves_of_a_register() {
    let of = |name: &str| {
        run(
            &format!("mov.b32 %r2, 0x7fffffff; mov.b32 %r3, 0x00010001; {name} %r9, %r2, %r3;"),
            1,
        )
    };
    assert_eq!(of("add.s16x2"), [0x8000_0000]);
    assert_eq!(of("min.s16x2"), [0x0001_ffff]);
    assert_eq!(of("min.u16x2"), [0x0001_0001]);
    assert_eq!(of("max.s16x2"), [0x7fff_0001]);
}

#[test]
fn a_function_by_its_name() {
    assert_eq!(run(&call("twice", "%r1"), 5), [0, 2, 4, 6, 8]);
}

#[test]
fn a_function_that_calls_itself() {
    // Each thread as deep as its number.
    assert_eq!(run(&call("factorial", "%r1"), 8), [1, 1, 2, 6, 24, 120, 720, 5040]);
}

#[test]
fn calls_without_an_end() {
    let body = "{ .param .b32 param0; st.param.b32 [param0], %r1; call never_ends, (param0); }";
    let run = launch(&load(body).expect("a module"), 1, 0);
    assert_eq!(run.fault, Some(CUDA_ERROR_HARDWARE_STACK_ERROR));
}

#[test]
fn what_is_passed_by_address_is_the_callers() {
    let body = "
        .local .align 4 .b8 sum[4];
        mov.u64 %rd5, sum;
        cvta.local.u64 %rd6, %rd5;
        st.u32 [%rd6], 100;
        { .param .b64 param0; .param .align 4 .b8 param1[8];
          st.param.b64 [param0], %rd6;
          st.param.b32 [param1], %r1;
          st.param.b32 [param1+4], 7;
          call add_to, (param0, param1); }
        ld.local.u32 %r9, [sum];";
    assert_eq!(run(body, 3), [107, 108, 109]);
}

#[test]
fn functions_of_a_table() {
    // Threads of a warp call different ones.
    let body = format!(
        "and.b32 %r2, %r1, 1;
         mul.wide.u32 %rd5, %r2, 8;
         mov.u64 %rd6, table;
         add.s64 %rd6, %rd6, %rd5;
         ld.global.u64 %rd4, [%rd6];
         {}",
        call_address("%r1")
    );
    assert_eq!(run(&body, 6), [0, 1, 4, 6, 8, 120]);
    // The address of the second one, by an address that is in memory.
    let body = format!(
        "ld.global.u64 %rd5, [place]; ld.u64 %rd4, [%rd5]; {}",
        call_address("%r1")
    );
    assert_eq!(run(&body, 5), [1, 1, 2, 6, 24]);
    // By the name.
    let body = format!("mov.u64 %rd4, twice; {}", call_address("%r1"));
    assert_eq!(run(&body, 3), [0, 2, 4]);
}

#[test]
fn functions_of_a_list() {
    let body = |function: &str| {
        format!(
            "mov.u64 %rd4, {function};
             listed: .calltargets twice, factorial;
             {{ .param .b32 param0; .param .b32 retval0;
                st.param.b32 [param0], 4;
                call (retval0), %rd4, (param0), listed;
                ld.param.b32 %r9, [retval0]; }}"
        )
    };
    assert_eq!(run(&body("factorial"), 1), [24]);
    let run = launch(&load(&body("ends")).expect("a module"), 1, 0);
    assert_eq!(run.fault, Some(CUDA_ERROR_ILLEGAL_INSTRUCTION));
}

#[test]
fn addresses_of_no_function() {
    let code = load(&format!("mov.u64 %rd4, %rd3; {}", call_address("%r1"))).expect("a module");
    let function = |name: &str| {
        code.routines
            .iter()
            .position(|routine| routine.name == name)
            .expect("there")
    };
    let good = code.address(function("twice"));
    assert_eq!(launch(&code, 2, good).words, [0, 2]);
    let other = load("").expect("a module").address(function("twice"));
    let kernel = code.address(function("kernel"));
    for address in [0, 64, other, kernel, code.places[0]] {
        assert_eq!(
            launch(&code, 1, address).fault,
            Some(CUDA_ERROR_ILLEGAL_ADDRESS),
            "{address:#x}"
        );
    }
    for address in [1, good + 4] {
        assert_eq!(
            launch(&code, 1, address).fault,
            Some(CUDA_ERROR_INVALID_PC),
            "{address:#x}"
        );
    }
    // It takes more than the call gives.
    let wrong = code.address(function("among"));
    assert_eq!(launch(&code, 1, wrong).fault, Some(CUDA_ERROR_ILLEGAL_INSTRUCTION));
    // An address of code is none of memory.
    let code = load("ld.u32 %r9, [%rd3];").expect("a module");
    assert_eq!(launch(&code, 1, good).fault, Some(CUDA_ERROR_ILLEGAL_ADDRESS));
}

#[test]
fn threads_that_end_in_a_function() {
    let body = "{ .param .b32 param0; st.param.b32 [param0], %r1; call ends, (param0); }
        bar.sync 0;
        add.s32 %r9, %r1, 1;";
    assert_eq!(run(body, 3), [UNTOUCHED, 2, 3]);
}

/// The call of `among`.
const AMONG: &str = "{ .param .b32 param0; .param .b32 param1; .param .b32 retval0;
        st.param.b32 [param0], %r1;
        st.param.b32 [param1], %r2;
        call (retval0), among, (param0, param1);
        ld.param.b32 %r9, [retval0]; }";

#[test]
fn barriers_and_warps_in_functions() {
    // Two warps; in each, the lower half calls the function in one place, and the upper half in another.
    let body = format!(
        "and.b32 %r3, %r1, 16;
         setp.eq.s32 %p1, %r3, 0;
         @%p1 bra low;
         mov.b32 %r2, 0xffff0000;
         {AMONG}
         add.s32 %r9, %r9, 1000;
         bra.uni over;
         low:
         mov.b32 %r2, 0xffff;
         {AMONG}
         over:"
    );
    let expected: Vec<u32> = (0..64)
        .map(|i| i + (i ^ 1) + if i & 16 == 0 { 0 } else { 1000 })
        .collect();
    assert_eq!(run(&body, 64), expected);
}

/// Some threads wait in a function, the others in the kernel, where all of a warp have to come to the same barrier.
#[test]
fn a_barrier_that_not_all_of_a_warp_come_to() {
    let body = format!(
        "mov.b32 %r2, 1;
         setp.eq.s32 %p1, %r1, 0;
         @%p1 bra first;
         bar.sync 0;
         bra over;
         first:
         {AMONG}
         over:"
    );
    let run = launch(&load(&body).expect("a module"), 8, 0);
    assert_eq!(run.fault, Some(CUDA_ERROR_LAUNCH_FAILED));
}

#[test]
fn calls_that_are_refused() {
    let refused = |body: &str, words: &str| {
        let wrong = load(body).expect_err("this is no call");
        assert!(wrong.contains(words), "{wrong}");
    };
    refused(&call("missing", "%r1"), "missing, which is called, is not defined");
    refused("mov.u64 %rd4, missing;", "missing is not known");
    refused(
        &call("among", "%r1"),
        "among is called with other parameters than it has",
    );
    refused("call %rd4;", "without a prototype");
    refused("call %rd4, (), none;", "there is no prototype or list none");
    let other = "p : .callprototype _ (.param .b32 _); call %rd4, p;";
    refused(other, "a call has other parameters than p");
}

#[test]
fn the_local_memory_of_a_kernel_has_that_of_what_it_calls() {
    let size = |body: &str| load(body).expect("a module").entries[0].local_size;
    let none = size("");
    assert!(size(&call("twice", "%r1")) >= none + 8);
    assert!(
        size(&call("factorial", "%r1")) < 200,
        "it has no end that could be counted"
    );
}
