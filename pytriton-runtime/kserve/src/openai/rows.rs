use std::ops::Range;
use std::sync::Arc;

use pytriton_core::memory_budget::{MemoryBudgetError, MemoryPermit};
use pytriton_core::model::{ModelSpec, Surface};
use pytriton_core::registry::Member;
use pytriton_core::tracked_bytes::TrackedBytes;
use serde_json::value::RawValue;

use crate::json::JsonWriter;

use super::member_value::{check, invalid};
use super::request::{REQUEST_BYTES, missing, parameter, reserve_small};
use super::{OpenAiError, OpenAiRequest};

/// The quotes, brackets and punctuation around the values of an input and its name.
const PUNCTUATION: usize = 8;

/// The maximum size of the values that are repeated for each row or each batch. A small request with
/// many rows would otherwise become as large as a request may be.
pub(super) const MAX_REPEATED_BYTES: usize = 16 << 20;

/// The values of an input, as JSON: one for each row, or the same one for all of them.
#[derive(Debug)]
pub(super) enum Column<'a> {
    Each(Vec<&'a RawValue>),
    Same(&'a RawValue),
}

/// The inputs of a model for a number of rows.
#[derive(Debug)]
struct Rows<'s, 'a> {
    spec: &'s ModelSpec,
    /// The index, the name and the values of each input.
    inputs: Vec<(usize, &'s Arc<str>, Column<'a>)>,
    count: usize,
}

/// The requests of the generate extension for a number of rows, before they are written.
#[derive(Debug)]
pub(super) struct RowRequests<'s, 'a> {
    rows: Rows<'s, 'a>,
    /// The members that all requests have in common.
    shared: TrackedBytes,
    batches: Vec<Range<usize>>,
    /// The total size of the requests.
    pub(super) bytes: usize,
}

impl<'a> OpenAiRequest<'a> {
    /// Returns the requests of the generate extension for `count` rows, each with as many of them as
    /// a batch may have.
    ///
    /// `columns` contains the values of the first inputs. The values of the others are the members
    /// of their names, for all rows.
    ///
    /// # Errors
    ///
    /// Returns an [`OpenAiError`] if a member is missing or invalid, or if the requests are larger
    /// than `most` bytes in total, or too large for the size of this one.
    pub(super) fn into_requests<'s>(
        mut self,
        spec: &'s ModelSpec,
        surface: Surface,
        (columns, count): (Vec<Column<'a>>, usize),
        most: usize,
        permit: &mut MemoryPermit,
    ) -> Result<RowRequests<'s, 'a>, OpenAiError> {
        let mut inputs = Vec::with_capacity(spec.inputs.len());
        let mut columns = columns.into_iter();
        for (index, input) in spec.inputs.iter().enumerate() {
            let member = self.members.remove(&input.name);
            let column = match (columns.next(), member) {
                (Some(column), _) => column,
                (None, Some(value)) => {
                    check(input, value, surface)?;
                    Column::Same(value)
                }
                (None, None) if input.optional => continue,
                (None, None) => return Err(missing(&input.name)),
            };
            inputs.push((index, &input.name, column));
        }
        let rows = Rows {
            spec,
            inputs,
            count,
        };
        let mut shared = JsonWriter::reserving(permit.sibling(), 0);
        shared.begin(b'{');
        for (name, value) in self.members.into_sorted(permit)? {
            if spec.takes_parameters && !Member::is_own_of_rows(&name) {
                parameter(shared.key(&name), value);
            }
        }
        let shared = shared.finish_reserved()?;
        permit.grow(count * size_of::<Range<usize>>())?;
        let batches = rows.batches();
        let sizes = batches.iter().map(|batch| shared.len() + rows.size(batch));
        let bytes = sizes.fold(0, usize::saturating_add);
        let most = most.min(self.bytes.saturating_add(MAX_REPEATED_BYTES));
        if bytes > most {
            let what = format!("together, its requests are larger than {most} bytes");
            return Err(invalid(surface.subject(), what));
        }
        Ok(RowRequests {
            rows,
            shared,
            batches,
            bytes,
        })
    }
}

impl RowRequests<'_, '_> {
    /// Writes the requests.
    ///
    /// # Errors
    ///
    /// Returns [`MemoryBudgetError`] if their memory cannot be reserved.
    pub(super) fn bodies(
        &self,
        permit: &mut MemoryPermit,
    ) -> Result<Vec<TrackedBytes>, MemoryBudgetError> {
        let (rows, shared) = (&self.rows, &self.shared);
        let batches = self.batches.iter();
        let sizes = batches.map(|batch| shared.len() + rows.size(batch));
        permit.grow(self.batches.len() * REQUEST_BYTES)?;
        reserve_small(sizes.clone(), permit)?;
        let bodies = self.batches.iter().zip(sizes).map(|(batch, size)| {
            let mut body = JsonWriter::reserving(permit.sibling(), size);
            body.written(shared);
            rows.write(&mut body, batch);
            body.end(b'}');
            body.finish_reserved()
        });
        bodies.collect()
    }
}

impl Rows<'_, '_> {
    /// Divides the rows into batches. Each has at most as many rows as a call of the function, and
    /// costs at most as much, unless a single row costs more.
    fn batches(&self) -> Vec<Range<usize>> {
        let most = usize::try_from(self.spec.max_batch_size).unwrap_or(usize::MAX);
        let limit = self.spec.call_options.cost_limit();
        let mut batches = Vec::with_capacity(self.count);
        let (mut start, mut cost) = (0, 0_u64);
        for row in 0..self.count {
            let added = self.cost(row);
            if row > start && (row - start >= most || cost.saturating_add(added) > limit) {
                batches.push(start..row);
                (start, cost) = (row, 0);
            }
            cost = cost.saturating_add(added);
        }
        batches.push(start..self.count);
        batches
    }

    /// Returns the maximum cost of a row. Escapes make a text shorter.
    fn cost(&self, row: usize) -> u64 {
        let mut inputs = self.inputs.iter();
        let input = inputs.find(|(index, ..)| self.spec.cost_input == Some(*index));
        input.map_or(0, |(_, _, column)| match column.row(row).get() {
            text if text.starts_with('"') => text.len() as u64 - 2,
            _ => 1,
        })
    }

    fn size(&self, batch: &Range<usize>) -> usize {
        let inputs = self.inputs.iter().map(|(_, name, column)| {
            let values = batch.clone().map(|row| column.row(row).get().len() + 1);
            name.len() + PUNCTUATION + values.sum::<usize>()
        });
        inputs.sum()
    }

    fn write(&self, json: &mut JsonWriter, batch: &Range<usize>) {
        for (_, name, column) in &self.inputs {
            json.key(name).array(batch.clone(), |json, row| {
                json.written(column.row(row).get().as_bytes());
            });
        }
    }
}

impl<'a> Column<'a> {
    fn row(&self, row: usize) -> &'a RawValue {
        match self {
            Self::Each(values) => values[row],
            Self::Same(value) => value,
        }
    }
}
