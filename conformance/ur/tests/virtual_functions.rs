// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Virtual functions, linked as DPC++'s design has it. A small runtime stands here for libsycl's, which knows one property
//! of the design's only: it chooses the images that a kernel needs for a device, and the functions of UR do the rest.

use std::collections::HashMap;

use oxur_conformance::api::*;
use oxur_conformance::client::{Arg, Kernel, Plain, Program, Range, Usm};
use oxur_conformance::{Rig, check, expect, intel, spirv, values};

/// The set that all devices are fit for, and the one that needs `double`.
const PLAIN: &str = "plain";
const PRECISE: &str = "precise";

/// An image as the compiler leaves it in a program: the code is a section of kernels/virtual_functions.cl.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Image {
    name: &'static str,
    kernel: &'static str,
    /// virtual-functions-set: the functions here are of this set.
    provides: &'static str,
    /// calls-virtual-functions-set: a kernel here calls functions of these.
    calls: &'static [&'static str],
    /// creates-virtual-functions-set: a kernel here constructs objects with functions of these.
    creates: &'static [&'static str],
    needs_fp64: bool,
    /// Has the names of an image that a device may be unfit for, so that tables can be made there.
    is_dummy: bool,
}

/// All images of the program.
const IMAGES: [Image; 7] = {
    const NONE: Image = Image {
        name: "",
        kernel: "",
        provides: "",
        calls: &[],
        creates: &[],
        needs_fp64: false,
        is_dummy: false,
    };
    const fn functions(name: &'static str, set: &'static str) -> Image {
        Image {
            name,
            provides: set,
            ..NONE
        }
    }
    [
        Image {
            name: "construct",
            kernel: "construct",
            creates: &[PLAIN, PRECISE],
            ..NONE
        },
        Image {
            name: "call",
            kernel: "call",
            calls: &[PLAIN],
            ..NONE
        },
        Image {
            name: "call_precise",
            kernel: "call_precise",
            calls: &[PRECISE],
            needs_fp64: true,
            ..NONE
        },
        functions("squares", PLAIN),
        functions("discs", PLAIN),
        Image {
            needs_fp64: true,
            ..functions("precise", PRECISE)
        },
        Image {
            is_dummy: true,
            ..functions("precise_dummy", PRECISE)
        },
    ]
};

/// The images that a kernel needs on a device, or none if the device cannot run it.
///
/// All images that use a set of its are linked with it, since their kernels see the same objects. Of the set itself come
/// the images that the device is fit for; the dummies stand in for the others where a kernel makes tables of them.
fn choose(kernel: &str, fp64: bool) -> Option<Vec<Image>> {
    let fit = |image: &Image| fp64 || !image.needs_fp64;
    let first = IMAGES.into_iter().find(|image| image.kernel == kernel).filter(fit)?;
    let mut chosen = vec![first];
    let mut next = 0;
    while let Some(&user) = chosen.get(next) {
        next += 1;
        for set in user.calls.iter().chain(user.creates) {
            let uses = |image: &Image| image.calls.contains(set) || image.creates.contains(set);
            let created = IMAGES.iter().any(|image| image.creates.contains(set) && fit(image));
            let provides = |image: &Image| match image.is_dummy {
                true => created && !fp64,
                false => fit(image),
            };
            let wanted = |image: &Image| (image.provides == *set && provides(image)) || (uses(image) && fit(image));
            for image in IMAGES.into_iter().filter(wanted) {
                if !chosen.contains(&image) {
                    chosen.push(image);
                }
            }
        }
    }
    Some(chosen)
}

/// Links images.
fn link(rig: &Rig, images: &[&str]) -> Result<Program, (ResultCode, String)> {
    let parts: Vec<Program> = images
        .iter()
        .map(|image| rig.part(&format!("virtual_functions.{image}")))
        .collect();
    rig.link(&parts.iter().collect::<Vec<_>>(), c"")
}

