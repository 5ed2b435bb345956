use std::collections::HashMap;
use std::iter::repeat_n;
use std::sync::Arc;

use crate::error::Error;
use crate::model::ModelSpec;
use crate::tensor::{BytesElements, Tensor, TensorError};

use super::{Batch, Groups, Padder, Step, StepError};

/// `#[group_by_values(key, …)]`: one call for each group of rows with the same values in these
/// inputs.
///
/// Values are equal if their bytes are. An optional key that all requests of the batch omit is
/// ignored. Groups are called in the order of their first rows, so earlier requests are served
/// first.
///
/// If the outputs of groups have different dims, a request with rows in several groups fails unless
/// a [`Padder`] makes them equal.
///
/// # Examples
///
/// ```
/// # use pytriton_core::decorators::{ConstantPadder, GroupByValues, Step};
/// static BY_LENGTH: &dyn Step = &GroupByValues::new(&["max_length"]);
/// static PADDED: &dyn Step = &GroupByValues::new(&["max_length"]).pad(&ConstantPadder::new(0));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct GroupByValues {
    keys: &'static [&'static str],
    padder: Option<&'static dyn Padder>,
}

impl GroupByValues {
    /// Creates the step for these inputs.
    pub const fn new(keys: &'static [&'static str]) -> Self {
        Self { keys, padder: None }
    }

    /// Pads the outputs of the groups.
    #[must_use]
    pub const fn pad(mut self, padder: &'static dyn Padder) -> Self {
        self.padder = Some(padder);
        self
    }
}

impl Step for GroupByValues {
    fn check(&self, model: &ModelSpec) -> Result<(), Error> {
        StepError::need_batch_axis(model)?;
        let mut keys = self.keys.iter();
        keys.try_for_each(|key| Ok(StepError::need_input(model, key).map(drop)?))
    }

    fn cut(&self, batch: &Batch<'_>) -> Result<Groups, Error> {
        // The group of each row, according to the keys so far.
        let mut group = vec![0; batch.rows()];
        let mut count = group.len().min(1);
        for key in self.keys {
            let Some(tensor) = batch.tensor(key)? else {
                continue;
            };
            let rows = match batch.offsets(key)? {
                Some(offsets) => ragged_row_bytes(tensor, offsets),
                None => row_bytes(tensor),
            };
            let rows = rows.map_err(|source| StepError::Input {
                model: Arc::clone(&batch.model().name),
                input: Arc::from(*key),
                source,
            })?;
            let mut known = HashMap::with_capacity(count);
            for (group, row) in group.iter_mut().zip(rows) {
                let next = known.len();
                *group = *known.entry((*group, row)).or_insert(next);
            }
            count = known.len();
        }
        if count < 2 {
            return Ok(Groups::new());
        }
        let mut groups = vec![Vec::new(); count];
        for (row, group) in group.into_iter().enumerate() {
            groups[group].push(row);
        }
        Ok(groups)
    }

    fn join_bytes(
        &self,
        model: &ModelSpec,
        groups: &[&mut [Option<Tensor>]],
    ) -> Result<usize, Error> {
        match self.padder {
            Some(padder) => padder.pad_bytes(model, groups),
            None => Ok(0),
        }
    }

    fn join(&self, model: &ModelSpec, groups: &mut [&mut [Option<Tensor>]]) -> Result<(), Error> {
        match self.padder {
            Some(padder) => padder.pad(model, groups),
            None => Ok(()),
        }
    }
}

/// Returns the bytes of each row.
fn row_bytes(tensor: &Tensor) -> Result<Vec<&[u8]>, TensorError> {
    let (data, rows) = (&tensor.data()[..], tensor.rows());
    // The other dims of an empty tensor may be huge, so their product must not be computed.
    if data.is_empty() {
        return Ok(vec![data; rows]);
    }
    let elements: usize = tensor.shape().iter().skip(1).product();
    split_bytes(tensor, repeat_n(elements, rows))
}

/// Returns the bytes of each row of a ragged input.
fn ragged_row_bytes<'t>(
    tensor: &'t Tensor,
    offsets: &[usize],
) -> Result<Vec<&'t [u8]>, TensorError> {
    split_bytes(tensor, offsets.windows(2).map(|ends| ends[1] - ends[0]))
}

