// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The adapter of docs/adapters.md: that the page has all of it, and that a client finds and uses it through the loader.

#[path = "common/alone.rs"]
mod alone;

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

/// An adapter that is asked for a table by a loader of 2026.1, which has shorter ones.
fn asked_by_older_loader(file: &Path) {
    // SAFETY: libraries without constructors of their own.
    let [older, adapter] = [file, &built("../examples/libsmallest.so")]
        .map(|file| unsafe { libloading::Library::new(file) }.expect("the library"));
    let mut table = api::AdapterDdiTable::default();
    type Getter = unsafe extern "C" fn(api::ApiVersion, *mut api::AdapterDdiTable) -> ResultCode;
    type Ask = unsafe extern "C" fn(api::ApiVersion, *mut api::AdapterDdiTable, Getter) -> ResultCode;
    // SAFETY: every adapter's getter has this type; the other function is in the source below.
    let (getter, ask) = unsafe {
        let getter = adapter
            .get::<Getter>(b"urGetAdapterProcAddrTable\0")
            .expect("the getter");
        (getter, older.get::<Ask>(b"ask\0").expect("the loader's function"))
    };
    // SAFETY: there is a whole table to fill.
    let answer = unsafe { ask(api::ApiVersion::CURRENT, &mut table, *getter) };
    assert_eq!(answer, ResultCode::ERROR_UNSUPPORTED_VERSION);
    assert!(table.pfnGet.is_none(), "nothing is written");
    // Another loader may be in the same process, as this program.
    // SAFETY: as above.
    let answer = unsafe { getter(api::ApiVersion::CURRENT, &mut table) };
    assert_eq!(answer, ResultCode::SUCCESS);
    assert!(table.pfnGet.is_some());
}

#[test]
fn an_older_loader_gets_no_tables() {
    let folder = std::env::temp_dir().join(format!("oxur-kit-older-loader-{}", std::process::id()));
    let file = folder.join("libur_loader.so.0");
    let Some(mut own) = alone::again("an_older_loader_gets_no_tables") else {
        let file = std::env::var_os("OXUR_TEST_OLDER_LOADER").expect("the other process sets it");
        return asked_by_older_loader(Path::new(&file));
    };
    std::fs::create_dir_all(&folder).expect("a folder");
    let source = folder.join("loader.c");
    // What came with 2026.2 is missing.
    let code = "int urLoaderInit, urGetEventProcAddrTable;
        int ask(int version, void *table, int (*getter)(int, void *)) { return getter(version, table); }";
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
