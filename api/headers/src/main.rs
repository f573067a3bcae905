// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `cargo run -p oxur-headers`: writes `include/unified-runtime/`. With `--check` it only reports whether they are out of date.

use std::path::Path;
use std::process::ExitCode;
use std::{env, fs, io};

fn main() -> io::Result<ExitCode> {
    let check = match env::args().nth(1).as_deref() {
        None => false,
        Some("--check") => true,
        Some(other) => {
            eprintln!("oxur-headers: unknown argument {other}; usage: oxur-headers [--check]");
            return Ok(ExitCode::from(2));
        }
    };
    let directory = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../include/unified-runtime"));
    let stale: Vec<_> = oxur_headers::headers()
        .into_iter()
        .filter(|header| fs::read_to_string(directory.join(header.name)).ok().as_ref() != Some(&header.text))
        .collect();
    for header in &stale {
        if check {
            eprintln!(
                "include/unified-runtime/{} is stale: run `cargo run -p oxur-headers`",
                header.name
            );
        } else {
            fs::create_dir_all(directory)?;
            fs::write(directory.join(header.name), &header.text)?;
            println!("wrote include/unified-runtime/{}", header.name);
        }
    }
    Ok(if check && !stale.is_empty() {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}
