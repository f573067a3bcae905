// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! How long the stages of a compilation take, in processor time of the thread that compiles.

use std::fmt;
use std::time::Duration;

/// The stages that have ended.
pub struct StageTimes {
    last: Duration,
    stages: Vec<(&'static str, Duration)>,
}

impl StageTimes {
    /// The first stage begins now.
    pub fn start() -> Self {
        Self {
            last: processor_time(),
            stages: Vec::new(),
        }
    }

    /// A stage has ended, and the next one begins.
    pub fn end(&mut self, stage: &'static str) {
        let now = processor_time();
        self.stages.push((stage, now.saturating_sub(self.last)));
        self.last = now;
    }

    /// Logs them.
    pub fn log(&self, what: &str) {
        log::debug!("{self}: {what}");
    }
}

impl fmt::Display for StageTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (stage, time) in &self.stages {
            write!(f, "{stage} {:.1} ms, ", time.as_secs_f64() * 1e3)?;
        }
        let all: Duration = self.stages.iter().map(|(_, time)| *time).sum();
        write!(f, "in all {:.1} ms", all.as_secs_f64() * 1e3)
    }
}

/// The processor time of this thread.
fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a clock of every Linux, and a place for its time.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
