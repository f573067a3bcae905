// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The layouts of the DDI tables before 2026.2. Loaders of these releases report the same API version as newer ones.

use crate::outline::{FunctionOutline, TableOutline};
use crate::{LegacyDdiTable, TABLE_OUTLINES};

/// A layout of the DDI tables. Several releases share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OlderLayout {
    /// From 2026.0.0 to 2026.1.0.
    V2026_0,
    /// From 2026.1.1 to the last release before 2026.2.
    V2026_1_1,
}

/// The functions that 2026.2 dropped, each with the next function in its table.
const DROPPED: [(&str, &str); 6] = [
    ("urKernelSetArgValue", "urKernelSetExecInfo"),
    ("urKernelSetArgLocal", "urKernelSetExecInfo"),
    ("urKernelSetArgPointer", "urKernelSetExecInfo"),
    ("urKernelSetArgSampler", "urKernelSetSpecializationConstants"),
    ("urKernelSetArgMemObj", "urKernelSetSpecializationConstants"),
    ("urEnqueueKernelLaunch", "urEnqueueEventsWait"),
];

/// Two adjacent functions that were swapped.
const SWAPPED: (&str, &str) = ("urEnqueueTimestampRecordingExp", "urEnqueueCommandBufferExp");

impl OlderLayout {
    /// The tables, in the order of `ur_dditable_t`, with the functions of their slots. The functions that 2026.2 dropped belong
    /// to [`LegacyDdiTable`].
    pub fn tables(self) -> impl Iterator<Item = (&'static TableOutline, Vec<&'static FunctionOutline>)> {
        let tables = TABLE_OUTLINES.iter().map(move |table| (*table, self.functions(table)));
        tables.filter(|(_, functions)| !functions.is_empty())
    }

    fn functions(self, table: &'static TableOutline) -> Vec<&'static FunctionOutline> {
        let has = |function: &&FunctionOutline| match function.since {
            None => true,
            Some(since) => self == Self::V2026_1_1 && since == "2026.1.1",
        };
        let mut functions: Vec<&'static FunctionOutline> = Vec::new();
        for function in table.functions.iter().filter(has) {
            let dropped = DROPPED.iter().filter(|(_, next)| *next == function.name);
            functions.extend(dropped.map(|(name, _)| legacy(name)));
            functions.push(function);
        }
        let place = |name| functions.iter().position(|function| function.name == name);
        if let (Some(first), Some(second)) = (place(SWAPPED.0), place(SWAPPED.1)) {
            functions.swap(first, second);
        }
        functions
    }
}

fn legacy(name: &str) -> &'static FunctionOutline {
    let mut functions = LegacyDdiTable::OUTLINE.functions.iter();
    functions
        .find(|function| function.name == name)
        .expect("the table of older clients has what 2026.2 dropped")
}
