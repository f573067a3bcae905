// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The CPUs and the caches and nodes that they share, from the scheduler and from `/sys`.

use std::fs;
use std::path::{Path, PathBuf};

/// The topology of the machine.
const SYS: &str = "/sys/devices/system";

/// The CPUs that this process may run on, in ascending order; at least one.
///
/// These are the CPUs of the calling thread's affinity, limited by the quota of the process's control group and by
/// `UR_CPU_THREADS`.
pub fn usable_cpus() -> Vec<usize> {
    let mut cpus = affinity().unwrap_or_default();
    // This respects the quotas of control groups.
    let at_a_time = std::thread::available_parallelism().map_or(1, usize::from);
    if cpus.is_empty() {
        cpus = (0..at_a_time).collect();
    }
    let limit = oxur_environment::CPU_THREADS.count();
    cpus.truncate(at_a_time.min(limit.unwrap_or(usize::MAX)));
    cpus
}

/// The affinity of the calling thread, in ascending order.
pub fn affinity() -> Option<Vec<usize>> {
    // 1024 CPUs at first, as `cpu_set_t` has; the kernel refuses a mask that is shorter than its own.
    let mut words = 16;
    while words <= 1 << 14 {
        let mut mask = vec![0u64; words];
        if read_affinity(0, &mut mask) {
            let bits = (0..words * 64).filter(|bit| mask[bit / 64] >> (bit % 64) & 1 == 1);
            return Some(bits.collect());
        }
        words *= 2;
    }
    None
}

/// Reads the affinity of a thread, 0 for the calling one, into words of zeros. Returns false if they are too few, or there is no
/// such thread.
pub fn read_affinity(thread: libc::pid_t, mask: &mut [u64]) -> bool {
    // SAFETY: a buffer of the size that is given; the kernel writes whole words of bits to it.
    unsafe { libc::sched_getaffinity(thread, size_of_val(mask), mask.as_mut_ptr().cast()) == 0 }
}

/// The CPUs of a list such as `0-3,8,10-11`.
fn parse_list(text: &str) -> Option<Vec<usize>> {
    let mut cpus = Vec::new();
    for range in text.trim().split(',').filter(|range| !range.is_empty()) {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (usize, usize) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        if last.checked_sub(first)? > 1 << 20 {
            return None;
        }
        cpus.extend(first..=last);
    }
    Some(cpus)
}

/// The content of a file in `/sys`.
fn read(path: &Path) -> Option<String> {
    fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
}

/// A cache of a CPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    /// 1 is the closest.
    pub level: u32,
    /// In bytes.
    pub size: u64,
    /// In bytes.
    pub line: u32,
}

/// The caches for data of a CPU, the closest first.
pub fn caches(cpu: usize) -> Vec<Cache> {
    caches_in(Path::new(SYS), cpu)
}

/// Not all caches have a directory, and no CPU has more than a few.
const CACHE_INDICES: std::ops::Range<usize> = 0..10;

/// The folder of a cache and its level, if it is one for data.
fn data_cache(sys: &Path, cpu: usize, index: usize) -> Option<(PathBuf, u32)> {
    let folder = sys.join(format!("cpu/cpu{cpu}/cache/index{index}"));
    let file = |name: &str| read(&folder.join(name));
    let level = file("level")?.parse().ok()?;
    (file("type")? != "Instruction").then_some((folder, level))
}

fn caches_in(sys: &Path, cpu: usize) -> Vec<Cache> {
    let cache = |index: usize| {
        let (folder, level) = data_cache(sys, cpu, index)?;
        let file = |name: &str| read(&folder.join(name));
        Some(Cache {
            level,
            size: parse_size(&file("size")?)?,
            line: file("coherency_line_size")?.parse().ok()?,
        })
    };
    let mut caches: Vec<_> = CACHE_INDICES.filter_map(cache).collect();
    caches.sort_by_key(|cache| cache.level);
    caches
}

