// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Every instruction emits valid IR for every type and vector length, and invalid operands are an error.

use std::collections::BTreeSet;

use object::{Object, ObjectSymbol};

use super::*;
use crate::builtins::symbols;
use crate::llvm::Machine;
use crate::target::host;

const LANES: [u32; 6] = [1, 2, 3, 4, 8, 16];

fn shape(scalar: Type<'_>, lanes: u32) -> Type<'_> {
    if lanes == 1 { scalar } else { scalar.vector(lanes) }
}

fn numbers(context: &Context) -> Vec<Type<'_>> {
    let scalars = [16, 32, 64].map(|bits| context.float(bits)).into_iter();
    scalars.chain([8, 16, 32, 64].map(|bits| context.int(bits))).collect()
}

/// Adds a function for every instruction, type and vector length to a module.
fn everything<'c>(context: &'c Context, module: &Module<'c>, cpu: Option<&str>) -> usize {
    let mut count = 0;
    let (ptr, size, void) = (context.ptr(), context.int(64), context.void());
    let mut add = |op, types: &[Type<'c>], literals: &[u32]| {
        let name = format!("{op:?}_{count}");
        wrapper(context, module, &name, op, types, literals).unwrap_or_else(|e| panic!("{types:?}: {e}"));
        if let Some(cpu) = cpu {
            module
                .function(&name)
                .unwrap()
                .text_attribute("target-cpu", cpu)
                .text_attribute("target-features", "");
        }
        count += 1;
    };
    for scalar in numbers(context) {
        for lanes in LANES {
            let ty = shape(scalar, lanes);
            for op in regular() {
                if let Some(types) = signature(context, op, ty) {
                    add(op, &types, &[]);
                }
            }
            if lanes == 1 {
                continue;
            }
            add(Op::vloadn, &[size, ptr, ty], &[lanes]);
            add(Op::vstoren, &[ty, size, ptr, void], &[]);
            let mask = context.int(scalar.bits());
            for from in [2, 3, 4, 8, 16] {
                let from = scalar.vector(from);
                add(Op::shuffle, &[from, mask.vector(lanes), ty], &[]);
                add(Op::shuffle2, &[from, from, mask.vector(lanes), ty], &[]);
            }
        }
    }
    for bits in [16, 32, 64] {
        let scalar = context.float(bits);
        add(Op::vload_half, &[size, ptr, scalar], &[]);
        add(Op::vstore_half, &[scalar, size, ptr, void], &[]);
        for mode in 0..4 {
            add(Op::vstore_half_r, &[scalar, size, ptr, void], &[mode]);
        }
        for lanes in &LANES[1..] {
            let ty = scalar.vector(*lanes);
            for op in [Op::vload_halfn, Op::vloada_halfn] {
                add(op, &[size, ptr, ty], &[*lanes]);
            }
            for op in [Op::vstore_halfn, Op::vstorea_halfn] {
                add(op, &[ty, size, ptr, void], &[]);
            }
            for mode in 0..4 {
                for op in [Op::vstore_halfn_r, Op::vstorea_halfn_r] {
                    add(op, &[ty, size, ptr, void], &[mode]);
                }
            }
        }
    }
    add(Op::prefetch, &[ptr, size, void], &[]);
    let mut types = vec![ptr, ptr];
    types.extend(numbers(context));
    types.extend(numbers(context).into_iter().map(|ty| ty.vector(3)));
    types.push(context.int(32));
    add(Op::printf, &types, &[]);
    count
}

