// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Time: the clock of the device, in nanoseconds, and a cycle counter that is cheap to read.

/// The clock of the device, which is also the host's: nanoseconds since the machine started. Never 0.
pub fn now() -> u64 {
    read(libc::CLOCK_MONOTONIC)
}

/// A clock of the host whose rate nobody adjusts, in nanoseconds.
pub fn unadjusted() -> u64 {
    read(libc::CLOCK_MONOTONIC_RAW)
}

#[inline]
fn read(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: both clocks exist on every Linux, and `time` is writable. No system call: the kernel maps this function.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// The processor's time stamp counter: constant rate, some 2 to 4 ticks per nanosecond. For measurements that need not
/// be exact.
#[inline]
pub fn cycles() -> u64 {
    // SAFETY: every x86-64 processor has the instruction.
    unsafe { core::arch::x86_64::_rdtsc() }
}

/// The approximate number of cycles in a microsecond.
pub const CYCLES_PER_MICROSECOND: u64 = 2_500;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_advance() {
        // The thread may stand still for a while between any two of these.
        let both = || (now(), cycles(), now());
        let (earliest, first, before) = both();
        std::thread::sleep(std::time::Duration::from_millis(20));
        let (after, last, latest) = both();
        let (least, most, count) = (after - before, latest - earliest, last - first);
        assert!(least >= 20_000_000);
        // For processors from 0.5 to 6 GHz.
        assert!(
            (least / 2..most * 6).contains(&count),
            "{count} cycles in {least} to {most} ns"
        );
    }
}
