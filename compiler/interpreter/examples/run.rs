// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Interprets a kernel of a file: `cargo run -p oxur-interpreter --example run -- FILE [KERNEL GLOBAL LOCAL ARGUMENT...]`.
//!
//! Without a kernel, its kernels are listed with their parameters. Arguments are `buffer:BYTES` (zeros), `undefined:BYTES`,
//! `local:BYTES`, `null`, and numbers as `u32:7`, `u64:7`, `f32:1.5`, `f64:1.5`. What is in buffers then is printed.

use std::error::Error;

use oxur_interpreter::{Argument, Memory, Module, NdRange, Options, run};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, rest @ ..] = arguments.as_slice() else {
        return Err("run FILE [KERNEL GLOBAL LOCAL ARGUMENT...]".into());
    };
    let module = Module::parse(&std::fs::read(file)?, &[])?;
    let [name, global, local, given @ ..] = rest else {
        for kernel in module.kernels() {
            println!("{} {:?}", kernel.name, kernel.parameters);
        }
        return Ok(());
    };
    let kernel = module.kernels().iter().find(|k| k.name == *name);
    let kernel = kernel.ok_or_else(|| format!("there is no kernel {name}"))?;
    let mut memory = Memory::new(&module)?;
    let (mut values, mut buffers) = (Vec::new(), Vec::new());
    for text in given {
        let (kind, value) = text.split_once(':').unwrap_or((text, ""));
        values.push(match kind {
            "buffer" | "undefined" => {
                let size = value.parse()?;
                let address = if kind == "buffer" {
                    memory.allocate(&vec![0; size])?
                } else {
                    memory.allocate_undefined(size)?
                };
                buffers.push(address);
                Argument::Pointer(address)
            }
            "local" => Argument::Local(value.parse()?),
            "null" => Argument::Pointer(0),
            "u32" => Argument::Value(value.parse::<u32>()?.to_le_bytes().to_vec()),
            "u64" => Argument::Value(value.parse::<u64>()?.to_le_bytes().to_vec()),
            "f32" => Argument::Value(value.parse::<f32>()?.to_le_bytes().to_vec()),
            "f64" => Argument::Value(value.parse::<f64>()?.to_le_bytes().to_vec()),
            _ => return Err(format!("no argument: {text}").into()),
        });
    }
    let range = NdRange {
        dimensions: 1,
        global: [global.parse()?, 1, 1],
        local: [local.parse()?, 1, 1],
        offset: [0; 3],
    };
    let report = run(&module, kernel, range, &values, &mut memory, &Options::default())?;
    print!("{}", report.printed);
    for finding in &report.findings {
        eprintln!("{finding}");
    }
    for address in buffers {
        let (bytes, undefined) = memory.bytes(address).ok_or("a buffer is gone")?;
        let digits = |(byte, undef): (&u8, &u8)| {
            if *undef == 0 {
                format!("{byte:02x}")
            } else {
                "??".into()
            }
        };
        let line: Vec<String> = bytes.iter().zip(undefined).map(digits).collect();
        println!("{}", line.join(" "));
    }
    eprintln!("{} instructions", report.steps);
    Ok(())
}
