use pytriton_core::memory_budget::MemoryPermit;
use pytriton_core::model::{ModelSpec, TensorSpec};
use pytriton_core::request::InferInput;
use pytriton_core::text::excerpt;

use crate::error::CodecError;
use crate::error::GenerateError;
use crate::json::length;
use crate::rest::data::JsonData;

/// Decodes an input: a single element, or an array whose length determines the shape.
pub(super) fn decode_input(
    model: &ModelSpec,
    input: &TensorSpec,
    text: &str,
    max_depth: usize,
    permit: &mut MemoryPermit,
) -> Result<InferInput, CodecError> {
    let count = length(text).unwrap_or(1);
    let shape = shape(model.client_dims(input), count).ok_or_else(|| GenerateError::Shape {
        input: excerpt(&*input.name),
    })?;
    let data = JsonData {
        input: &input.name,
        datatype: input.datatype,
        shape: &shape,
        text,
        max_depth,
    };
    Ok(InferInput {
        name: input.name.as_ref().to_owned(),
        datatype: input.datatype,
        data: data.decode(permit)?,
        shape,
    })
}

/// Returns dims for a number of elements. The last variable dim takes what the fixed ones leave,
/// and others are 1.
fn shape(mut dims: Vec<i64>, count: usize) -> Option<Vec<i64>> {
    let mut left = i64::try_from(count).ok()?;
    for dim in dims.iter().rev().filter(|dim| **dim >= 0) {
        if left.checked_rem(*dim)? != 0 {
            return None;
        }
        left /= dim;
    }
    for dim in dims.iter_mut().rev().filter(|dim| **dim < 0) {
        *dim = left;
        left = 1;
    }
    (left == 1).then_some(dims)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Case = (&'static [i64], usize, Option<&'static [i64]>);

    #[test]
    fn last_dynamic_dimension_takes_the_remaining_elements() {
        let table: [Case; 16] = [
            (&[-1], 1, Some(&[1])),
            (&[-1], 3, Some(&[3])),
            (&[-1], 0, Some(&[0])),
            (&[1], 1, Some(&[1])),
            (&[1], 0, None),
            (&[1], 2, None),
            (&[-1, 1], 1, Some(&[1, 1])),
            (&[-1, 1], 2, Some(&[2, 1])),
            (&[-1, 1], 0, Some(&[0, 1])),
            (&[-1, -1], 3, Some(&[1, 3])),
            (&[-1, -1], 0, Some(&[1, 0])),
            (&[-1, 2, 2], 8, Some(&[2, 2, 2])),
            (&[-1, 2, 2], 6, None),
            (&[2, -1, 3], 12, Some(&[2, 2, 3])),
            (&[0, -1], 4, None),
            (&[], 1, Some(&[])),
        ];
        for (dims, count, expected) in table {
            let got = shape(dims.to_vec(), count);
            assert_eq!(got.as_deref(), expected, "{dims:?} of {count}");
        }
    }
}
