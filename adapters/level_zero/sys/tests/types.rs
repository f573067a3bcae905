// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//! Values and types, compared with what the headers say. bindgen checks sizes and offsets while the crate compiles.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use level_zero_sys::*;

fn headers() -> PathBuf {
    PathBuf::from(env!("LEVEL_ZERO_HEADERS"))
}

#[test]
fn results_have_names() {
    assert_eq!(ZE_RESULT_ERROR_DEVICE_LOST.to_string(), "ZE_RESULT_ERROR_DEVICE_LOST");
    assert_eq!(format!("{ZE_RESULT_NOT_READY:?}"), "ZE_RESULT_NOT_READY");
    // A value of the future.
    assert_eq!(ze_result_t(0x12345).to_string(), "ze_result_t(0x12345)");
    assert_eq!(ze_result_t(0x12345).name(), None);
    assert_eq!(ZE_RESULT_SUCCESS.ok(), Ok(()));
    assert_eq!(ZE_RESULT_ERROR_UNKNOWN.ok(), Err(ZE_RESULT_ERROR_UNKNOWN));
    assert_eq!(ze_result_t::default(), ZE_RESULT_SUCCESS);
}

#[test]
fn structures_know_their_type() {
    assert_eq!(ze_context_desc_t::default().stype, ZE_STRUCTURE_TYPE_CONTEXT_DESC);
    assert_eq!(zes_fan_properties_t::default().stype, ZES_STRUCTURE_TYPE_FAN_PROPERTIES);
    assert_eq!(
        zet_metric_properties_t::default().stype,
        ZET_STRUCTURE_TYPE_METRIC_PROPERTIES
    );
    // One of two, the other of which is deprecated.
    assert_eq!(
        ze_device_properties_t::STRUCTURE_TYPE,
        ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2
    );
    // The comment of the value has another of its two names.
    assert_eq!(
        ze_kernel_max_group_size_properties_ext_t::STRUCTURE_TYPE,
        ZE_STRUCTURE_TYPE_KERNEL_MAX_GROUP_SIZE_EXT_PROPERTIES
    );
    let desc = ze_command_queue_desc_t::default();
    assert!(desc.pNext.is_null());
    assert_eq!(
        (desc.ordinal, desc.flags, desc.mode),
        (0, 0, ZE_COMMAND_QUEUE_MODE_DEFAULT)
    );
}

#[test]
fn api_version_is_that_of_the_headers() {
    assert_eq!(API_VERSION, ZE_API_VERSION_CURRENT);
    assert!((API_VERSION.major(), API_VERSION.minor()) >= (1, 17));
    let current = format!("{}.{}.", API_VERSION.major(), API_VERSION.minor());
    assert!(HEADERS_REVISION.starts_with(&current), "{HEADERS_REVISION}");
}

/// The C compiler has the same values, macros and sizes.
#[test]
fn c_compiler_agrees() {
    let mut lines = vec![
        (
            "ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES".to_owned(),
            ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES.0 as usize,
        ),
        ("ZE_RESULT_ERROR_UNKNOWN".to_owned(), ZE_RESULT_ERROR_UNKNOWN.0 as usize),
        ("ZE_API_VERSION_CURRENT_M".to_owned(), API_VERSION.0 as usize),
        (
            "ZE_DEVICE_MEM_ALLOC_FLAG_BIAS_CACHED".to_owned(),
            ZE_DEVICE_MEM_ALLOC_FLAG_BIAS_CACHED as usize,
        ),
        ("ZE_BIT(5)".to_owned(), ZE_BIT(5) as usize),
        (
            "ZE_MAJOR_VERSION(0x30005)".to_owned(),
            ZE_MAJOR_VERSION(0x30005) as usize,
        ),
        (
            "ZE_MINOR_VERSION(0x30005)".to_owned(),
            ZE_MINOR_VERSION(0x30005) as usize,
        ),
        ("ZE_MAX_DEVICE_NAME".to_owned(), ZE_MAX_DEVICE_NAME as usize),
    ];
    macro_rules! sizes {
        ($($ty:ident),*) => { $(lines.push((format!("sizeof({})", stringify!($ty)), size_of::<$ty>()));)* };
    }
    sizes!(
        ze_dditable_t,
        ze_command_list_dditable_t,
        ze_device_properties_t,
        zes_dditable_t,
        zet_dditable_t
    );
    sizes!(
        zer_dditable_t,
        ze_handle_t,
        ze_callbacks_t,
        zel_component_version_t,
        ze_ipc_mem_handle_t,
        ze_bool_t
    );
    let asserts: String = lines
        .iter()
        .map(|(text, value)| format!("_Static_assert({text} == {value}, \"{text}\");\n"))
        .collect();

    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let source = folder.join("c_compiler_agrees.c");
    let wrapper = Path::new(env!("CARGO_MANIFEST_DIR")).join("wrapper.h");
    fs::write(&source, format!("#include \"{}\"\n{asserts}", wrapper.display())).unwrap();
    let output = Command::new("cc")
        .arg("-fsyntax-only")
        .arg("-I")
        .arg(headers())
        .arg(&source)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// All functions that the headers declare are in the table.
#[test]
fn no_function_is_forgotten() {
    let mut declared = BTreeSet::new();
    for file in files(&headers()) {
        let text = fs::read_to_string(&file).unwrap();
        // `ZE_APIEXPORT ze_result_t ZE_APICALL` ends a line; the name begins the next.
        for (_, rest) in text
            .match_indices("ZE_APICALL\n")
            .map(|(at, found)| text.split_at(at + found.len()))
        {
            let name = rest.split('(').next().unwrap_or_default().trim();
            // The macro's own definition ends a line as well.
            if name.starts_with("ze") {
                declared.insert(name.to_owned());
            }
        }
    }
    let known: BTreeSet<_> = Functions::NAMES
        .iter()
        .map(|name| name.to_str().unwrap().to_owned())
        .collect();
    assert!(declared.len() > 700, "{}", declared.len());
    assert_eq!(declared.difference(&known).collect::<Vec<_>>(), Vec::<&String>::new());
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(self::files(&path))
        } else {
            files.push(path)
        }
    }
    files
}

#[test]
fn extensions_have_names() {
    assert_eq!(ZE_MODULE_PROGRAM_EXP_NAME, c"ZE_experimental_module_program");
    assert_eq!(
        ZE_MUTABLE_COMMAND_LIST_EXP_NAME,
        c"ZE_experimental_mutable_command_list"
    );
}
