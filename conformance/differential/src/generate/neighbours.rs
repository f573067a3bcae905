// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Several elements beside each other by one index, a few from item to item: as of pixels and points. Indices have 32 or 64 bits, and
//! may be below zero, or wrapped, for items that must not use them.

use super::Generator;
use super::types::Ty;
use crate::data::{Buffer, INPUTS, SHIFTED};

/// Buffers of inputs, and their types.
const BUFFERS: [(&str, &str); 4] = [("vi", "int"), ("vc", "char"), ("vl", "long"), ("vs", "short")];

impl Generator {
    /// The number of the item in a dimension, from 0: as SYCL's kernels and as CUDA's compute it.
    pub(super) fn id_of_dimension(&mut self, dimension: usize, ty: &str) -> String {
        match self.more.below(4) {
            0 | 1 => format!("get_global_id({dimension}) - get_global_offset({dimension})"),
            2 => format!("get_group_id({dimension}) * get_local_size({dimension}) + get_local_id({dimension})"),
            _ => format!(
                "({ty})get_local_size({dimension}) * ({ty})get_group_id({dimension}) + ({ty})get_local_id({dimension})"
            ),
        }
    }

    /// A statement about elements beside each other.
    pub(super) fn neighbours(&mut self) {
        match self.more.below(4) {
            0 => self.neighbours_written(),
            1 => self.results_written(),
            2 => self.shifted_neighbours_read(),
            _ => self.neighbours_read(),
        }
    }

    /// Which of a few elements are accessed, at least one.
    fn some_of(&mut self, count: usize) -> Vec<usize> {
        let always = self.more.below(count);
        let is_in = |place: &usize| *place == always || self.more.chance(70);
        (0..count).filter(is_in).collect()
    }

    /// Reads by an index that is a multiple of the item's number, and a constant more or less.
    fn neighbours_read(&mut self) {
        let index = self.name("b");
        let ty = self.more.pick(&["int", "int", "uint", "uint", "long", "ulong"]);
        let step: isize = self.more.pick(&[1, 2, 3, 3, 4, 5, 6, 7, 8, -1, -2, -3]);
        let constant = self.more.pick(&[0, 1, 2, 5, 17, 40, 300, -1, -3, -8, -50, -1000]);
        let (buffer, element) = self.more.pick(&BUFFERS);
        let product = self
            .more
            .pick(&["(TY)g * (TY)STEP + (TY)CONSTANT", "(TY)(g * STEP + CONSTANT)"]);
        let value = product
            .replace("TY", ty)
            .replace("STEP", &step.to_string())
            .replace("CONSTANT", &constant.to_string());
        self.line(format!("const {ty} {index} = {value};"));
        let guard = match ty.starts_with('u') {
            true => format!("{index} < {}", INPUTS - 8),
            false => format!("{index} >= 0 && {index} < {}", INPUTS - 8),
        };
        let places = self.some_of(8.min(step.unsigned_abs().max(2)));
        self.fold_neighbours(&guard, (buffer, element), &index, &places);
    }

    /// Reads by an index that may be out of bounds.
    fn shifted_neighbours_read(&mut self) {
        let index = self.shifted[self.more.below(self.shifted.len())].clone();
        let guard = index.guard(INPUTS - 40, &mut self.more);
        let of_buffer = self.more.pick(&BUFFERS);
        let places = self.some_of(4);
        self.fold_neighbours(&guard, of_buffer, &index.name, &places);
    }

    fn fold_neighbours(&mut self, guard: &str, (buffer, element): (&str, &str), index: &str, places: &[usize]) {
        self.open(format!("if ({guard}) {{"));
        for place in places {
            let number = match place {
                0 => format!("{buffer}[{index}]"),
                _ => format!("{buffer}[{index} + {place}]"),
            };
            self.line(format!("fold = fold * 3 + hash_{element}({number});"));
        }
        self.close();
    }

    /// Writes an element and those behind it that are no other item's.
    fn neighbours_written(&mut self) {
        let index = self.shifted[self.more.below(self.shifted.len())].clone();
        let guard = index.guard(SHIFTED - 3, &mut self.more);
        let wide = index.element.wrapping().name();
        let places = self.some_of(index.step.min(3));
        let values: Vec<_> = places
            .iter()
            .map(|_| self.expression(Ty::of(index.element), 1))
            .collect();
        let adds = self.more.chance(50);
        self.open(format!("if ({guard}) {{"));
        for (place, value) in places.iter().zip(values) {
            let place = format!("{}[{} + {place}]", index.buffer, index.name);
            self.line(match adds {
                true => format!("{place} = ({wide}){place} + ({wide})({value});"),
                false => format!("{place} = {value};"),
            });
        }
        self.close();
    }

    /// Writes several of the item's results, if they lie side by side.
    fn results_written(&mut self) {
        let buffers = [("oc", Ty::INT), ("os", Ty::INT), ("oi", Ty::INT), ("ol", Ty::INT)];
        let (buffer, ty) = self.more.pick(&buffers);
        let all = Buffer::ALL.iter().enumerate();
        let (number, found) = all
            .into_iter()
            .find(|(_, b)| b.name == buffer)
            .expect("it is one of them");
        if self.strided >> number & 1 == 0 {
            return self.neighbours_read();
        }
        let (index, slots) = (self.name("b"), found.slots());
        let index_ty = self.more.pick(&["int", "uint", "uint", "long", "size_t"]);
        self.line(format!(
            "const {index_ty} {index} = ({index_ty})g * ({index_ty}){slots};"
        ));
        for place in self.some_of(slots) {
            let value = self.expression(ty, 1);
            self.line(format!("{buffer}[{index} + {place}] = {value};"));
        }
    }
}
