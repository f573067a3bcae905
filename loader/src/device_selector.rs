// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `ONEAPI_DEVICE_SELECTOR`: selects the devices that the program sees.
//!
//! ```text
//! selector = term { ";" term }            opencl:cpu;level_zero:0,1
//! term     = [ "!" ] backend ":" device { "," device }
//! backend  = "*" | "opencl" | "level_zero" | "cuda" | "hip" | "native_cpu" | "offload"
//! device   = kind | place                 kind: "cpu" | "gpu" | "fpga" | "mca" | "npu" | "vpu"
//! place    = root [ "." part [ "." part ] ]   each "*" or a number; after a "*" only "*"
//! ```
//!
//! Terms without `!` accept devices; without such terms, all devices are accepted. Terms with `!` discard devices,
//! regardless of the order of the terms. Case does not matter. Numbers count the devices of a platform.

use oxur_api::{Backend, DeviceType};

use crate::environment;

/// The position of a device: its index in the platform, its sub-device's, and the sub-device's sub-device's.
pub(crate) type Place = Vec<u32>;

/// A parsed selector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Selector {
    accepting: Vec<Term>,
    discarding: Vec<Term>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    /// `None` for all.
    backend: Option<Backend>,
    devices: Vec<Pattern>,
}

/// The devices that a term matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Pattern {
    Kind(DeviceType),
    /// One element for each level, `None` for every number.
    Place(Vec<Option<u32>>),
}

/// An error in a selector, as a message for the user.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("ONEAPI_DEVICE_SELECTOR: {problem}. The form is `backend:device`, as in `opencl:cpu` or `*:gpu;!level_zero:0`")]
pub(crate) struct Malformed {
    problem: Problem,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum Problem {
    #[error("`{0}` is no term")]
    Term(String),
    #[error("there is no backend `{0}`: there are opencl, level_zero, cuda, hip, native_cpu, offload and *")]
    Backend(String),
    #[error("there is no device `{0}`: a device is cpu, gpu, fpga, mca, npu, vpu, * or a number")]
    Device(String),
    #[error("`{0}` has more than three levels")]
    Levels(String),
    #[error("`{0}` has a number after a `*`")]
    Wildcard(String),
}

impl Selector {
    /// The selector in the environment; one that selects everything if there is none.
    pub(crate) fn from_environment() -> Result<Self, Malformed> {
        Self::parse(
            environment::text(environment::DEVICE_SELECTOR)
                .as_deref()
                .unwrap_or("*:*"),
        )
    }

    fn parse(text: &str) -> Result<Self, Malformed> {
        let mut selector = Self {
            accepting: Vec::new(),
            discarding: Vec::new(),
        };
        let text = text.to_ascii_lowercase();
        // The list may end with a semicolon.
        for term in text.strip_suffix(';').unwrap_or(&text).split(';') {
            let (terms, rest) = match term.strip_prefix('!') {
                Some(rest) => (&mut selector.discarding, rest),
                None => (&mut selector.accepting, term),
            };
            terms.push(Term::parse(rest).map_err(|problem| Malformed { problem })?);
        }
        if selector.accepting.is_empty() {
            selector.accepting.push(Term {
                backend: None,
                devices: vec![Pattern::Place(vec![None])],
            });
        }
        Ok(selector)
    }

    /// Whether any device of a backend can be selected.
    pub(crate) fn wants_backend(&self, backend: Backend) -> bool {
        let everything = |term: &Term| term.concerns(backend) && term.devices.contains(&Pattern::Place(vec![None]));
        self.accepting.iter().any(|term| term.concerns(backend)) && !self.discarding.iter().any(everything)
    }

    /// The terms that accept devices of a backend, in order.
    pub(crate) fn accepted(&self, backend: Backend) -> impl Iterator<Item = &Pattern> {
        self.accepting
            .iter()
            .filter(move |term| term.concerns(backend))
            .flat_map(|term| &term.devices)
    }