/// Returns the bytes of consecutive rows with these numbers of elements.
fn split_bytes(
    tensor: &Tensor,
    lengths: impl Iterator<Item = usize>,
) -> Result<Vec<&[u8]>, TensorError> {
    let mut rest = &tensor.data()[..];
    let rows = lengths.map(|length| {
        let bytes = match tensor.datatype().size() {
            Some(size) => length * size,
            None => {
                let mut walk = BytesElements::new(rest);
                for _ in 0..length {
                    walk.next().transpose()?;
                }
                rest.len() - walk.rest().len()
            }
        };
        let (row, after) = rest.split_at(bytes);
        rest = after;
        Ok(row)
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::time::Duration;

    use crate::model::TensorSpec;
    use crate::tensor::{DataType, Element};
    use crate::testing::{IDENTITY, computing};

    use super::*;

    /// Returns the groups of a batch with these keys (one or two).
    fn groups(keys: &[Option<Tensor>]) -> Result<Groups, Error> {
        let mut spec = IDENTITY.spec().unwrap();
        let keys_of = keys.iter().zip(["a", "b"]);
        spec.inputs = keys_of
            .map(|(key, name)| TensorSpec {
                name: name.into(),
                datatype: key.as_ref().map_or(DataType::Fp32, Tensor::datatype),
                dims: vec![-1],
                optional: true,
                description: Arc::default(),
                example: Arc::default(),
            })
            .collect();
        let rows = keys.iter().flatten().map(Tensor::rows).max();
        let keys_of = keys.iter().cloned().map(|key| key.map(Into::into));
        let batch = Batch::new(&spec, rows.unwrap_or(1), keys_of.collect());
        GroupByValues::new(&["a", "b"][..keys.len()]).cut(&batch)
    }

    fn column<T: Element>(elements: Vec<T>) -> Option<Tensor> {
        Some(Tensor::from_elements(vec![elements.len(), 1], elements).unwrap())
    }

    fn words(words: &[&str]) -> Option<Tensor> {
        column(words.iter().map(|&it| it.to_owned()).collect())
    }

    #[test]
    fn rows_of_the_same_bytes_are_a_group_and_the_first_comes_first() {
        let together = Groups::new;
        let table: [(Vec<Option<Tensor>>, Groups); 9] = [
            (vec![column(vec![1, 256, 1])], vec![vec![0, 2], vec![1]]),
            (vec![column(vec![-1.0, 1.0])], vec![vec![0], vec![1]]),
            (vec![column(vec![f32::NAN; 2])], together()),
            (vec![column(vec![0.0, -0.0])], vec![vec![0], vec![1]]),
            (vec![words(&["b", "", "b"])], vec![vec![0, 2], vec![1]]),
            (
                vec![words(&["a", "a", "b"]), column(vec![1, 2, 1])],
                vec![vec![0], vec![1], vec![2]],
            ),
            // An omitted key does not distinguish rows.
            (vec![None, column(vec![1, 2])], vec![vec![0], vec![1]]),
            (vec![None], together()),
            (vec![column::<i8>(Vec::new())], together()),
        ];
        for (keys, expected) in table {
            assert_eq!(groups(&keys).unwrap(), expected, "{keys:?}");
        }
    }

    #[test]
    fn texts_with_equal_concatenations_are_different_groups() {
        let pairs = ["a", "bc", "ab", "c", "a", "bc"]
            .map(str::to_owned)
            .to_vec();
        let key = Tensor::from_elements(vec![3, 2], pairs).unwrap();
        assert_eq!(groups(&[Some(key)]).unwrap(), [vec![0, 2], vec![1]]);
        let nothing = Tensor::from_elements(vec![2, 0], Vec::<String>::new()).unwrap();
        assert_eq!(groups(&[Some(nothing)]).unwrap(), Groups::new());
    }

    #[test]
    fn key_that_is_not_an_input_is_an_error() {
        let spec = IDENTITY.spec().unwrap();
        let step = GroupByValues::new(&["INPUT_1", "z"]);
        let batch = Batch::new(&spec, 1, Cow::Owned(vec![None]));
        for error in [step.check(&spec).err(), step.cut(&batch).err()] {
            let text = error.map(|error| error.to_string());
            assert_eq!(text.as_deref(), Some("model 'Identity' has no input 'z'"));
        }
    }

    #[test]
    fn grouping_rows_takes_linear_time() {
        let took = computing(|| {
            let numbers = column((0..200_000).collect());
            let keys = [numbers.clone()];
            assert_eq!(groups(&keys).unwrap().len(), 200_000);
            let texts = (0..200_000).map(|number| format!("{number}")).collect();
            assert_eq!(
                groups(&[column::<String>(texts), numbers]).unwrap().len(),
                200_000
            );
            assert_eq!(groups(&[column(vec![7; 200_000])]).unwrap(), Groups::new());
        });
        assert!(took < Duration::from_secs(5), "{took:?}");
    }
}
