// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Divides CPUs among devices, and a device into sub-devices.

use kit::ur::*;
use kit::{UrResult, unsupported};
use oxur_adapter_kit as kit;
use oxur_device_cpu::machine::topology::{self, Domain};

/// How a sub-device was created, as `PARTITION_TYPE` returns it.
pub(super) type MadeBy = Vec<DevicePartitionProperty>;

/// The ways to divide a device with these CPUs, and with these domains among them.
pub(super) fn supported(cpus: &[usize], domains: &[Domain]) -> Vec<DevicePartition> {
    let mut ways = Vec::new();
    if cpus.len() > 1 {
        ways.extend([DevicePartition::EQUALLY, DevicePartition::BY_COUNTS]);
        if !domains.is_empty() {
            ways.push(DevicePartition::BY_AFFINITY_DOMAIN);
        }
    }
    ways
}

/// Divides `cpus` by properties that are all of one kind, of which there is at least one: the kit has checked that.
pub(super) fn divide(cpus: &[usize], properties: &[DevicePartitionProperty]) -> UrResult<Vec<(Vec<usize>, MadeBy)>> {
    let kind = properties[0].r#type;
    // SAFETY: all members of the union are a `u32` of any value.
    let values: Vec<u32> = properties
        .iter()
        .map(|property| unsafe { property.value.count })
        .collect();
    match kind {
        DevicePartition::EQUALLY => equally(cpus, values[0] as usize).map(|parts| with(parts, properties)),
        DevicePartition::BY_COUNTS => by_counts(cpus, &values).map(|parts| with(parts, properties)),
        DevicePartition::BY_AFFINITY_DOMAIN => by_domain(cpus, values[0]),
        _ => unsupported(),
    }
}

fn with(parts: Vec<Vec<usize>>, properties: &[DevicePartitionProperty]) -> Vec<(Vec<usize>, MadeBy)> {
    parts.into_iter().map(|cpus| (cpus, properties.to_vec())).collect()
}

/// Parts of `count` CPUs each, as many as there are; the rest is left out.
fn equally(cpus: &[usize], count: usize) -> UrResult<Vec<Vec<usize>>> {
    if count == 0 {
        kit::bail!(ERROR_INVALID_DEVICE_PARTITION_COUNT: "a sub-device needs a compute unit");
    }
    if count > cpus.len() {
        kit::bail!(ERROR_DEVICE_PARTITION_FAILED: "a device of {} compute units has no part of {count}", cpus.len());
    }
    Ok(cpus.chunks_exact(count).map(<[usize]>::to_vec).collect())
}

/// Parts of the given sizes; the rest is left out.
fn by_counts(cpus: &[usize], counts: &[u32]) -> UrResult<Vec<Vec<usize>>> {
    let wanted: u64 = counts.iter().map(|count| u64::from(*count)).sum();
    if counts.contains(&0) || wanted > cpus.len() as u64 {
        kit::bail!(
            ERROR_INVALID_DEVICE_PARTITION_COUNT:
                "a device of {} compute units has no parts of {counts:?}: each has at least one",
            cpus.len()
        );
    }
    let mut rest = cpus;
    let mut parts = Vec::new();
    for count in counts {
        let (part, others) = rest.split_at(*count as usize);
        parts.push(part.to_vec());
        rest = others;
    }
    Ok(parts)
}

/// A part for each domain.
fn by_domain(cpus: &[usize], domain: u32) -> UrResult<Vec<(Vec<usize>, MadeBy)>> {
    let domain = DeviceAffinityDomainFlags::from_bits_retain(domain);
    if domain.bits().count_ones() != 1 || kit::args::known_flags(domain).is_err() {
        kit::bail!(ERROR_INVALID_VALUE: "a device is divided by one affinity domain, of those that there are");
    }
    let found = match domain_of(domain) {
        Some(known) => topology::divide(cpus, known).map(|parts| (domain, parts)),
        None => topology::divide_widest(cpus).map(|(known, parts)| (flag_of(known), parts)),
    };
    let Some((found, parts)) = found else {
        kit::bail!(
            ERROR_DEVICE_PARTITION_FAILED: "the {} compute units are all in one domain of {domain:?}", cpus.len()
        );
    };
    // A client that asked for the next partitionable domain learns which it was.
    let made_by = DevicePartitionProperty {
        r#type: DevicePartition::BY_AFFINITY_DOMAIN,
        value: DevicePartitionValue { affinity_domain: found },
    };
    Ok(with(parts, &[made_by]))
}

