// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What is found of a function for one type: a row of the table.

use std::fmt::Write as _;

use super::subject::Who;

/// The largest error that was met.
#[derive(Clone, Debug, Default)]
pub struct Worst {
    /// How large it is.
    pub error: f64,
    /// For which arguments, and what was given.
    pub what: String,
}

impl Worst {
    /// Takes note of an error.
    pub fn meet(&mut self, error: f64, what: impl FnOnce() -> String) {
        if error > self.error {
            *self = Self { error, what: what() };
        }
    }
}

/// A row.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// The function.
    pub name: String,
    /// The type.
    pub ty: String,
    /// What its results may be off by, in words.
    pub bound: String,
    /// And as a number.
    pub limit: f64,
    /// The widths of vectors.
    pub widths: String,
    /// How many arguments it was tried with.
    pub calls: usize,
    /// The errors of our modes, and of quick code.
    pub ours: [Worst; 3],
    /// How far these are apart.
    pub apart: Worst,
    /// How many results of quick code have other bits than those of the best code.
    pub tiers: Worst,
    /// The interpreter's error.
    pub interpreter: Worst,
    /// Intel's driver's error.
    pub driver: Worst,
    /// Why the driver has no part in it; empty if it has.
    pub absence: String,
}

/// Between fields, and within one that is a [`Worst`].
const FIELD: char = '\t';

/// What an error that was measured with finite digits may be more than its bound.
const SLACK: f64 = 1e-6;

impl Row {
    /// The worst of one of them.
    pub fn worst(&mut self, who: Who) -> &mut Worst {
        match who {
            Who::Scalar => &mut self.ours[0],
            Who::Fast => &mut self.ours[1],
            Who::Quick => &mut self.ours[2],
            Who::Interpreter => &mut self.interpreter,
            Who::Driver => &mut self.driver,
        }
    }

    /// Whether an error is within the bound.
    fn allows(&self, worst: &Worst) -> bool {
        worst.error <= self.limit + SLACK
    }

    /// What is wrong with ours.
    pub fn faults(&self) -> Vec<String> {
        let checks = [
            ("scalar mode", &self.ours[0]),
            ("fast mode", &self.ours[1]),
            ("quick code", &self.ours[2]),
            ("scalar and fast mode differ", &self.apart),
            ("interpreter", &self.interpreter),
        ];
        let wrong = checks.into_iter().filter(|(_, worst)| !self.allows(worst));
        let tiers = Some(("results that differ between the tiers", &self.tiers));
        wrong
            .chain(tiers.filter(|(_, tiers)| tiers.error > 0.0))
            .map(|(who, worst)| {
                let error = show(worst.error);
                format!(
                    "{} {}: {who}: {error}, allowed {}: {}",
                    self.name, self.ty, self.bound, worst.what
                )
            })
            .collect()
    }

    /// What is wrong with the driver's.
    pub fn driver_fault(&self) -> Option<String> {
        let (error, worst) = (show(self.driver.error), &self.driver);
        (!self.allows(worst)).then(|| {
            format!(
                "{} {}: {error}, allowed {}: {}",
                self.name, self.ty, self.bound, worst.what
            )
        })
    }

    /// As one line.
    pub fn encode(&self) -> String {
        let mut line = [self.name.as_str(), &self.ty, &self.bound, &self.widths, &self.absence].join("\t");
        let _ = write!(line, "{FIELD}{}{FIELD}{}", self.limit, self.calls);
        for worst in [
            &self.ours[0],
            &self.ours[1],
            &self.ours[2],
            &self.apart,
            &self.tiers,
            &self.interpreter,
            &self.driver,
        ] {
            let _ = write!(line, "{FIELD}{}{FIELD}{}", worst.error, worst.what);
        }
        line
    }

    /// From such a line.
    pub fn decode(line: &str) -> Option<Self> {
        let mut fields = line.split(FIELD);
        let mut text = || fields.next().map(str::to_string);
        let (name, ty, bound, widths, absence) = (text()?, text()?, text()?, text()?, text()?);
        let (limit, calls) = (text()?.parse().ok()?, text()?.parse().ok()?);
        let mut worst = || {
            Some(Worst {
                error: text()?.parse().ok()?,
                what: text()?,
            })
        };
        Some(Self {
            ours: [worst()?, worst()?, worst()?],
            apart: worst()?,
            tiers: worst()?,
            interpreter: worst()?,
            driver: worst()?,
            name,
            ty,
            bound,
            limit,
            widths,
            calls,
            absence,
        })
    }

    /// The table's head.
    pub fn head() -> String {
        format!(
            "{:<16} {:<7} {:>9} {:>9} {:>9} {:>9} {:>11} {:>10} {:>11} {:>9}  {:<10} {:>8}",
            "function",
            "type",
            "allowed",
            "scalar",
            "fast",
            "quick",
            "scalar-fast",
            "fast-quick",
            "interpreter",
            "Intel",
            "widths",
            "calls"
        )
    }
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let driver = if self.absence.is_empty() {
            show(self.driver.error)
        } else {
            "-".into()
        };
        let [scalar, fast, quick] = &self.ours;
        let all = [scalar, fast, quick, &self.apart, &self.tiers, &self.interpreter];
        let [scalar, fast, quick, apart, tiers, interpreter] = all.map(|worst| show(worst.error));
        let (name, ty, bound, widths, calls) = (&self.name, &self.ty, &self.bound, &self.widths, self.calls);
        write!(
            f,
            "{name:<16} {ty:<7} {bound:>9} {scalar:>9} {fast:>9} {quick:>9} {apart:>11} {tiers:>10} {interpreter:>11} {driver:>9}  {widths:<10} {calls:>8}"
        )?;
        if !self.faults().is_empty() {
            write!(f, "  WRONG")?;
        } else if self.driver_fault().is_some() {
            write!(f, "  Intel's is out of specification")?;
        }
        Ok(())
    }
}

/// An error in few characters.
fn show(error: f64) -> String {
    match error {
        0.0 => "0".into(),
        f64::INFINITY => "infinite".into(),
        _ if !(0.0005..1e5).contains(&error) => format!("{error:.1e}"),
        _ => format!("{error:.3}"),
    }
}
