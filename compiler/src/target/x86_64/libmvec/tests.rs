// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Measures the error of libmvec's functions, which the vectorizer may call instead of scalar functions, for the same
//! arguments.

use std::arch::x86_64::{__m128, __m128d, __m256, __m256d, __m512, __m512d};

use super::{FUNCTIONS, Isa, symbol};
use crate::builtins::tests::accuracy::arguments_and_results;
use crate::builtins::tests::reference::FORMATS;

macro_rules! callers {
    ($($name:ident: $feature:literal $vector:ty = [$number:ty; $lanes:literal];)*) => { $(
        /// Calls a function with a vector of each argument.
        ///
        /// # Safety
        /// The address must be of a function that takes one or two of these vectors, and the CPU must support it.
        #[target_feature(enable = $feature)]
        unsafe fn $name(address: *const (), x: [f64; 16], y: [f64; 16]) -> Vec<f64> {
            let [x, y] = [x, y].map(|v| std::array::from_fn::<$number, $lanes, _>(|i| v[i] as $number));
            // SAFETY: guaranteed by the caller. The ABI allows a second argument for a function that takes one.
            let result: [$number; $lanes] = unsafe {
                let f: unsafe extern "C" fn($vector, $vector) -> $vector = std::mem::transmute(address);
                std::mem::transmute(f(std::mem::transmute::<[$number; $lanes], $vector>(x), std::mem::transmute::<[$number; $lanes], $vector>(y)))
            };
            result.iter().map(|&x| f64::from(x)).collect()
        }
    )* };
}

callers! {
    sse4_f32: "sse4.2" __m128 = [f32; 4];
    sse4_f64: "sse4.2" __m128d = [f64; 2];
    avx2_f32: "avx2" __m256 = [f32; 8];
    avx2_f64: "avx2" __m256d = [f64; 4];
    avx512_f32: "avx512f" __m512 = [f32; 16];
    avx512_f64: "avx512f" __m512d = [f64; 8];
}

/// The errors do not exceed those of the table, for each vector width of this CPU.
#[test]
fn errors_of_libmvec() {
    type Caller = unsafe fn(*const (), [f64; 16], [f64; 16]) -> Vec<f64>;
    let widths: [(Isa, bool, Caller, Caller); 3] = [
        (Isa::Sse4, is_x86_feature_detected!("sse4.2"), sse4_f32, sse4_f64),
        (Isa::Avx2, is_x86_feature_detected!("avx2"), avx2_f32, avx2_f64),
        (
            Isa::Avx512,
            is_x86_feature_detected!("avx512dq"),
            avx512_f32,
            avx512_f64,
        ),
    ];
    let mut wrong = Vec::new();
    for entry in FUNCTIONS {
        let format = FORMATS.into_iter().find(|f| f.bits == entry.bits).unwrap();
        let cases = arguments_and_results(entry.op, format);
        for (isa, _, on_f32, on_f64) in widths.into_iter().filter(|w| w.1) {
            let (name, lanes) = entry.name(isa);
            let address = symbol(&name).unwrap_or_else(|| panic!("there is no {name}"));
            let call = if entry.bits == 32 { on_f32 } else { on_f64 };
            let (mut worst, mut what) = (0f64, String::new());
            for chunk in cases.chunks(lanes as usize) {
                let argument = |which| std::array::from_fn(|i| chunk.get(i).unwrap_or(&chunk[0]).0[which]);
                // SAFETY: the name encodes the type of the function, and the CPU has the feature.
                let results = unsafe { call(address.cast(), argument(0), argument(1)) };
                for ((arguments, exact), result) in chunk.iter().zip(results) {
                    let ulps = format.ulps(result, exact);
                    if ulps > worst {
                        let arguments = &arguments[..entry.params];
                        (worst, what) = (ulps, format!("{arguments:?} gives {result:e} for {:e}", exact.to_f64()));
                    }
                }
            }
            println!("{name}: {worst:.3} ulp at {what}");
            if worst > entry.ulps[isa as usize].into() {
                wrong.push(format!("{name}: {worst:.3} ulp at {what}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
