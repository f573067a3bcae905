// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Instructions of the CPU that LLVM has no operation for, for any number of lanes.

use super::Place;
use crate::llvm::{Type, Value};
use crate::target::math::{self, Instruction};
use crate::target::{Math, Vectors};

impl<'c> Place<'_, 'c> {
    /// Applies `f` to vectors of as many lanes as a register has, or half or a quarter of that where so few are
    /// there. `f` returns as many. All of `args` have the same number of lanes, and the first has the widest elements.
    fn in_registers(&self, args: &[Value<'c>], f: &dyn Fn(&[Value<'c>]) -> Value<'c>) -> Value<'c> {
        let ty = args[0].ty();
        let most = Vectors::of_host().register_bits / ty.bits();
        self.in_vectors(
            args,
            ty.lanes().unwrap_or(1).next_power_of_two().clamp(most / 4, most),
            f,
        )
    }

    /// Applies `f` to vectors of `width` lanes: to parts of longer ones, and to shorter ones with their last lane repeated.
    pub(super) fn in_vectors(
        &self,
        args: &[Value<'c>],
        width: u32,
        f: &dyn Fn(&[Value<'c>]) -> Value<'c>,
    ) -> Value<'c> {
        let b = self.e.builder;
        let shape = args[0].ty();
        let lanes = shape.lanes().unwrap_or(1);
        if lanes > width {
            let half = lanes / 2;
            let parts = [0, half].map(|start| {
                let pattern: Vec<u32> = (start..start + half).collect();
                let parts: Vec<_> = args.iter().map(|&a| b.shuffle(a, a.ty().poison(), &pattern)).collect();
                self.in_vectors(&parts, width, f)
            });
            return b.shuffle(parts[0], parts[1], &(0..lanes).collect::<Vec<_>>());
        }
        let indices: Vec<u32> = (0..width).map(|i| i.min(lanes - 1)).collect();
        let widened: Vec<_> = args
            .iter()
            .map(|&a| match shape.lanes() {
                None => b.splat(a, width),
                Some(_) if lanes == width => a,
                Some(_) => b.shuffle(a, a.ty().poison(), &indices),
            })
            .collect();
        let all = f(&widened);
        match shape.lanes() {
            None => b.extract_element(all, self.e.context.int(32).zero()),
            Some(_) if lanes == width => all,
            Some(_) => b.shuffle(all, all.ty().poison(), &(0..lanes).collect::<Vec<_>>()),
        }
    }

    /// The CPU's approximation of the reciprocal of a square root, which has 14 bits. Only where it [has that](Math).
    pub(super) fn approximate_rsqrt(&self, x: Value<'c>) -> Value<'c> {
        self.instruction(Instruction::ReciprocalRoot, &[x])
    }

    /// `x 2^n` for an integer `n`, rounded once. Only where the CPU [has that](Math).
    pub(super) fn scale(&self, x: Value<'c>, n: Value<'c>) -> Value<'c> {
        self.instruction(Instruction::Scale, &[x, n])
    }

    fn instruction(&self, instruction: Instruction, args: &[Value<'c>]) -> Value<'c> {
        let Self { e, .. } = self;
        self.in_registers(args, &|args| math::instruction(e.module, e.builder, instruction, args))
    }

    /// The columns of a table in the rows with these indices, of which only the low bits count. The table has as many rows as two
    /// registers have numbers.
    pub(super) fn look_up<const COLUMNS: usize>(
        &self,
        ty: Type<'c>,
        columns: [&[f64]; COLUMNS],
        name: &str,
        indices: Value<'c>,
    ) -> [Value<'c>; COLUMNS] {
        if ty.lanes().is_some() && Math::of_host().permutes_tables {
            return columns.map(|column| self.permute(ty, column, indices));
        }
        // A row is loaded at once: that takes less than gathers of each column.
        let Self { e, .. } = self;
        let b = e.builder;
        let element = ty.scalar();
        let width = (COLUMNS as u32).next_power_of_two();
        let row = element.vector(width);
        let rows = columns[0].len();
        let name = format!("{}table.{name}.{}", super::PREFIX, ty.bits());
        let table = e.module.global(&name).unwrap_or_else(|| {
            let rows: Vec<_> = (0..rows)
                .map(|row| {
                    let number = |column: usize| columns.get(column).map_or(0.0, |column| column[row]);
                    Value::vector(&(0..width as usize).map(|c| element.real(number(c))).collect::<Vec<_>>())
                })
                .collect();
            let ty = row.array(rows.len() as u64);
            e.module.add_global(&name, ty, Some(Value::array(row, &rows)), true)
        });
        let index = b.and(indices, indices.ty().int(rows as u64 - 1));
        let load = |index| {
            let address = b.gep(row, table, &[index], true);
            b.load(row, address).align(width * ty.bits() / 8)
        };
        let lane = |number: u32| e.context.int(32).int(number.into());
        let Some(lanes) = ty.lanes() else {
            let row = load(index);
            return std::array::from_fn(|column| b.extract_element(row, lane(column as u32)));
        };
        let loaded: Vec<_> = (0..lanes).map(|i| load(b.extract_element(index, lane(i)))).collect();
        let last = loaded[lanes as usize - 1];
        let padded = || {
            loaded
                .iter()
                .copied()
                .chain(std::iter::repeat(last))
                .take(lanes.next_power_of_two() as usize)
        };
        std::array::from_fn(|column| {
            // Pairs of rows, pairs of these, and so on.
            let mut parts: Vec<_> = padded().map(|row| b.shuffle(row, row, &[column as u32])).collect();
            while let &[first, _, ..] = &parts[..] {
                let all: Vec<u32> = (0..2 * first.ty().lanes().expect("a vector")).collect();
                parts = parts.chunks(2).map(|pair| b.shuffle(pair[0], pair[1], &all)).collect();
            }
            match parts[0] {
                column if lanes.is_power_of_two() => column,
                column => b.shuffle(column, column, &(0..lanes).collect::<Vec<_>>()),
            }
        })
    }

    /// The numbers of a table at indices, by permutations of registers.
    fn permute(&self, ty: Type<'c>, table: &[f64], indices: Value<'c>) -> Value<'c> {
        let Self { e, .. } = self;
        let numbers: Vec<_> = table.iter().map(|&number| ty.scalar().real(number)).collect();
        let (low, high) = numbers.split_at(numbers.len() / 2);
        let table = [low, high].map(Value::vector);
        self.in_vectors(&[indices], numbers.len() as u32 / 2, &|indices| {
            math::permute(e.module, e.builder, table, indices[0])
        })
    }
}