/// Asserts that a link fails, with a log that names what is wrong.
#[track_caller]
fn assert_refused(linked: Result<Program, (ResultCode, String)>, name: &str) {
    let (code, log) = linked.expect_err("these do not fit together");
    assert_eq!(code, ResultCode::ERROR_PROGRAM_LINK_FAILURE, "{log}");
    if intel("a failed link leaves no program that could have a log") {
        return;
    }
    assert!(log.contains(name), "the log names {name}: {log}");
}

/// What the runtime makes of kernels: programs by the images in them.
struct Runtime<'a> {
    rig: &'a Rig,
    fp64: bool,
    programs: HashMap<Vec<&'static str>, Program>,
}

impl<'a> Runtime<'a> {
    fn new(rig: &'a Rig, fp64: bool) -> Self {
        Self {
            rig,
            fp64,
            programs: HashMap::new(),
        }
    }

    fn kernel(&mut self, name: &str) -> Option<Kernel> {
        let mut images: Vec<_> = choose(name, self.fp64)?.iter().map(|image| image.name).collect();
        images.sort_unstable();
        let rig = self.rig;
        let make = || link(rig, &images).expect("the images that were chosen fit together");
        let program = self.programs.entry(images.clone()).or_insert_with(make);
        Some(Kernel::new(program, name).expect("urKernelCreate"))
    }
}

/// Whether the device says that it has `double`.
fn has_fp64(rig: &Rig) -> bool {
    let config: DeviceFpCapabilityFlags = rig.device.info(DeviceInfo::DOUBLE_FP_CONFIG).expect("flags");
    let extensions: String = rig.device.info(DeviceInfo::EXTENSIONS).expect("the extensions");
    let listed = extensions.split(' ').any(|name| name == "cl_khr_fp64");
    assert_eq!(listed, !config.is_empty(), "the device says one thing in two places");
    listed
}

const COUNT: usize = 99;

/// The objects that `construct` makes, and the areas and corners that `call` finds.
fn shapes(rig: &Rig, runtime: &mut Runtime) -> (Usm, Vec<i32>, Vec<i32>) {
    let [areas, corners] = [(); 2].map(|()| rig.shared(&[0i32; COUNT]));
    let shapes = rig.shared(&[0u64; 2 * COUNT]);
    let pointer = |usm: &Usm| Arg::Pointer(usm.ptr());
    let construct = runtime.kernel("construct").expect("every device can construct");
    rig.run(&construct, &Range::new([COUNT]), &[pointer(&shapes)]);
    let call = runtime.kernel("call").expect("every device can call the plain ones");
    rig.run(
        &call,
        &Range::new([COUNT]),
        &[pointer(&shapes), pointer(&areas), pointer(&corners)],
    );
    let (areas, corners) = (values(&areas).to_vec(), values(&corners).to_vec());
    (shapes, areas, corners)
}

/// Compares each third value, from `from` on.
fn thirds<T: Plain + PartialEq + std::fmt::Debug>(values: &[T], from: usize, expected: impl Fn(usize) -> T) {
    for i in (from..COUNT).step_by(3) {
        assert_eq!(values[i], expected(i), "of object {i}");
    }
}

fn area(size: usize) -> i32 {
    ((size as f64).sqrt() * 1000.0) as i32
}

fn names(images: Option<Vec<Image>>) -> Vec<&'static str> {
    let mut names: Vec<_> = images.iter().flatten().map(|image| image.name).collect();
    names.sort_unstable();
    names
}

#[test]
fn the_images_that_are_chosen() {
    let fit = ["call", "call_precise", "construct", "discs", "precise", "squares"];
    let unfit = ["call", "construct", "discs", "precise_dummy", "squares"];
    for kernel in ["construct", "call", "call_precise"] {
        assert_eq!(names(choose(kernel, true)), fit, "{kernel}");
    }
    for kernel in ["construct", "call"] {
        assert_eq!(names(choose(kernel, false)), unfit, "{kernel}");
    }
    assert!(choose("call_precise", false).is_none(), "its device must have double");
}