    /// Whether a device is discarded.
    pub(crate) fn discards(&self, backend: Backend, kind: DeviceType, place: &[u32]) -> bool {
        let mut terms = self.discarding.iter().filter(|term| term.concerns(backend));
        terms.any(|term| term.devices.iter().any(|pattern| pattern.matches(kind, place)))
    }
}

impl Term {
    fn parse(text: &str) -> Result<Self, Problem> {
        let bad = || Problem::Term(text.to_owned());
        let (backend, devices) = text.split_once(':').ok_or_else(bad)?;
        if backend.is_empty() || devices.is_empty() || devices.contains(':') {
            return Err(bad());
        }
        Ok(Self {
            backend: parse_backend(backend)?,
            devices: devices.split(',').map(Pattern::parse).collect::<Result<_, _>>()?,
        })
    }

    fn concerns(&self, backend: Backend) -> bool {
        self.backend.is_none_or(|own| own == backend)
    }
}

fn parse_backend(name: &str) -> Result<Option<Backend>, Problem> {
    Ok(Some(match name {
        "*" => return Ok(None),
        "opencl" => Backend::OPENCL,
        "level_zero" => Backend::LEVEL_ZERO,
        "cuda" => Backend::CUDA,
        "hip" => Backend::HIP,
        "native_cpu" => Backend::NATIVE_CPU,
        "offload" => Backend::OFFLOAD,
        _ => return Err(Problem::Backend(name.to_owned())),
    }))
}

impl Pattern {
    fn parse(text: &str) -> Result<Self, Problem> {
        Ok(Self::Kind(match text {
            "cpu" => DeviceType::CPU,
            "gpu" => DeviceType::GPU,
            "fpga" => DeviceType::FPGA,
            "mca" => DeviceType::MCA,
            "vpu" | "npu" => DeviceType::VPU,
            _ => return Self::parse_place(text),
        }))
    }

    fn parse_place(text: &str) -> Result<Self, Problem> {
        let level = |part: &str| match part {
            "*" => Ok(None),
            // `parse` would also accept a sign.
            _ if part.bytes().all(|byte| byte.is_ascii_digit()) => part.parse().map(Some),
            _ => "".parse().map(Some),
        };
        let levels: Vec<_> = text
            .split('.')
            .map(level)
            .collect::<Result<_, _>>()
            .map_err(|_| Problem::Device(text.to_owned()))?;
        if levels.len() > 3 {
            return Err(Problem::Levels(text.to_owned()));
        }
        if levels.is_sorted_by_key(|level| level.is_none()) {
            return Ok(Self::Place(levels));
        }
        Err(Problem::Wildcard(text.to_owned()))
    }

    /// The level of the devices that this selects; roots are at level 1.
    pub(crate) fn depth(&self) -> usize {
        match self {
            Self::Kind(_) => 1,
            Self::Place(levels) => levels.len(),
        }
    }

    /// Whether this selects the device.
    pub(crate) fn matches(&self, kind: DeviceType, place: &[u32]) -> bool {
        match self {
            Self::Kind(own) => place.len() == 1 && *own == kind,
            Self::Place(levels) => levels.len() == place.len() && self.leads_to(place),
        }
    }

