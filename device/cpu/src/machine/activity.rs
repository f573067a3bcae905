// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! How busy CPUs are.

use std::fs;

/// Counters that only grow. The shares of two readings are those of their differences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Activity {
    /// The microseconds in which a CPU ran something, of any process: the mean of all CPUs.
    pub busy: u64,
    /// All microseconds.
    pub total: u64,
}

/// The activity of CPUs since the machine started, if the system tells it.
pub fn of(cpus: &[usize]) -> Option<Activity> {
    // SAFETY: no memory is involved.
    let per_second = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
    parse(
        &fs::read_to_string("/proc/stat").ok()?,
        cpus,
        u64::try_from(per_second).ok()?,
    )
}

fn parse(text: &str, cpus: &[usize], per_second: u64) -> Option<Activity> {
    let (mut busy, mut total, mut found) = (0u64, 0u64, 0);
    for line in text.lines() {
        let mut words = line.split_ascii_whitespace();
        let cpu = words.next().and_then(|name| name.strip_prefix("cpu")?.parse().ok());
        if !cpu.is_some_and(|cpu| cpus.contains(&cpu)) {
            continue;
        }
        // User, nice, system, idle, waiting for devices, interrupts, soft interrupts, stolen. Those of guests are in the first.
        let ticks: Vec<u64> = words.take(8).map(|word| word.parse().ok()).collect::<Option<_>>()?;
        let all: u64 = ticks.iter().sum();
        busy += all - ticks.iter().skip(3).take(2).sum::<u64>();
        total += all;
        found += 1;
    }
    let microseconds = |ticks: u64| Some((ticks / found.max(1)).checked_mul(1_000_000)? / per_second.max(1));
    (found > 0).then_some(Activity {
        busy: microseconds(busy)?,
        total: microseconds(total)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_of_three_cpus() {
        let text = "cpu  9 9 9 9\ncpu0 100 0 50 800 50 0 0 0 7 7\ncpu1 1 2 3\ncpu2 300 0 50 600 50 0 0 0 0 0\nintr 5\n";
        let activity = Activity {
            busy: 2_500_000,
            total: 10_000_000,
        };
        assert_eq!(parse(text, &[0, 2], 100), Some(activity));
        assert_eq!(parse(text, &[3], 100), None);
        assert_eq!(parse("cpu0 a", &[0], 100), None);
    }

    #[test]
    fn this_machine() {
        let before = of(&super::super::topology::usable_cpus()).unwrap();
        assert!(before.busy > 0 && before.busy <= before.total);
    }
}
