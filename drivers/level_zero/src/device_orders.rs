// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The queues and immediate lists of a device, for those that wait for all of them.

use std::sync::{Arc, Weak};

use level_zero_sys::*;
use oxur_device_cpu::order::Order;
use oxur_fork::Mutex;

use crate::Device;
use crate::entry::{ZeResult, entry};
use crate::handle::object;

/// The orders of commands that there are, with the address of their device.
static ORDERS: Mutex<Vec<(usize, Weak<Order>)>> = Mutex::new(Vec::new());

/// A new order of commands on a device.
pub(crate) fn new_order(in_order: bool, device: &Arc<Device>) -> Arc<Order> {
    let order = Arc::new(Order::new(in_order, device.pool()));
    let mut orders = ORDERS.lock();
    orders.retain(|(_, order)| order.strong_count() != 0);
    orders.push((Arc::as_ptr(device) as usize, Arc::downgrade(&order)));
    order
}

/// Waits for all commands on a device.
fn synchronize(device: &Arc<Device>) -> ZeResult {
    let of_device =
        |(at, order): &(usize, Weak<Order>)| (*at == Arc::as_ptr(device) as usize).then(|| order.upgrade())?;
    let orders: Vec<Arc<Order>> = ORDERS.lock().iter().filter_map(of_device).collect();
    for last in orders.iter().filter_map(|order| order.all()) {
        last.wait();
    }
    Ok(())
}

entry! {
    fn zeDeviceSynchronize(device: ze_device_handle_t) {
        // SAFETY: passed on to the caller.
        synchronize(unsafe { object::<Device>(device) }?)
    }
}