    /// Whether this selects the device, or sub-devices of it.
    pub(crate) fn leads_to(&self, place: &[u32]) -> bool {
        match self {
            Self::Kind(_) => place.len() == 1,
            Self::Place(levels) => levels
                .iter()
                .zip(place)
                .all(|(level, at)| level.is_none_or(|level| level == *at)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CPU: DeviceType = DeviceType::CPU;
    const GPU: DeviceType = DeviceType::GPU;

    fn selects(selector: &str, backend: Backend, kind: DeviceType, place: &[u32]) -> bool {
        let selector = Selector::parse(selector).unwrap();
        selector.accepted(backend).any(|pattern| pattern.matches(kind, place))
            && !selector.discards(backend, kind, place)
    }

    #[test]
    fn devices() {
        for (selector, cpu0, cpu1, gpu0) in [
            ("*:*", true, true, true),
            ("opencl:*", true, true, true),
            ("OpenCL:CPU", true, true, false),
            ("opencl:gpu,0", true, false, true),
            ("opencl:1", false, true, false),
            ("level_zero:*", false, false, false),
            ("!opencl:cpu", false, false, true),
            ("!level_zero:*", true, true, true),
            ("!opencl:1;opencl:*", true, false, true),
            ("opencl:0;opencl:1;", true, true, true),
            ("opencl:0.1", false, false, false),
        ] {
            let cases = [(CPU, 0, cpu0), (CPU, 1, cpu1), (GPU, 0, gpu0)];
            for (kind, place, wanted) in cases {
                // Index 0 is a CPU in one platform and a GPU in another.
                if kind == GPU && wanted != selects(selector, Backend::OPENCL, kind, &[place]) {
                    assert!(selector.contains('0'), "{selector} {kind:?}");
                    continue;
                }
                assert_eq!(
                    selects(selector, Backend::OPENCL, kind, &[place]),
                    wanted,
                    "{selector} {kind:?} {place}"
                );
            }
        }
    }

    #[test]
    fn parts() {
        for (selector, place, wanted) in [
            ("*:0.1", &[0, 1][..], true),
            ("*:0.1", &[0, 0], false),
            ("*:0.*", &[0, 7], true),
            ("*:*.*", &[3, 7], true),
            ("*:*.*", &[3], false),
            ("*:1.2.3", &[1, 2, 3], true),
            ("*:1.2.*", &[1, 2, 9], true),
            ("*:*.*;!*:0.1", &[0, 1], false),
            ("*:*.*;!*:0.1", &[0, 0], true),
        ] {
            assert_eq!(
                selects(selector, Backend::CUDA, GPU, place),
                wanted,
                "{selector} {place:?}"
            );
        }
        let deep = Pattern::parse("1.2.3").unwrap();
        assert_eq!(deep.depth(), 3);
        assert!(deep.leads_to(&[1]) && deep.leads_to(&[1, 2]) && !deep.leads_to(&[1, 1]));
    }

    #[test]
    fn backends() {
        for (selector, opencl, cuda) in [
            ("*:gpu", true, true),
            ("opencl:gpu", true, false),
            ("!opencl:*", false, true),
            ("!opencl:0", true, true),
            ("*:gpu;!opencl:*", false, true),
        ] {
            let selector = Selector::parse(selector).unwrap();
            assert_eq!(selector.wants_backend(Backend::OPENCL), opencl, "{selector:?}");
            assert_eq!(selector.wants_backend(Backend::CUDA), cuda, "{selector:?}");
        }
    }

    #[test]
    fn malformed_selectors() {
        for (selector, part) in [
            ("opencl", "`opencl` is no term"),
            ("*", "`*` is no term"),
            (";", "`` is no term"),
            (":gpu", "`:gpu` is no term"),
            ("opencl:", "`opencl:` is no term"),
            ("opencl:cpu:0", "`opencl:cpu:0` is no term"),
            ("cuda:*,opencl:*", "is no term"),
            ("foo:gpu", "no backend `foo`"),
            (" opencl:gpu", "no backend ` opencl`"),
            ("opencl:foo", "no device `foo`"),
            ("opencl:0a", "no device `0a`"),
            ("opencl:-1", "no device `-1`"),
            ("opencl:+1", "no device `+1`"),
            ("opencl:cpu,", "no device ``"),
            ("opencl:cpu.0", "no device `cpu.0`"),
            ("opencl:0.0.0.0", "more than three levels"),
            ("opencl:*.0", "a number after"),
        ] {
            let problem = Selector::parse(selector).unwrap_err().to_string();
            assert!(problem.contains(part), "{selector}: {problem}");
        }
    }
}