/// A size such as `32K`.
fn parse_size(text: &str) -> Option<u64> {
    let (digits, shift) = match text.as_bytes().last()? {
        b'K' => (&text[..text.len() - 1], 10),
        b'M' => (&text[..text.len() - 1], 20),
        b'G' => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}

/// What the CPUs of a part share when CPUs are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// A NUMA node.
    Numa,
    /// A cache of level 4.
    L4Cache,
    /// A cache of level 3.
    L3Cache,
    /// A cache of level 2.
    L2Cache,
    /// A cache of level 1.
    L1Cache,
}

impl Domain {
    /// All of them, from the widest to the narrowest.
    pub const ALL: [Self; 5] = [Self::Numa, Self::L4Cache, Self::L3Cache, Self::L2Cache, Self::L1Cache];

    /// The level of the cache, if it is one.
    fn cache_level(self) -> Option<u32> {
        match self {
            Self::Numa => None,
            Self::L4Cache => Some(4),
            Self::L3Cache => Some(3),
            Self::L2Cache => Some(2),
            Self::L1Cache => Some(1),
        }
    }
}

fn numa_nodes(sys: &Path) -> Vec<Vec<usize>> {
    let nodes = read(&sys.join("node/online")).and_then(|list| parse_list(&list));
    let cpus = |node: usize| parse_list(&read(&sys.join(format!("node/node{node}/cpulist")))?);
    nodes.unwrap_or_default().into_iter().filter_map(cpus).collect()
}

/// The CPUs of each data cache of a level, if all of `cpus` have one. A cache is asked for by one of its CPUs alone, and not for what is
/// not needed here: there are thousands of these files on large machines.
fn sharers(sys: &Path, cpus: &[usize], level: u32) -> Option<Vec<Vec<usize>>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for &cpu in cpus {
        if groups.iter().any(|group| group.contains(&cpu)) {
            continue;
        }
        let of_index = |index: usize| {
            let (folder, _) = data_cache(sys, cpu, index).filter(|found| found.1 == level)?;
            parse_list(&read(&folder.join("shared_cpu_list"))?)
        };
        groups.push(CACHE_INDICES.into_iter().find_map(of_index)?);
    }
    Some(groups)
}

/// Divides CPUs by a domain. `None` if there is only one part, or if the machine does not report the domain.
pub fn divide(cpus: &[usize], domain: Domain) -> Option<Vec<Vec<usize>>> {
    divide_in(Path::new(SYS), cpus, domain)
}

fn divide_in(sys: &Path, cpus: &[usize], domain: Domain) -> Option<Vec<Vec<usize>>> {
    let groups = match domain.cache_level() {
        None => numa_nodes(sys),
        Some(level) => sharers(sys, cpus, level)?,
    };
    let mut parts: Vec<Vec<usize>> = Vec::new();
    for group in groups {
        let part: Vec<usize> = cpus.iter().copied().filter(|cpu| group.contains(cpu)).collect();
        if !part.is_empty() && !parts.contains(&part) {
            parts.push(part);
        }
    }
    // Each CPU must be in one part.
    let mut all: Vec<usize> = parts.iter().flatten().copied().collect();
    all.sort_unstable();
    (all == cpus && parts.len() > 1).then_some(parts)
}

/// Divides CPUs by the widest domain with more than one part.
pub fn divide_widest(cpus: &[usize]) -> Option<(Domain, Vec<Vec<usize>>)> {
    divide_widest_in(Path::new(SYS), cpus)
}

fn divide_widest_in(sys: &Path, cpus: &[usize]) -> Option<(Domain, Vec<Vec<usize>>)> {
    Domain::ALL
        .into_iter()
        .find_map(|domain| Some((domain, divide_in(sys, cpus, domain)?)))
}

/// Divides CPUs into `count` parts, from 1 to the number of CPUs. Their sizes differ by at most one. CPUs that share a node or
/// a cache stay together where possible.
pub fn split(cpus: &[usize], count: usize) -> Vec<Vec<usize>> {
    chunks(&neighbours_in(Path::new(SYS), cpus), count)
}

/// The CPUs of each of `count` devices: as [`split`], but no more devices than CPUs.
pub fn device_cpus(cpus: Vec<usize>, count: usize) -> Vec<Vec<usize>> {
    if count == 1 {
        return vec![cpus];
    }
    if count > cpus.len() {
        log::warn!("there are no {count} devices: the process may use {} CPUs", cpus.len());
    }
    split(&cpus, count.min(cpus.len()))
}

