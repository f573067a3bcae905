// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The tables of an adapter in the layouts before 2026.2, for loaders of these releases.

use std::ops::Range;

use oxur_api::older::OlderLayout;
use oxur_api::outline::FunctionOutline;
use oxur_api::{DdiTable, LegacyDdiTable, TABLE_OUTLINES};

use super::Tables;

/// A slot of a table. All functions have the same size and alignment.
type Slot = Option<unsafe extern "C" fn()>;

/// `ur_dditable_t` as it was.
pub(crate) struct OlderTables {
    slots: Box<[Slot]>,
    /// The members, and where they are.
    members: Vec<(&'static str, Range<usize>)>,
}

impl OlderTables {
    pub(super) fn new(tables: &Tables, layout: OlderLayout) -> Self {
        let (ddi, legacy) = (slots_of_ddi(&tables.ddi), slots_of_legacy(&tables.legacy));
        let (mut slots, mut members) = (Vec::new(), Vec::new());
        for (table, functions) in layout.tables() {
            let start = slots.len();
            for function in functions {
                let place =
                    |functions: &[FunctionOutline]| functions.iter().position(|known| known.name == function.name);
                slots.push(match place(table.functions) {
                    Some(place) => ddi[first_slot(table.member) + place],
                    None => place(LegacyDdiTable::OUTLINE.functions).and_then(|place| legacy[place]),
                });
            }
            members.push((table.member, start..slots.len()));
        }
        let slots = slots.into();
        Self { slots, members }
    }

    /// What handles begin with.
    pub(super) fn all(&self) -> *mut DdiTable {
        self.slots.as_ptr().cast_mut().cast()
    }

    /// Fills a member. Does nothing for one that came later, which no loader of these releases asks for.
    ///
    /// # Safety
    /// `out` must be writable for the member in this layout.
    pub(super) unsafe fn fill(&self, member: &str, out: *mut Slot) {
        if let Some((_, range)) = self.members.iter().find(|(name, _)| *name == member) {
            let slots = &self.slots[range.clone()];
            // SAFETY: the caller vouches for it.
            unsafe { out.copy_from_nonoverlapping(slots.as_ptr(), slots.len()) };
        }
    }
}

/// The number of the first slot of a member of `ur_dditable_t`.
fn first_slot(member: &str) -> usize {
    let before = TABLE_OUTLINES.iter().take_while(|table| table.member != member);
    before.map(|table| table.functions.len()).sum()
}

fn slots_of_ddi(tables: &DdiTable) -> &[Slot] {
    // SAFETY: the table has nothing but optional functions.
    unsafe { std::slice::from_raw_parts((&raw const *tables).cast(), size_of::<DdiTable>() / size_of::<Slot>()) }
}

fn slots_of_legacy(table: &LegacyDdiTable) -> &[Slot] {
    // SAFETY: as above.
    unsafe {
        std::slice::from_raw_parts(
            (&raw const *table).cast(),
            size_of::<LegacyDdiTable>() / size_of::<Slot>(),
        )
    }
}
