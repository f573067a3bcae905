// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Events.
use oxur_conformance_level_zero::{Rig, expect, sys::*};
#[test]
fn probe() {
    let rig = Rig::new();
    let p = rig.device_properties();
    println!("{:?} {p:?}", text(&p.name));
    println!("{:?}", rig.queue_groups());
    println!("{:?}", rig.compute_properties());
    let e = rig.event();
    println!("{:?}", e.status());
    e.host_signal();
    println!("{:?}", e.status());
    let l = rig.list();
    let e2 = rig.event();
    let m = rig.shared(&[0u32; 64]);
    l.fill(m.ptr(), &[7u32], 256, Some(&e2), &[]);
    println!("appended");
    l.close();
    let q = rig.queue();
    q.execute(&[&l]);
    println!("executed");
    println!("{:?}", rig.queue_status(&q));
    println!("{:?}", e2.status());
    println!("{:?}", m.values::<u32>());
    expect!(zeEventQueryStatus(std::ptr::null_mut()), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
}