/// Divides into this many parts, each in ascending order.
fn chunks(cpus: &[usize], count: usize) -> Vec<Vec<usize>> {
    let end = |place: usize| cpus.len() * place / count;
    let mut chunks: Vec<_> = (0..count).map(|i| cpus[end(i)..end(i + 1)].to_vec()).collect();
    chunks.iter_mut().for_each(|chunk| chunk.sort_unstable());
    chunks
}

/// Reorders the CPUs so that those that are close to each other are neighbours.
fn neighbours_in(sys: &Path, cpus: &[usize]) -> Vec<usize> {
    match divide_widest_in(sys, cpus) {
        Some((_, parts)) => parts.iter().flat_map(|part| neighbours_in(sys, part)).collect(),
        None => cpus.to_vec(),
    }
}

/// The domains by which CPUs can be divided.
pub fn domains(cpus: &[usize]) -> Vec<Domain> {
    domains_in(Path::new(SYS), cpus)
}

fn domains_in(sys: &Path, cpus: &[usize]) -> Vec<Domain> {
    Domain::ALL
        .into_iter()
        .filter(|domain| divide_in(sys, cpus, *domain).is_some())
        .collect()
}

/// The greatest frequency of a CPU in MHz, if the machine reports it.
pub fn frequency(cpu: usize) -> Option<u32> {
    // A virtual machine often has the current frequency only.
    cpufreq(cpu, "cpuinfo_max_freq").or_else(|| cpuinfo_frequencies().reduce(u32::max))
}

/// The lowest frequency of a CPU in MHz, if the machine reports it.
pub fn lowest_frequency(cpu: usize) -> Option<u32> {
    cpufreq(cpu, "cpuinfo_min_freq")
}

/// The frequency of a CPU in MHz at this time, if the machine reports it.
pub fn current_frequency(cpu: usize) -> Option<u32> {
    cpufreq(cpu, "scaling_cur_freq").or_else(|| cpuinfo_frequencies().next())
}

fn cpufreq(cpu: usize, file: &str) -> Option<u32> {
    let khz = read(&Path::new(SYS).join(format!("cpu/cpu{cpu}/cpufreq/{file}")))?;
    Some(khz.parse::<u32>().ok()? / 1000)
}

