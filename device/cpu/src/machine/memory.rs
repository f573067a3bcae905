// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The memory available to this process: the machine's, or the limit of its control groups.

use std::fs;
use std::path::{Path, PathBuf};

/// The most bytes that the process can use.
pub fn total() -> u64 {
    let machine = meminfo("MemTotal:").unwrap_or(1 << 30);
    groups()
        .iter()
        .filter_map(|group| group.limit())
        .fold(machine, u64::min)
}

/// Bytes that are free now.
pub fn available() -> Option<u64> {
    let machine = meminfo("MemAvailable:")?;
    let left = |group: &Group| group.limit()?.checked_sub(group.used()?);
    Some(groups().iter().filter_map(left).fold(machine, u64::min))
}

/// A line of `/proc/meminfo`, in bytes.
fn meminfo(name: &str) -> Option<u64> {
    find_kib(&fs::read_to_string("/proc/meminfo").ok()?, name)
}

fn find_kib(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim()
        .strip_suffix("kB")?
        .trim()
        .parse::<u64>()
        .ok()?
        .checked_mul(1024)
}

/// A control group with a limit on memory.
struct Group {
    folder: PathBuf,
    /// The files with the limit and the usage.
    files: [&'static str; 2],
}

impl Group {
    fn limit(&self) -> Option<u64> {
        self.number(self.files[0])
    }

    fn used(&self) -> Option<u64> {
        self.number(self.files[1])
    }

    /// `max` is not a number: no limit.
    fn number(&self, file: &str) -> Option<u64> {
        fs::read_to_string(self.folder.join(file)).ok()?.trim().parse().ok()
    }
}

/// The control groups of this process, from the innermost on.
fn groups() -> Vec<Group> {
    fs::read_to_string("/proc/self/cgroup").map_or_else(|_| Vec::new(), |text| parse_groups(&text))
}

fn parse_groups(text: &str) -> Vec<Group> {
    let mut groups = Vec::new();
    for line in text.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else {
            continue;
        };
        let (root, files) = match controllers {
            "" => ("/sys/fs/cgroup", ["memory.max", "memory.current"]),
            "memory" => (
                "/sys/fs/cgroup/memory",
                ["memory.limit_in_bytes", "memory.usage_in_bytes"],
            ),
            _ => continue,
        };
        for folder in Path::new(path).ancestors() {
            let folder = Path::new(root).join(folder.strip_prefix("/").unwrap_or(folder));
            groups.push(Group { folder, files });
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let text = "MemTotal:       24684100 kB\nMemFree:  12 kB\nHugePages_Total:       0\n";
        assert_eq!(find_kib(text, "MemTotal:"), Some(24_684_100 << 10));
        assert_eq!(find_kib(text, "MemFree:"), Some(12 << 10));
        assert_eq!(find_kib(text, "MemAvailable:"), None);
        assert_eq!(find_kib(text, "HugePages_Total:"), None);
    }

    #[test]
    fn control_groups() {
        let folders = |text| -> Vec<_> { parse_groups(text).into_iter().map(|group| group.folder).collect() };
        assert_eq!(
            folders("0::/a/b\n"),
            ["/sys/fs/cgroup/a/b", "/sys/fs/cgroup/a", "/sys/fs/cgroup/"].map(PathBuf::from)
        );
        assert_eq!(
            folders("5:cpu,cpuacct:/x\n3:memory:/c\n"),
            ["/sys/fs/cgroup/memory/c", "/sys/fs/cgroup/memory/"].map(PathBuf::from)
        );
        assert!(folders("nonsense\n\n1:\n").is_empty());
    }

    #[test]
    fn this_machine() {
        assert!(total() > 1 << 20);
        assert!(available().is_some_and(|free| free <= total()));
    }
}
