// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The adapter of docs/adapters.md: that the page has all of it, and that a client finds and uses it through the loader.

#[path = "common/alone.rs"]
mod alone;

use std::ffi::c_void;
use std::path::{Path, PathBuf};

use oxur_client::api::{CommandType, DeviceInfo, EventInfo, PlatformInfo, QueueFlags, ResultCode};
use oxur_client::{Buffer, Context, Loader, Queue, api};

/// What `cargo build` has made for this test: a library of this folder under the folder of the test's program, or above.
fn built(name: &str) -> PathBuf {
    let program = std::env::current_exe().expect("a test has a path");
    let deps = program.parent().expect("a program is in a folder");
    let path = deps.join(name);
    assert!(path.exists(), "{} is missing", path.display());
    path
}

#[test]
fn the_page_has_the_whole_adapter() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("../../docs/adapters.md")).expect("the page");
    let source = std::fs::read_to_string(root.join("examples/smallest.rs")).expect("the source");
    let (_, section) = page.split_once("\n## The smallest adapter\n").expect("the section");
    let section = section.split("\n## ").next().expect("a section");
    let blocks = section.split("\n```rust\n").skip(1);
    let blocks: Vec<_> = blocks
        .map(|block| block.split_once("```").expect("a block ends").0)
        .collect();
    assert_eq!(
        blocks.join("\n"),
        source,
        "the blocks of the page, and examples/smallest.rs"
    );
}

/// What a client does with the adapter, in a process that has no other one.
fn client() -> oxur_client::Result<()> {
    let loader = Loader::open(&built("libur_loader.so"))?;
    let [adapter] = &loader.adapters()?[..] else {
        panic!("one adapter")
    };
    let [platform] = &adapter.platforms()?[..] else {
        panic!("one platform")
    };
    let [device] = &platform.devices()?[..] else {
        panic!("one device")
    };
    assert_eq!(platform.info::<String>(PlatformInfo::NAME)?, "Example");
    assert_eq!(device.info::<String>(DeviceInfo::NAME)?, "memory");
    assert_eq!(
        device.info::<api::PlatformHandle>(DeviceInfo::PLATFORM)?,
        platform.raw()
    );
    let context = Context::new(&[device])?;
    let queue = Queue::new(&context, device, QueueFlags::empty())?;

    let (from, mut to) = ([1u32, 2, 3], [0u32; 3]);
    // SAFETY: 12 bytes each, which are there until the copy is complete.
    let copied = unsafe { queue.memcpy(false, to.as_mut_ptr().cast(), from.as_ptr().cast(), 12, &[]) }?;
    copied.wait()?;
    assert_eq!(
        copied.info::<CommandType>(EventInfo::COMMAND_TYPE)?,
        CommandType::USM_MEMCPY
    );
    queue.barrier(&[&copied])?.wait()?;
    queue.finish()?;
    assert_eq!(to, from);

    // What it does not have, it says.
    for feature in [
        DeviceInfo::COMMAND_BUFFER_SUPPORT_EXP,
        DeviceInfo::GRAPH_RECORD_AND_REPLAY_SUPPORT_EXP,
    ] {
        assert!(!device.info::<bool>(feature)?, "{feature:?}");
    }
    let unsupported = Some(ResultCode::ERROR_UNSUPPORTED_FEATURE);
    let buffer = Buffer::new(&context, api::MemFlags::READ_WRITE, 64).map(drop);
    let graph = oxur_client::Graph::new(&context).map(drop);
    let capture = queue.begin_capture();
    let settings = oxur_client::CommandBufferSettings::default();
    let commands = oxur_client::CommandBuffer::new(&context, device, settings).map(drop);
    let usm = oxur_client::Usm::host(&context, 64, Default::default()).map(drop);
    for refused in [buffer, graph, capture, commands, usm] {
        assert_eq!(refused.expect_err("it is not there").code(), unsupported);
    }
    Ok(())
}

#[test]
fn a_client_uses_the_adapter() {
    let Some(mut own) = alone::again("a_client_uses_the_adapter") else {
        return client().expect("the adapter does what it says");
    };
    own.env("UR_ADAPTERS_FORCE_LOAD", built("../examples/libsmallest.so"))
        .env_remove("ONEAPI_DEVICE_SELECTOR");
    alone::passes(&mut own);
}

/// A loader that is older than 2026.2, as far as an adapter sees: functions, and one that asks for a table.
struct OlderLoader {
    /// The name of the test that runs with it.
    test: &'static str,
    has: &'static str,
    /// What is asked of it.
    asks: fn(&Asked),
}

/// Asks for tables, by the older loader and by this program.
struct Asked {
    older: libloading::Library,
    adapter: libloading::Library,
}

type Slot = *const c_void;
type Getter = unsafe extern "C" fn(api::ApiVersion, *mut c_void) -> ResultCode;
type Ask = unsafe extern "C" fn(api::ApiVersion, *mut c_void, Getter) -> ResultCode;

/// What is in slots that nobody has filled.
const UNTOUCHED: Slot = std::ptr::without_provenance(1);

impl Asked {
    /// The answer, and the slots.
    fn table(&self, getter: &str, older: bool) -> (ResultCode, Vec<Slot>) {
        let mut table = vec![UNTOUCHED; 64];
        let out = table.as_mut_ptr().cast();
        // SAFETY: every getter has this type, as the function in the source below; no table has more slots.
        let answer = unsafe {
            let getter = self.adapter.get::<Getter>(getter.as_bytes()).expect("the getter");
            match older {
                true => self.older.get::<Ask>(b"ask\0").expect("the loader's function")(
                    api::ApiVersion::CURRENT,
                    out,
                    *getter,
                ),
                false => getter(api::ApiVersion::CURRENT, out),
            }
        };
        (answer, table)
    }

