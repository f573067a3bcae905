// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `ZE_AFFINITY_MASK`, which the specification defines: the devices and sub-devices that the process sees.

use super::hierarchy::Hierarchy;

/// The CPUs of a device, and those of its sub-devices.
type Cpus = (Vec<usize>, Vec<Vec<usize>>);

/// The devices that the variable leaves, with the sub-devices that it leaves of them.
pub(super) fn select(all: Vec<Cpus>, hierarchy: Hierarchy) -> Vec<Cpus> {
    let value = std::env::var_os("ZE_AFFINITY_MASK").unwrap_or_default();
    let value = value.to_string_lossy();
    if value.trim().is_empty() {
        return all;
    }
    match parse(&value).map(|mask| apply(&all, &mask, hierarchy)) {
        Some(left) if left.is_empty() => {
            log::warn!("ZE_AFFINITY_MASK={value} leaves no device");
            left
        }
        Some(left) => left,
        None => {
            oxur_environment::warn(&format!(
                "ZE_AFFINITY_MASK={value} is ignored: it is a list such as 0,1.0"
            ));
            all
        }
    }
}

/// The numbers of devices, and of sub-devices of them.
fn parse(value: &str) -> Option<Vec<(usize, Option<usize>)>> {
    let entries = value.split(',').map(str::trim).filter(|entry| !entry.is_empty());
    let number = |digits: &str| digits.parse().ok();
    let entry = |entry: &str| match entry.split_once('.') {
        Some((device, part)) => Some((number(device)?, Some(number(part)?))),
        None => Some((number(entry)?, None)),
    };
    entries.map(entry).collect()
}

fn apply(all: &[Cpus], mask: &[(usize, Option<usize>)], hierarchy: Hierarchy) -> Vec<Cpus> {
    // The parts of each device that are left; all of them if it has no parts or is named as a whole.
    let mut left: Vec<Option<Vec<usize>>> = vec![None; all.len()];
    let mut keep = |device: usize, part: Option<usize>| {
        let Some((_, parts)) = all.get(device) else {
            return;
        };
        let kept = left[device].get_or_insert_default();
        match part {
            Some(part) if part < parts.len() => kept.push(part),
            // A device without parts is its own part.
            Some(part) if part > 0 || !parts.is_empty() => {}
            _ => kept.extend(0..parts.len().max(1)),
        }
    };
    for &(device, part) in mask {
        if hierarchy == Hierarchy::Composite {
            keep(device, part);
            continue;
        }
        // Numbers count sub-devices, which have no parts.
        let leaves = all.iter().enumerate().flat_map(|(device, (_, parts))| {
            let parts = 0..parts.len().max(1);
            parts.map(move |part| (device, part))
        });
        if let Some((device, part)) = leaves.clone().nth(device).filter(|_| part.is_none_or(|part| part == 0)) {
            keep(device, Some(part));
        }
    }
    let selected = all.iter().zip(left);
    selected
        .filter_map(|((cpus, parts), kept)| {
            let mut kept = kept?;
            kept.sort_unstable();
            kept.dedup();
            if kept.is_empty() {
                return None;
            }
            if kept.len() >= parts.len() {
                return Some((cpus.clone(), parts.clone()));
            }
            let parts: Vec<_> = kept.iter().map(|&part| parts[part].clone()).collect();
            let mut cpus = parts.concat();
            cpus.sort_unstable();
            // A single part is the device itself.
            let parts = if parts.len() == 1 { Vec::new() } else { parts };
            Some((cpus, parts))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine() -> Vec<Cpus> {
        vec![
            (vec![0, 1, 2], vec![vec![0], vec![1], vec![2]]),
            (vec![3, 4], vec![vec![3], vec![4]]),
            (vec![5], vec![]),
        ]
    }

    fn composite(value: &str) -> Vec<Cpus> {
        apply(&machine(), &parse(value).unwrap(), Hierarchy::Composite)
    }

    #[test]
    fn whole_devices() {
        assert_eq!(composite("0,1,2"), machine());
        assert_eq!(composite("2, 0"), [machine()[0].clone(), machine()[2].clone()]);
        assert_eq!(composite("3"), []);
    }

    #[test]
    fn sub_devices() {
        let expected = [
            (vec![0, 2], vec![vec![0], vec![2]]),
            (vec![3, 4], vec![vec![3], vec![4]]),
        ];
        assert_eq!(composite("0.2,0.0,1"), expected);
        assert_eq!(composite("1.1"), [(vec![4], vec![])]);
        assert_eq!(composite("2.0"), [(vec![5], vec![])]);
        assert_eq!(composite("1.2,2.1"), []);
    }

    #[test]
    fn flat() {
        let flat = |value| apply(&machine(), &parse(value).unwrap(), Hierarchy::Flat);
        assert_eq!(flat("0"), [(vec![0], vec![])]);
        assert_eq!(flat("1,2,3"), [(vec![1, 2], vec![vec![1], vec![2]]), (vec![3], vec![])]);
        assert_eq!(flat("5"), [(vec![5], vec![])]);
        assert_eq!(flat("6"), []);
    }

    #[test]
    fn malformed() {
        for wrong in ["a", "0.", ".1", "0.1.2", "-1"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
