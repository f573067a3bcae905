// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Functions that 2026.2 dropped, the adapter's own or emulated.

mod common;

use common::{legacy_adapter, plain_adapter, probe};

const ARGUMENTS: &str = "0=value [1, 2, 3] 1=pointer 0x20 2=sampler 0x30 \
                         3=mem ExpKernelArgMemObjTuple { hMem: 0x40, flags: UR_MEM_FLAG_READ_ONLY } 4=local 64";

#[test]
fn arguments_go_with_the_launch_where_the_adapter_wants_that() {
    let adapter = plain_adapter();
    let seen = probe(
        &[("UR_ADAPTERS_FORCE_LOAD", adapter.to_str().unwrap())],
        &["init", "launch", "record"],
    );
    let launch = format!("launch: launch of 1, 7: {ARGUMENTS}; kept true; after the last release launch of 1, 7:");
    assert_eq!(seen.lines[1], launch);
    assert_eq!(seen.lines[2], format!("record: record of 1, 7: {ARGUMENTS} (0, 0, 0)"));
}

#[test]
fn an_adapters_own_functions_are_called() {
    let (plain, legacy) = (plain_adapter(), legacy_adapter());
    let launch = |list: String| probe(&[("UR_ADAPTERS_FORCE_LOAD", &list)], &["init", "launch"]).lines[1].clone();
    let own = "launch: own pointer 1 0x20; UR_RESULT_ERROR_UNSUPPORTED_FEATURE";
    assert_eq!(launch(legacy.display().to_string()), own);
    assert_eq!(launch(format!("{},{}", legacy.display(), plain.display())), own);
    assert!(launch(format!("{},{}", plain.display(), legacy.display())).starts_with("launch: launch of 1"));
}