/// All IR passes the verifier, before and after optimization. All functions that the object files call are in the tables,
/// for every level of the host's CPUs.
#[test]
fn everything_verifies_and_calls_only_what_is_there() {
    let known: BTreeSet<_> = symbols().map(|(name, _)| name).collect();
    assert_eq!(known.len(), symbols().count(), "a name is there twice");
    for cpu in [None].into_iter().chain(host::CPUS.map(Some)) {
        let context = Context::new();
        let module = Module::new(&context, "everything");
        let machine = Machine::host().unwrap();
        machine.set_target(&module);
        let count = everything(&context, &module, cpu);
        module.verify().unwrap();
        machine.run_passes(&module, "default<O1>", false).unwrap();
        module.verify().unwrap();
        let object = machine.emit(&module, false).unwrap();
        let file = object::File::parse(&*object).unwrap();
        let called: BTreeSet<_> = file
            .symbols()
            .filter(|s| s.is_undefined())
            .map(|s| s.name().unwrap())
            .collect();
        let missing: Vec<_> = called
            .iter()
            .filter(|name| !name.is_empty() && !known.contains(*name))
            .collect();
        println!("{cpu:?}: {count} functions, {} names called: {called:?}", called.len());
        assert!(missing.is_empty(), "{cpu:?}: {missing:?}");
    }
}

/// Random operands are either an error or valid IR.
#[test]
fn wrong_operands_are_errors() {
    let context = Context::new();
    let mut types: Vec<_> = numbers(&context);
    types.extend(
        numbers(&context)
            .into_iter()
            .flat_map(|ty| [ty.vector(2), ty.vector(3), ty.vector(4)]),
    );
    types.extend([
        context.ptr(),
        context.int(1),
        context.int(128),
        context.ptr().vector(2),
        context.int(8).array(4),
    ]);
    types.extend([
        context.structure(&[context.int(32)], false),
        context.float(32).vector(1000),
    ]);
    let mut random = Random(1);
    let (mut accepted, mut refused) = (0, 0);
    for op in (0..=204).filter_map(Op::from_u32) {
        let module = Module::new(&context, "wrong");
        let function = module.add_function("wrong", context.void().function(&types));
        let builder = Builder::at_end(&context, function.append_block("entry"));
        let e = Emit {
            context: &context,
            module: &module,
            builder: &builder,
            fast_math: 0,
            fuses_halfs: false,
        };
        for _ in 0..2000 {
            // Changes one type of a valid list: that is more likely to pass a faulty check than random types.
            let usual = random.next() as usize % types.len();
            let mut pick = || match random.next() % 3 {
                0 => random.next() as usize % types.len(),
                _ => usual,
            };
            let result = pick();
            let args: Vec<_> = (0..pick() % 5).map(|_| function.param(pick() as u32)).collect();
            let literals: Vec<_> = (0..(pick() % 3).saturating_sub(1)).map(|_| pick() as u32 % 5).collect();
            let result = if random.next().is_multiple_of(8) {
                context.void()
            } else {
                types[result]
            };
            match emit(&e, op, result, &args, &literals) {
                Ok(_) => accepted += 1,
                Err(Error::Malformed { .. }) => refused += 1,
                Err(other) => panic!("{other}"),
            }
        }
        builder.ret(None);
        module.verify().unwrap_or_else(|e| panic!("{op:?}: {e}\n{module}"));
    }
    println!("{accepted} accepted, {refused} refused");
    assert!(accepted > 1000);
}

/// Constants of narrow types are truncated to their width.
#[test]
fn constants_are_cut() {
    let context = Context::new();
    let ty = context.int(16);
    assert_eq!(ty.int(u64::MAX), ty.ones());
    assert_eq!(ty.int(0x1_2345), ty.int(0x2345));
}

/// Emitted instructions have the fast-math flags.
#[test]
fn fast_math_flags() {
    let context = Context::new();
    let module = Module::new(&context, "fast");
    let float = context.float(32);
    let function = module.add_function("fast", float.function(&[float, float]));
    let builder = Builder::at_end(&context, function.append_block("entry"));
    let e = Emit {
        context: &context,
        module: &module,
        builder: &builder,
        fast_math: 0x7F,
        fuses_halfs: false,
    };
    let (x, y) = (function.param(0), function.param(1));
    let values = [
        emit(&e, Op::sin, float, &[x], &[]).unwrap(),
        emit(&e, Op::native_divide, float, &[x, y], &[]).unwrap(),
        emit(&e, Op::mad, float, &[x, y, x], &[]).unwrap(),
    ];
    builder.ret(Some(values[0]));
    module.verify().unwrap();
    for value in values {
        assert!(format!("{value:?}").contains(" fast "), "{value:?}");
    }
}
