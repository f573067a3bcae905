// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The rows of the Level Zero adapter, beside Intel's v2 adapter and Level Zero itself, all on our driver for the CPU. That
//! runs short commands at once, so a launch is the call and the kernel of one work-item.

use crate::rows::{Goal, Row, Work};
use crate::stack::{Commands, Kind, Launch, Means, WITH_ARGS};
use crate::threads;

/// What is ours to add to Level Zero, of what Intel's adapter adds.
const SHARE: Goal = Goal::Overhead(0.7);

/// All rows, in the order of the report.
pub fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let mut row = |name: String, goal: Goal, work: Work| {
        rows.push(Row {
            name: format!("level zero: {name}"),
            goal,
            work,
        })
    };
    for (title, finish) in [("enqueue", false), ("enqueue + finish", true)] {
        for (four, count) in [(false, 0), (true, 4)] {
            for (event, local, how) in [
                (false, true, ""),
                (true, true, ", event"),
                (false, false, ", null local"),
            ] {
                let launch = Launch {
                    event,
                    local,
                    ..WITH_ARGS
                };
                let goal = match (event, finish) {
                    (false, false) => Goal::OverheadAndAtMost(0.7, 100.0),
                    _ => SHARE,
                };
                row(
                    format!("launch, {title}: {count} args{how}"),
                    goal,
                    Work::Launch { launch, four, finish },
                );
            }
        }
    }
    row("launch, enqueue: 4 new args".into(), SHARE, Work::LaunchAnew(WITH_ARGS));
    // Of larger ones it takes longer or shorter by hundreds of times what an adapter does, by where their pages are.
    for (size, text) in [(8, "8 B"), (4 << 10, "4 KiB"), (64 << 10, "64 KiB")] {
        row(format!("usm memcpy, blocking: {text}"), SHARE, Work::Memcpy(size));
    }
    for (size, text) in [(64, "64 B"), (4 << 10, "4 KiB"), (1 << 20, "1 MiB")] {
        for (kind, of) in [(Kind::Device, "device"), (Kind::Shared, "shared"), (Kind::Host, "host")] {
            let work = Work::Alloc {
                kind,
                size,
                pool: false,
                touch: false,
            };
            // Both keep memory, so that neither asks the driver.
            row(format!("usm alloc + free: {of} {text}"), Goal::Ratio(0.7), work);
        }
    }
    for count in [10, 100, 1000] {
        row(
            format!("{count} launches: one by one, finish"),
            SHARE,
            Work::Launches(count),
        );
        for (means, text) in [(Means::CommandBuffer, "replay"), (Means::Graph, "graph replay")] {
            row(
                format!("{count} launches: {text}, finish"),
                SHARE,
                Work::Replay(means, count),
            );
        }
    }
    row("command buffer: update of one argument".into(), SHARE, Work::Update);
    for count in [10, 1000] {
        row(
            format!("command buffer: create, append {count} launches, finalize"),
            SHARE,
            Work::Record(Means::CommandBuffer, count),
        );
        row(
            format!("graph: capture {count} launches, instantiate"),
            SHARE,
            Work::Record(Means::Graph, count),
        );
    }
    for (commands, text) in [(Commands::Fills, "fills"), (Commands::Copies, "copies")] {
        let work = Work::Finalize {
            commands,
            count: 100,
            whole: true,
        };
        row(
            format!("command buffer: 100 {text}, create, append, finalize, release"),
            SHARE,
            work,
        );
    }
    for (name, work) in [
        ("event: barrier, wait, release", Work::BarrierEvent),
        ("event: wait for a complete one", Work::WaitAgain),
        (
            "event: release of launches, all finished",
            Work::ReleaseEvent { single: false },
        ),
        ("device global: write 256 B", Work::GlobalWrite),
        ("device global: read 256 B", Work::GlobalRead),
    ] {
        row(name.into(), SHARE, work);
    }
    threads::rows(1000, &mut row);
    rows
}
