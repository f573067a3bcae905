// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The rows of the CPU adapter, beside Intel's stack and OpenCL on Intel's driver for the same CPU. Goals are what a
//! driver of our own allows, and not what Intel's takes.

use std::path::Path;
use std::process::Command;

use crate::rows::{Goal, Row, Work, command_buffers, releases};
use crate::stack::{Call, Failure, Kind, Launch};
use crate::threads;

/// All rows, in the order of the report.
pub fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let mut row = |name: String, goal: Goal, work: Work| {
        rows.push(Row {
            name: format!("cpu: {name}"),
            goal,
            work,
        })
    };
    for (title, finish, goal) in [("enqueue", false, 150.0), ("enqueue + finish", true, 300.0)] {
        for (four, count) in [(false, 0), (true, 4)] {
            for call in [Call::SetArgs, Call::WithArgs] {
                for (event, local, how) in [
                    (false, true, ""),
                    (true, true, ", event"),
                    (false, false, ", null local"),
                ] {
                    let old = if call == Call::SetArgs { "set args" } else { "with args" };
                    let launch = Launch {
                        call,
                        event,
                        local,
                        silent: false,
                    };
                    // The goal is that of launches without arguments.
                    let goal = if four { Goal::NotSlower } else { Goal::AtMost(goal) };
                    row(
                        format!("launch, {title}: {count} args, {old}{how}"),
                        goal,
                        Work::Launch { launch, four, finish },
                    );
                }
            }
        }
    }
    command_buffers(&mut row, Some(100.0));
    for (size, text, goal) in [
        (8, "8 B", Goal::AtMost(50.0)),
        (64 << 10, "64 KiB", Goal::AtMost(1600.0)),
        (1 << 20, "1 MiB", Goal::NotSlower),
        (64 << 20, "64 MiB", Goal::NotSlower),
    ] {
        row(format!("usm memcpy, blocking: {text}"), goal, Work::Memcpy(size));
    }
    for (size, text) in [(64, "64 B"), (4 << 10, "4 KiB"), (1 << 20, "1 MiB")] {
        for (kind, of) in [(Kind::Device, "device"), (Kind::Shared, "shared")] {
            let work = Work::Alloc {
                kind,
                size,
                pool: false,
                touch: false,
            };
            row(format!("usm alloc + free: {of} {text}"), Goal::AtMost(100.0), work);
        }
    }
    let work = Work::Alloc {
        kind: Kind::Shared,
        size: 1 << 20,
        pool: false,
        touch: true,
    };
    row("usm alloc + touch + free: shared 1 MiB".into(), Goal::NotSlower, work);
    for (name, goal, work) in [
        ("event: barrier, wait, release", Goal::NotSlower, Work::BarrierEvent),
        ("event: wait for a complete one", Goal::NotSlower, Work::WaitAgain),
        ("device global: write 256 B", Goal::AtMost(100.0), Work::GlobalWrite),
        ("device global: read 256 B", Goal::AtMost(100.0), Work::GlobalRead),
    ] {
        row(name.into(), goal, work);
    }
    releases(&mut row);
    threads::rows(5000, &mut row);
    rows
}

/// The kernels as SPIR-V.
pub fn spirv() -> Result<Vec<u8>, Failure> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/kernels.cl");
    let module = std::env::temp_dir().join(format!("oxur-bench-{}.spv", std::process::id()));
    let mut clang = Command::new("clang-22");
    let status = clang
        .args(["-c", "--target=spirv64", "-cl-std=CL2.0", "-O2", "-x", "cl"])
        .arg(&source)
        .arg("-o")
        .arg(&module)
        .status()
        .map_err(|error| format!("clang-22: {error}; `make setup-build`"))?;
    if !status.success() {
        return Err("clang-22 does not compile the kernels".into());
    }
    let spirv = std::fs::read(&module)?;
    std::fs::remove_file(&module)?;
    Ok(spirv)
}
