// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Modules that are wrong are refused, or their kernels end with a fault. Nothing panics.

use std::path::Path;

use oxur_interpreter::{Argument, Memory, Module, Options, Parameter, run};

use super::{assembled, kernel, line};

/// Runs all kernels of a module on some memory.
fn try_all(bytes: &[u8]) {
    let Ok(module) = Module::parse(bytes, &[]) else {
        return;
    };
    let Ok(mut memory) = Memory::new(&module) else {
        return;
    };
    let options = Options {
        step_limit: 2000,
        sub_group_size: 4,
        ..Options::default()
    };
    for kernel in module.kernels() {
        let argument = |parameter: &Parameter| match parameter {
            Parameter::Pointer => memory
                .allocate(&[1; 64])
                .map_or(Argument::Pointer(0), Argument::Pointer),
            Parameter::Local => Argument::Local(64),
            Parameter::Value(size) => Argument::Value(vec![1; (*size).min(1 << 16)]),
        };
        let arguments: Vec<Argument> = kernel.parameters.iter().map(argument).collect();
        // Most end with a fault.
        let _ = run(&module, kernel, line(6, 6), &arguments, &mut memory, &options);
    }
}

/// A kernel with some of everything.
fn some_of_everything() -> Vec<u8> {
    let declarations = "OpCapability Groups\nOpCapability GroupNonUniformArithmetic\nOpCapability GroupNonUniformBallot\n\
        %i272 = OpConstant %int 0x110\n%pair = OpTypeStruct %char %int\n%pairs = OpTypeArray %pair %i4\n\
        %local_pairs = OpTypePointer Workgroup %pairs\n%m = OpVariable %local_pairs Workgroup\n\
        %unary = OpTypeFunction %int %int\n%one = OpConstant %float 1.5\n";
    let lines = "%v = OpVariable %private_int Function %i3\n%q = OpInBoundsAccessChain %local_int %m %i1 %i1\n\
        OpStore %q %id Aligned 4\nOpControlBarrier %i2 %i2 %i272\n%x = OpLoad %int %q Aligned 4\n\
        %s = OpGroupIAdd %int %i2 InclusiveScan %x\n%c = OpULessThan %bool %id %i2\n\
        OpBranchConditional %c %yes %no\n%yes = OpLabel\n%n = OpGroupNonUniformIAdd %int %i3 Reduce %s\n\
        %b = OpGroupNonUniformBallot %int4 %i3 %c\n%b0 = OpCompositeExtract %int %b 1\nOpBranch %no\n\
        %no = OpLabel\n%y = OpPhi %int %s %start %b0 %yes\n%f = OpConvertUToF %float %y\n\
        %g = OpExtInst %float %cl fma %f %one %f\n%h = OpConvertFToS %int %g\n%w = OpCompositeConstruct %int4 %h %y %s %x\n\
        %t = OpVectorShuffle %int2 %w %w 3 6\n%t1 = OpCompositeExtract %int %t 1\n%d = OpSDiv %int %t1 %i3\n\
        %e = OpFunctionCall %int %add %d\nOpSwitch %e %end 1 %end 2 %last\n%last = OpLabel\nOpBranch %end\n%end = OpLabel\n\
        %old = OpAtomicIAdd %int %p %i1 %i0 %e\nOpCopyMemorySized %at %p %l4 Aligned 4\nOpReturn\nOpFunctionEnd\n\
        %add = OpFunction %int None %unary\n%ax = OpFunctionParameter %int\n%as = OpLabel\n%ay = OpIAdd %int %ax %i16\n\
        %bits = OpBitcast %char4 %ay\n%byte = OpCompositeExtract %char %bits 1\n%az = OpSConvert %int %byte\n\
        OpReturnValue %az\nOpFunctionEnd\n";
    assembled(&kernel(&format!("{declarations}%l4 = OpConstant %long 4\n"), lines))
}

/// A generator of numbers (xorshift).
struct Rng(u64);

impl Rng {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % below
    }
}

#[test]
fn changed_words() {
    let module = some_of_everything();
    try_all(&module);
    let mut rng = Rng(0x9e37_79b9_7f4a_7c15);
    let count = module.len() / 4;
    for _ in 0..20_000 {
        let mut bytes = module.clone();
        for _ in 0..1 + rng.next(2) {
            let at = rng.next(count) * 4;
            let old = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
            let new = match rng.next(6) {
                0 => rng.next(256) as u32,
                1 => old.wrapping_add(1),
                2 => old ^ 1 << rng.next(32),
                3 => old & 0xffff_0000 | rng.next(460) as u32,
                4 => u32::MAX - rng.next(4) as u32,
                // Another word of the module.
                _ => {
                    let from = rng.next(count) * 4;
                    u32::from_le_bytes(bytes[from..from + 4].try_into().unwrap())
                }
            };
            bytes[at..at + 4].copy_from_slice(&new.to_le_bytes());
        }
        if rng.next(20) == 0 {
            bytes.truncate(rng.next(count) * 4);
        }
        try_all(&bytes);
    }
}

/// The modules of the compiler's own tests, right and wrong ones.
#[test]
fn filetests() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/filetests");
    let mut folders = vec![folder];
    let (mut files, mut parsed) = (0, 0);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            if path.extension().is_none_or(|extension| extension != "spvasm") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let is_raw = text.lines().any(|line| line.starts_with("; RAW:"));
            for part in text.split("\n;---") {
                let part = format!(";{part}");
                let source = if is_raw {
                    part.clone()
                } else {
                    super::support::whole(&part)
                };
                let version = part
                    .lines()
                    .find_map(|line| line.strip_prefix("; SPIRV: "))
                    .unwrap_or("1.4");
                let Ok(bytes) = super::support::assemble(&source, version.trim()) else {
                    continue;
                };
                files += 1;
                parsed += usize::from(Module::parse(&bytes, &[]).is_ok());
                try_all(&bytes);
            }
        }
    }
    assert!(files > 80, "{files} modules");
    println!("{files} modules, {parsed} are parsed");
}
