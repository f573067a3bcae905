// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions that 2026.2 dropped, for older clients: finds an adapter's table of them.
//!
//! `ur_dditable_t` does not contain them. Our adapters export a separate table for them; for other adapters they
//! are emulated. The loader learns which table belongs to which adapter from the handles that `urAdapterGet` returns.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

use oxur_api::{AdapterHandle, DdiTable, Handle, LegacyDdiTable, pfn};
use oxur_fork::Mutex;

use crate::arg_emulation;

/// An adapter's functions for older clients. They stay for the lifetime of the process.
pub(crate) type LegacyTable = &'static LegacyDdiTable;

/// The table for an adapter without such functions.
pub(crate) const EMULATED: LegacyTable = &arg_emulation::TABLE;

/// Whether this is the table for an adapter without such functions.
pub(crate) fn is_emulated(table: LegacyTable) -> bool {
    std::ptr::eq(table, EMULATED)
}

/// Keeps the table of the adapter with this `urAdapterGet`. An adapter that is loaded again gets its earlier table, because a
/// new table for each initialization would be a leak.
pub(crate) fn own(get: pfn::urAdapterGet, table: LegacyDdiTable) -> LegacyTable {
    static TABLES: Mutex<Vec<(pfn::urAdapterGet, LegacyTable)>> = Mutex::new(Vec::new());
    let mut tables = TABLES.lock();
    let known = tables.iter().find(|(known, _)| std::ptr::fn_addr_eq(*known, get));
    known.map(|(_, table)| *table).unwrap_or_else(|| {
        let table = &*Box::leak(Box::new(table));
        tables.push((get, table));
        table
    })
}

/// The two tables of an adapter. They never change once set, because adapters are never unloaded.
struct Pair {
    ddi: AtomicPtr<DdiTable>,
    legacy: AtomicPtr<LegacyDdiTable>,
}

/// An upper bound on adapters; the functions of further ones are emulated.
const MOST: usize = 64;

static PAIRS: [Pair; MOST] = [const {
    Pair {
        ddi: AtomicPtr::new(null_mut()),
        legacy: AtomicPtr::new(null_mut()),
    }
}; MOST];
static LEARNING: Mutex<()> = Mutex::new(());

/// The functions for older clients of the adapter whose table is `ddi`, if that is the first adapter: most programs use
/// no other.
#[inline(always)]
pub(crate) fn table_of_first(ddi: &DdiTable) -> Option<LegacyTable> {
    PAIRS[0].legacy_of(ddi)
}

/// The functions for older clients of the adapter whose table is `ddi`.
pub(crate) fn table_of(ddi: &DdiTable) -> LegacyTable {
    PAIRS.iter().find_map(|pair| pair.legacy_of(ddi)).unwrap_or(EMULATED)
}

impl Pair {
    #[inline(always)]
    fn legacy_of(&self, ddi: &DdiTable) -> Option<LegacyTable> {
        if !std::ptr::eq(self.ddi.load(Ordering::Acquire), ddi) {
            return None;
        }
        let legacy = self.legacy.load(Ordering::Relaxed);
        // SAFETY: the legacy table was stored before the DDI table that was read, from a reference that lives forever.
        unsafe {
            // This spares a null check on the hot path.
            std::hint::assert_unchecked(!legacy.is_null());
            Some(&*legacy)
        }
    }
}

/// Records that the adapter with this handle has these functions.
///
/// # Safety
/// `handle` is null or a live handle of an adapter.
pub(crate) unsafe fn register_table(handle: AdapterHandle, legacy: LegacyTable) {
    if handle.is_null() {
        return;
    }
    // SAFETY: the first word of a live handle points to its adapter's table.
    let ddi = unsafe { *handle.as_ptr().cast::<*mut DdiTable>() };
    let known = |pair: &Pair| pair.ddi.load(Ordering::Relaxed);
    // It is nearly always known already.
    if PAIRS
        .iter()
        .map(known)
        .take_while(|known| !known.is_null())
        .any(|known| known == ddi)
    {
        return;
    }
    let _guard = LEARNING.lock();
    for pair in &PAIRS {
        let known = known(pair);
        if known == ddi {
            return;
        }
        if known.is_null() {
            pair.legacy
                .store(std::ptr::from_ref(legacy).cast_mut(), Ordering::Relaxed);
            pair.ddi.store(ddi, Ordering::Release);
            return;
        }
    }
    log::warn!("more than {MOST} adapters: the functions for older clients are emulated for the rest");
}

#[cfg(test)]
mod tests {
    use oxur_api::ResultCode;
    use oxur_fork::LazyLock;

    use super::*;

    unsafe extern "C-unwind" fn get(_: u32, _: *mut AdapterHandle, _: *mut u32) -> ResultCode {
        ResultCode::SUCCESS
    }

    /// The code differs from `get`'s, because the compiler would merge equal functions.
    unsafe extern "C-unwind" fn get_none(_: u32, _: *mut AdapterHandle, _: *mut u32) -> ResultCode {
        ResultCode::ERROR_ADAPTER_SPECIFIC
    }

    /// Of two adapters.
    const GETS: [pfn::urAdapterGet; 2] = [get, get_none];

    #[test]
    fn an_adapter_that_is_loaded_again_has_the_table_that_it_had() {
        let [first, second] = GETS.map(|get| own(get, LegacyDdiTable::default()));
        assert!(!std::ptr::eq(first, second));
        assert!(std::ptr::eq(own(GETS[0], LegacyDdiTable::default()), first));
        assert!(std::ptr::eq(own(GETS[1], LegacyDdiTable::default()), second));
    }

    #[test]
    fn learned_tables_are_found() {
        static TABLES: LazyLock<[DdiTable; 3]> = LazyLock::new(Default::default);
        let tables = TABLES.each_ref();
        let own_tables = GETS.map(|get| own(get, LegacyDdiTable::default()));
        for (ddi, legacy) in tables.iter().zip(own_tables).chain(tables.iter().zip([EMULATED; 2])) {
            let mut object: *const DdiTable = *ddi;
            // SAFETY: the first word of the object is an adapter's table.
            unsafe { register_table(AdapterHandle::from_ptr((&raw mut object).cast()), legacy) };
        }
        assert!(std::ptr::eq(table_of(tables[0]), own_tables[0]));
        assert!(std::ptr::eq(table_of(tables[1]), own_tables[1]));
        assert!(std::ptr::eq(table_of(tables[2]), EMULATED));
    }
}