/// UR's flag for a domain.
pub(super) fn flag_of(domain: Domain) -> DeviceAffinityDomainFlags {
    match domain {
        Domain::Numa => DeviceAffinityDomainFlags::NUMA,
        Domain::L4Cache => DeviceAffinityDomainFlags::L4_CACHE,
        Domain::L3Cache => DeviceAffinityDomainFlags::L3_CACHE,
        Domain::L2Cache => DeviceAffinityDomainFlags::L2_CACHE,
        Domain::L1Cache => DeviceAffinityDomainFlags::L1_CACHE,
    }
}

/// The domain of one of UR's flags, of which `NEXT_PARTITIONABLE` has none.
fn domain_of(flag: DeviceAffinityDomainFlags) -> Option<Domain> {
    Domain::ALL.into_iter().find(|domain| flag_of(*domain) == flag)
}

/// The domains by which CPUs can be divided, as UR's flags.
pub(super) fn flags_of(domains: &[Domain]) -> DeviceAffinityDomainFlags {
    let mut flags: DeviceAffinityDomainFlags = domains.iter().copied().map(flag_of).collect();
    flags.set(DeviceAffinityDomainFlags::NEXT_PARTITIONABLE, !flags.is_empty());
    flags
}

#[cfg(test)]
mod tests {
    use super::*;

    fn property(kind: DevicePartition, count: u32) -> DevicePartitionProperty {
        DevicePartitionProperty {
            r#type: kind,
            value: DevicePartitionValue { count },
        }
    }

    fn parts(cpus: &[usize], properties: &[DevicePartitionProperty]) -> Result<Vec<Vec<usize>>, ResultCode> {
        let made = divide(cpus, properties).map_err(|error| error.code())?;
        assert!(made.iter().all(|(_, by)| by.len() == properties.len()));
        Ok(made.into_iter().map(|(cpus, _)| cpus).collect())
    }

    #[test]
    fn equal_parts() {
        let by = |count| parts(&[1, 2, 5, 6, 7], &[property(DevicePartition::EQUALLY, count)]);
        assert_eq!(by(2), Ok(vec![vec![1, 2], vec![5, 6]]));
        assert_eq!(by(5), Ok(vec![vec![1, 2, 5, 6, 7]]));
        assert_eq!(by(0), Err(ResultCode::ERROR_INVALID_DEVICE_PARTITION_COUNT));
        assert_eq!(by(6), Err(ResultCode::ERROR_DEVICE_PARTITION_FAILED));
    }

    #[test]
    fn counted_parts() {
        let by = |counts: &[u32]| {
            let properties: Vec<_> = counts
                .iter()
                .map(|n| property(DevicePartition::BY_COUNTS, *n))
                .collect();
            parts(&[0, 1, 2, 3], &properties)
        };
        assert_eq!(by(&[1, 2]), Ok(vec![vec![0], vec![1, 2]]));
        assert_eq!(by(&[4]), Ok(vec![vec![0, 1, 2, 3]]));
        for wrong in [&[5][..], &[2, 3], &[1, 0], &[u32::MAX, u32::MAX]] {
            assert_eq!(
                by(wrong),
                Err(ResultCode::ERROR_INVALID_DEVICE_PARTITION_COUNT),
                "{wrong:?}"
            );
        }
    }

    #[test]
    fn other_properties() {
        let by = |kind, value| parts(&[0], &[property(kind, value)]);
        assert_eq!(
            by(DevicePartition::BY_CSLICE, 0),
            Err(ResultCode::ERROR_UNSUPPORTED_FEATURE)
        );
        for domain in [0, 3, 1 << 20] {
            let refused = by(DevicePartition::BY_AFFINITY_DOMAIN, domain);
            assert_eq!(refused, Err(ResultCode::ERROR_INVALID_VALUE), "{domain}");
        }
        // A single CPU is in one domain of every kind.
        let numa = DeviceAffinityDomainFlags::NUMA.bits();
        let refused = by(DevicePartition::BY_AFFINITY_DOMAIN, numa);
        assert_eq!(refused, Err(ResultCode::ERROR_DEVICE_PARTITION_FAILED));
    }
}