#[test]
fn every_image_of_the_sets() {
    let rig = Rig::new();
    if !has_fp64(&rig) {
        return println!("this device has no double");
    }
    let mut runtime = Runtime::new(&rig, true);
    let (shapes, areas, corners) = shapes(&rig, &mut runtime);
    assert_eq!(runtime.programs.len(), 1, "kernels that share objects share a program");
    thirds(&areas, 0, |i| (i * i) as i32);
    thirds(&corners, 0, |_| 4);
    thirds(&areas, 1, |i| (3 * i * i) as i32);
    thirds(&corners, 1, |_| 0);
    thirds(&areas, 2, area);
    thirds(&corners, 2, |_| 1);
    let precise = rig.shared(&[0f64; COUNT]);
    let kernel = runtime.kernel("call_precise").expect("the device is fit");
    rig.run(
        &kernel,
        &Range::new([COUNT]),
        &[Arg::Pointer(shapes.ptr()), Arg::Pointer(precise.ptr())],
    );
    thirds(values(&precise), 2, |i| f64::from(area(i)) / 1000.0);
}

#[test]
fn a_set_that_the_device_is_not_fit_for() {
    let rig = Rig::new();
    // The runtime takes the device for one that has no double, which may be true.
    let mut runtime = Runtime::new(&rig, false);
    let (_, areas, corners) = shapes(&rig, &mut runtime);
    thirds(&areas, 0, |i| (i * i) as i32);
    thirds(&areas, 1, |i| (3 * i * i) as i32);
    thirds(&corners, 0, |_| 4);
    // Programs do not call these; that they can be shows which image was linked.
    thirds(&areas, 2, |_| -1);
    thirds(&corners, 2, |_| -2);
    assert!(runtime.kernel("call_precise").is_none(), "the device cannot run it");
}

#[test]
fn an_image_and_its_dummy() {
    let all = ["construct", "squares", "discs", "precise", "precise_dummy"];
    assert_refused(link(&Rig::new(), &all), "precise_");
}

#[test]
fn a_set_without_an_image() {
    assert_refused(link(&Rig::new(), &["construct", "squares", "discs"]), "precise_");
}

/// What is otherwise on a device that says that it has no `double`; such a device is made in cpu.rs.
pub fn on_a_device_without_double() {
    let rig = Rig::new();
    assert!(!has_fp64(&rig));
    a_set_that_the_device_is_not_fit_for();
    let part = Program::with_il(&rig.context, &spirv("virtual_functions.precise")).expect("urProgramCreateWithIL");
    expect!(check(part.compile(&rig.context, "")), ERROR_PROGRAM_BUILD_FAILURE);
    let log: String = part.build_info(&rig.device, ProgramBuildInfo::LOG).expect("the log");
    assert!(log.contains("Float64"), "the log names what is missing: {log}");
}

#[test]
fn pointers_in_tables_and_of_the_host() {
    let rig = Rig::new();
    let program = Program::with_il(&rig.context, &spirv("virtual_functions.pointers")).expect("urProgramCreateWithIL");
    program.build(&rig.context, "").expect("urProgramBuild");
    let data = rig.shared(&[10i32, 20, 30]);
    let by_index = Kernel::new(&program, "by_index").expect("urKernelCreate");
    for which in [0i32, 1, 0] {
        rig.run(
            &by_index,
            &Range::new([3]),
            &[Arg::Pointer(data.ptr()), Arg::value(&which)],
        );
    }
    assert_eq!(values::<i32>(&data), [-2, -5, -7]);
    let by_address = Kernel::new(&program, "by_address").expect("urKernelCreate");
    let address = match program.function_pointer(&rig.device, "negated") {
        Ok(address) => address as u64,
        Err(error) => {
            // A driver that gives no address does not say whether it knows the function.
            let codes = [
                ResultCode::ERROR_FUNCTION_ADDRESS_NOT_AVAILABLE,
                ResultCode::ERROR_INVALID_KERNEL_NAME,
                ResultCode::ERROR_UNSUPPORTED_FEATURE,
            ];
            assert!(codes.iter().any(|code| error == *code), "{error}");
            return println!("the device gives no addresses of functions but kernels: {error}");
        }
    };
    rig.run(
        &by_address,
        &Range::new([3]),
        &[Arg::Pointer(data.ptr()), Arg::value(&address)],
    );
    assert_eq!(values::<i32>(&data), [2, 5, 7]);
}
