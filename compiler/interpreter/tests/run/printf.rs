// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `printf`, against what C says.

use super::{kernel, launch, line};

fn printed(format: &str, declarations: &str, arguments: &str) -> String {
    let bytes: Vec<String> = format.bytes().chain([0]).map(|byte| format!("%byte{byte}")).collect();
    let mut seen: Vec<u8> = format.bytes().chain([0]).collect();
    seen.sort_unstable();
    seen.dedup();
    let constants: String = seen
        .iter()
        .map(|byte| format!("%byte{byte} = OpConstant %char {byte}\n"))
        .collect();
    let text = kernel(
        &format!(
            "{constants}%length = OpConstant %int {}\n%chars = OpTypeArray %char %length\n\
             %chars_pointer = OpTypePointer UniformConstant %chars\n%text_bytes = OpConstantComposite %chars {}\n\
             %text = OpVariable %chars_pointer UniformConstant %text_bytes\n\
             %char_pointer = OpTypePointer UniformConstant %char\n{declarations}",
            bytes.len(),
            bytes.join(" ")
        ),
        &format!(
            "%format = OpInBoundsAccessChain %char_pointer %text %i0\n\
             %done = OpExtInst %int %cl printf %format {arguments}\nOpReturn\nOpFunctionEnd\n"
        ),
    );
    launch(&text, line(1, 1), &mut [0], &[])
        .unwrap_or_else(|f| panic!("{f}\n{text}"))
        .printed
}

#[test]
fn as_c_does() {
    let numbers = "%a = OpConstant %int 42\n%b = OpConstant %int 0xfffffffb\n";
    assert_eq!(
        printed(
            "%d|%5d|%-5d|%05d|%+d|%u|%x|%#X|%c|%%\n",
            numbers,
            "%a %a %a %b %a %b %a %a %a"
        ),
        "42|   42|42   |-0005|+42|4294967291|2a|0X2A|*|%\n"
    );
    let floats = "%a = OpConstant %double 3.14159\n%b = OpConstant %double -0.00001234\n%c = OpConstant %double 1e20\n";
    assert_eq!(
        printed("%f|%.2f|%8.1f|%e|%g|%g|%G", floats, "%a %a %a %b %b %a %c"),
        "3.141590|3.14|     3.1|-1.234000e-05|-1.234e-05|3.14159|1E+20"
    );
    let vector = "%a = OpConstant %int 1\n%b = OpConstant %int 0xffffffff\n%v = OpConstantComposite %int2 %a %b\n";
    assert_eq!(printed("%v2hld|%v2hlx", vector, "%v %v"), "1,-1|1,ffffffff");
}