/// The current frequencies that `/proc/cpuinfo` reports, in MHz.
fn cpuinfo_frequencies() -> impl Iterator<Item = u32> {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let mhz = |line: &str| line.split(':').nth(1)?.trim().parse::<f64>().ok();
    let lines = text.lines().filter(|line| line.starts_with("cpu MHz"));
    let found: Vec<_> = lines.filter_map(mhz).map(|mhz| mhz as u32).collect();
    found.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists() {
        assert_eq!(parse_list("0-3,8,10-11\n"), Some(vec![0, 1, 2, 3, 8, 10, 11]));
        assert_eq!(parse_list(""), Some(vec![]));
        for wrong in ["a", "3-1", "1-", "-1", "0-99999999999"] {
            assert_eq!(parse_list(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn sizes() {
        assert_eq!(parse_size("48K"), Some(48 << 10));
        assert_eq!(parse_size("512"), Some(512));
        assert_eq!(parse_size("1G"), Some(1 << 30));
        for wrong in ["", "K", "1T", "-1K", "99999999999999G"] {
            assert_eq!(parse_size(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn this_machine() {
        let cpus = usable_cpus();
        assert!(!cpus.is_empty() && cpus.is_sorted_by(|a, b| a < b));
        let domains = domains(&cpus);
        for domain in Domain::ALL {
            let parts = divide(&cpus, domain);
            assert_eq!(parts.is_some(), domains.contains(&domain), "{domain:?}");
        }
    }

    /// A machine of two nodes with four CPUs each, which are the threads of two cores. `renamed` has the numbers of its
    /// CPUs.
    fn machine(name: &str, renamed: [usize; 8]) -> std::path::PathBuf {
        let sys = std::env::temp_dir().join(format!("oxur-topology-{name}-{}", std::process::id()));
        let list =
            |cpus: std::ops::Range<usize>| cpus.map(|cpu| renamed[cpu].to_string()).collect::<Vec<_>>().join(",");
        let put = |path: String, text: &str| {
            let path = sys.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, format!("{text}\n")).unwrap();
        };
        put("node/online".into(), "0-1");
        put("node/node0/cpulist".into(), &list(0..4));
        put("node/node1/cpulist".into(), &list(4..8));
        for (cpu, number) in renamed.into_iter().enumerate() {
            let core = cpu / 2 * 2;
            let node = cpu / 4 * 4;
            let cache = |index, level, kind: &str, size: &str, shared: String| {
                let folder = format!("cpu/cpu{number}/cache/index{index}");
                put(format!("{folder}/level"), level);
                put(format!("{folder}/type"), kind);
                put(format!("{folder}/size"), size);
                put(format!("{folder}/coherency_line_size"), "64");
                put(format!("{folder}/shared_cpu_list"), &shared);
            };
            cache(0, "1", "Data", "32K", list(core..core + 2));
            cache(1, "1", "Instruction", "64K", list(core..core + 2));
            cache(2, "2", "Unified", "1024K", list(core..core + 2));
            cache(3, "3", "Unified", "32M", list(node..node + 4));
        }
        sys
    }

    #[test]
    fn domains_of_a_larger_machine() {
        let sys = machine("domains", [0, 1, 2, 3, 4, 5, 6, 7]);
        let all: Vec<usize> = (0..8).collect();
        let levels: Vec<_> = caches_in(&sys, 3)
            .iter()
            .map(|cache| (cache.level, cache.size))
            .collect();
        assert_eq!(levels, [(1, 32 << 10), (2, 1 << 20), (3, 32 << 20)]);
        let nodes = vec![vec![0, 1, 2, 3], vec![4, 5, 6, 7]];
        assert_eq!(divide_in(&sys, &all, Domain::Numa), Some(nodes.clone()));
        assert_eq!(divide_in(&sys, &all, Domain::L3Cache), Some(nodes.clone()));
        assert_eq!(divide_in(&sys, &all, Domain::L4Cache), None);
        assert_eq!(divide_widest_in(&sys, &all), Some((Domain::Numa, nodes)));
        // Only some CPUs of a node, on two cores.
        let cores = vec![vec![1], vec![2, 3]];
        assert_eq!(divide_widest_in(&sys, &[1, 2, 3]), Some((Domain::L2Cache, cores)));
        assert_eq!(divide_widest_in(&sys, &[2, 3]), None);
        assert_eq!(domains_in(&sys, &[2, 3]), []);
        assert_eq!(domains_in(&sys, &[0, 1, 2, 3]), [Domain::L2Cache, Domain::L1Cache]);
        fs::remove_dir_all(sys).unwrap();
    }

    #[test]
    fn neighbours_of_a_larger_machine() {
        // Linux often numbers the second threads of all cores after the first ones.
        let sys = machine("neighbours", [0, 4, 1, 5, 2, 6, 3, 7]);
        let all: Vec<usize> = (0..8).collect();
        assert_eq!(neighbours_in(&sys, &all), [0, 4, 1, 5, 2, 6, 3, 7]);
        assert_eq!(neighbours_in(&sys, &[1, 2, 4, 6]), [1, 4, 2, 6]);
        assert_eq!(neighbours_in(&sys, &[3]), [3]);
        fs::remove_dir_all(sys).unwrap();
    }

    #[test]
    fn parts_of_equal_size() {
        assert_eq!(chunks(&[4, 0, 5, 1], 1), [vec![0, 1, 4, 5]]);
        assert_eq!(chunks(&[4, 0, 5, 1], 2), [vec![0, 4], vec![1, 5]]);
        assert_eq!(chunks(&[0, 1, 2, 3, 4], 3), [vec![0], vec![1, 2], vec![3, 4]]);
        // Whatever that is on this machine.
        let cpus = usable_cpus();
        for count in [1, 2, cpus.len(), cpus.len() + 1] {
            let parts = device_cpus(cpus.clone(), count);
            assert_eq!(parts.len(), count.min(cpus.len()));
            let mut all = parts.concat();
            all.sort_unstable();
            assert_eq!(all, cpus);
        }
    }
}