    fn refuses(&self, older: bool) {
        let (answer, table) = self.table("urGetAdapterProcAddrTable", older);
        assert_eq!(answer, ResultCode::ERROR_UNSUPPORTED_VERSION);
        assert!(table.iter().all(|slot| *slot == UNTOUCHED), "nothing is written");
    }

    /// Checks that a table has this many slots, and returns them.
    fn fills(&self, getter: &str, older: bool, count: usize) -> Vec<Slot> {
        let (answer, mut table) = self.table(getter, older);
        assert_eq!(answer, ResultCode::SUCCESS);
        let filled = table.iter().take_while(|slot| **slot != UNTOUCHED && !slot.is_null());
        assert_eq!(filled.count(), count, "slots of {getter}");
        assert_eq!(table[count], UNTOUCHED, "nothing is written behind {getter}");
        table.truncate(count);
        table
    }

    /// The layout of 2026.1, of whose graph table only the number of slots changed.
    fn serves(&self, graph_slots: usize) {
        let adapter = self.fills("urGetAdapterProcAddrTable", true, 7);
        let event = self.fills("urGetEventProcAddrTable", true, 8);
        let kernel = self.fills("urGetKernelProcAddrTable", true, 17);
        self.fills("urGetGraphExpProcAddrTable", true, graph_slots);
        // These loaders count adapters so.
        // SAFETY: the function of the first slot.
        let counted = unsafe {
            let get = std::mem::transmute::<Slot, api::pfn::urAdapterGet>(adapter[0]);
            let mut count = 7;
            (get(1, std::ptr::null_mut(), &mut count), count)
        };
        assert_eq!(counted, (ResultCode::SUCCESS, 1));
        // A handle leads to all tables, of the same layout: there is none between those of events and of programs.
        // SAFETY: the function of the first slot; there is one adapter.
        let handle = unsafe {
            let get = std::mem::transmute::<Slot, api::pfn::urAdapterGet>(adapter[0]);
            let mut handle = api::AdapterHandle::default();
            assert_eq!(get(1, &mut handle, std::ptr::null_mut()), ResultCode::SUCCESS);
            handle
        };
        // SAFETY: what a handle points to begins with the address of that.
        let all = unsafe { std::slice::from_raw_parts(*api::Handle::as_ptr(handle).cast::<*const Slot>(), 230) };
        assert!(all.starts_with(&adapter));
        let place = |table: &[Slot]| all.windows(table.len()).position(|slots| slots == table);
        let program = self.fills("urGetProgramProcAddrTable", true, 14);
        assert_eq!(place(&event).map(|place| place + event.len()), place(&program));
        assert!(place(&kernel).is_some());
        // This program knows other tables, and its handles would be the same.
        self.refuses(false);
    }
}

/// Runs a test in a process that has such a loader.
fn with_older_loader(loader: &OlderLoader) {
    let folder = std::env::temp_dir().join(format!("oxur-kit-{}-{}", loader.test, std::process::id()));
    let file = folder.join("libur_loader.so.0");
    let Some(mut own) = alone::again(loader.test) else {
        let file = PathBuf::from(std::env::var_os("OXUR_TEST_OLDER_LOADER").expect("the other process sets it"));
        // SAFETY: libraries without constructors of their own.
        let [older, adapter] = [file, built("../examples/libsmallest.so")]
            .map(|file| unsafe { libloading::Library::new(file) }.expect("the library"));
        return (loader.asks)(&Asked { older, adapter });
    };
    std::fs::create_dir_all(&folder).expect("a folder");
    let source = folder.join("loader.c");
    let code = format!(
        "int urLoaderInit{};
        int ask(int version, void *table, int (*getter)(int, void *)) {{ return getter(version, table); }}",
        loader.has
    );
    std::fs::write(&source, code).expect("the source");
    let status = std::process::Command::new("cc")
        .args(["-shared", "-nostdlib", "-Wl,-soname,libur_loader.so.0", "-o"])
        .args([&file, &source])
        .status();
    assert!(status.expect("a C compiler").success());
    own.env("OXUR_TEST_OLDER_LOADER", &file)
        .env("UR_LOG_EXAMPLE", "level:error;output:stderr");
    alone::passes(&mut own);
    std::fs::remove_dir_all(folder).expect("the folder goes");
}

#[test]
fn a_loader_of_2026_0_is_served() {
    with_older_loader(&OlderLoader {
        test: "a_loader_of_2026_0_is_served",
        has: ", urGetGraphExpProcAddrTable",
        asks: |asked| asked.serves(6),
    });
}

#[test]
fn a_loader_of_2026_1_is_served() {
    with_older_loader(&OlderLoader {
        test: "a_loader_of_2026_1_is_served",
        has: ", urGetGraphExpProcAddrTable, urGraphGetNativeHandleExp",
        asks: |asked| asked.serves(10),
    });
}

#[test]
fn a_loader_of_2025_gets_no_tables() {
    with_older_loader(&OlderLoader {
        test: "a_loader_of_2025_gets_no_tables",
        has: "",
        asks: |asked| {
            asked.refuses(true);
            // Another loader may be in the same process, as this program.
            asked.fills("urGetAdapterProcAddrTable", false, 7);
        },
    });
}
