// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! OpenCL's functions of vectors as a whole. They are computed in double precision.

use spirv::OpenclStd100Op as Cl;

use super::Call;
use crate::fault::{Result, malformed};
use crate::float::{from_f64, to_f64};
use crate::item::Item;
use crate::machine::Machine;
use crate::ops::float_width;
use crate::value::{Scalar, Value};

/// The result, if it is such a function.
pub(super) fn run(machine: &Machine<'_>, item: &Item, call: &Call<'_>) -> Result<Option<Value>> {
    let function = call.function;
    let has_two = matches!(function, Cl::cross | Cl::distance | Cl::fast_distance);
    if !has_two
        && !matches!(
            function,
            Cl::length | Cl::fast_length | Cl::normalize | Cl::fast_normalize
        )
    {
        return Ok(None);
    }
    let width = float_width(&machine.module.types, call.inst.ty)?;
    let mut is_defined = true;
    let mut numbers = |index: usize| -> Result<Vec<f64>> {
        let value = call.value(machine, item, index)?;
        is_defined &= value.is_defined();
        Ok(value.scalars()?.into_iter().map(|s| to_f64(s.bits, width)).collect())
    };
    let a = numbers(0)?;
    let b = if has_two { numbers(1)? } else { Vec::new() };
    if has_two && a.len() != b.len() {
        return malformed("vectors of different lengths");
    }
    if !is_defined {
        return machine.module.undefined(call.inst.ty).map(Some);
    }
    let scalar = |x: f64| Scalar::new(from_f64(x, width));
    let value = match function {
        Cl::cross => {
            let [x, y, z, ..] = [0, 1, 2].map(|i| {
                let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                let at = |v: &[f64], i: usize| v.get(i).copied().unwrap_or(f64::NAN);
                at(&a, j) * at(&b, k) - at(&a, k) * at(&b, j)
            });
            let mut parts = vec![x, y, z];
            parts.resize(a.len(), 0.0);
            parts.into_iter().map(|x| scalar(x).into()).collect()
        }
        Cl::distance | Cl::fast_distance => {
            let rest: Vec<f64> = a.iter().zip(&b).map(|(x, y)| x - y).collect();
            scalar(length(&rest)).into()
        }
        Cl::length | Cl::fast_length => scalar(length(&a)).into(),
        _ => {
            let mut parts = normalized(&a).into_iter().map(|x| Value::from(scalar(x)));
            match call.value(machine, item, 0)? {
                Value::Composite(_) => parts.collect(),
                _ => parts.next().unwrap_or_default(),
            }
        }
    };
    Ok(Some(value))
}

/// The length, without overflow on the way.
fn length(v: &[f64]) -> f64 {
    if v.iter().any(|x| x.is_infinite()) {
        return f64::INFINITY;
    }
    let largest = v
        .iter()
        .fold(0.0f64, |m, x| if x.is_nan() { f64::NAN } else { m.max(x.abs()) });
    if largest == 0.0 || largest.is_nan() || v.iter().any(|x| x.is_nan()) {
        return if v.iter().any(|x| x.is_nan()) {
            f64::NAN
        } else {
            largest
        };
    }
    largest * libm::sqrt(v.iter().map(|x| (x / largest) * (x / largest)).sum())
}

fn normalized(v: &[f64]) -> Vec<f64> {
    if v.iter().any(|x| x.is_nan()) {
        return vec![f64::NAN; v.len()];
    }
    if v.iter().any(|x| x.is_infinite()) {
        // Infinite components count as one, others as zero.
        let ones: Vec<f64> = v
            .iter()
            .map(|x| {
                if x.is_infinite() {
                    1f64.copysign(*x)
                } else {
                    0f64.copysign(*x)
                }
            })
            .collect();
        return normalized(&ones);
    }
    let length = length(v);
    if length == 0.0 {
        return v.to_vec();
    }
    v.iter().map(|x| x / length).collect()
}
