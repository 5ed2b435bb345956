use std::sync::Arc;

use crate::error::Error;
use crate::model::ModelSpec;
use crate::tensor::{Tensor, TensorError, shape_text};

use super::widened::{widened, widened_bytes};
use super::{PadValue, Padder, StepError};

/// Pads outputs at the end of each dim, to the largest size of that dim, with one value. Strings
/// are padded with empty ones.
///
/// # Examples
///
/// ```
/// # use pytriton_core::decorators::ConstantPadder;
/// const ZERO: ConstantPadder<i32> = ConstantPadder::new(0);
/// const NONE: ConstantPadder<f64> = ConstantPadder::new(f64::NAN);
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct ConstantPadder<V = i32> {
    value: V,
}

impl<V: PadValue> ConstantPadder<V> {
    /// Creates a padder for outputs of every element type that can represent the value.
    pub const fn new(value: V) -> Self {
        Self { value }
    }

    /// Returns the padding of an output, or `None` if its tensors have the same dims in all groups.
    fn padding(
        &self,
        model: &ModelSpec,
        output: usize,
        groups: &[&mut [Option<Tensor>]],
    ) -> Result<Option<Padding>, StepError> {
        let tensors = || {
            groups
                .iter()
                .filter_map(|group| group.get(output)?.as_ref())
        };
        let dims = largest(tensors()).map_err(|source| StepError::output(model, output, source))?;
        if tensors().all(|tensor| tensor.shape().get(1..) == Some(&dims)) {
            return Ok(None);
        }
        let element = self.element(model, output)?;
        Ok(Some(Padding { dims, element }))
    }

    /// Returns the bytes of one padding element.
    fn element(&self, model: &ModelSpec, output: usize) -> Result<Vec<u8>, StepError> {
        let datatype = model.outputs[output].datatype;
        self.value
            .bytes(datatype)
            .ok_or_else(|| StepError::Padding {
                model: Arc::clone(&model.name),
                output: Arc::clone(&model.outputs[output].name),
                datatype,
                value: format!("{:?}", self.value),
            })
    }
}

impl<V: PadValue> Padder for ConstantPadder<V> {
    fn pad_bytes(
        &self,
        model: &ModelSpec,
        groups: &[&mut [Option<Tensor>]],
    ) -> Result<usize, Error> {
        let mut bytes = 0_usize;
        for index in 0..model.outputs.len() {
            let failed = |source| StepError::output(model, index, source);
            let Some(padding) = self.padding(model, index, groups)? else {
                continue;
            };
            let outputs = groups.iter().filter_map(|group| group.get(index)?.as_ref());
            for output in outputs.filter(|output| !padding.fits(output)) {
                let size = padding.element.len();
                let widened = widened_bytes(output, &padding.dims, size).map_err(failed)?;
                bytes = bytes.saturating_add(widened);
            }
        }
        Ok(bytes)
    }

    fn pad(&self, model: &ModelSpec, groups: &mut [&mut [Option<Tensor>]]) -> Result<(), Error> {
        for index in 0..model.outputs.len() {
            let Some(padding) = self.padding(model, index, groups)? else {
                continue;
            };
            for group in groups.iter_mut() {
                if let Some(Some(output)) = group.get_mut(index)
                    && !padding.fits(output)
                {
                    let widened = widened(output, &padding.dims, &padding.element);
                    *output = widened.map_err(|source| StepError::output(model, index, source))?;
                }
            }
        }
        Ok(())
    }
}

/// How the tensors of an output are padded.
struct Padding {
    /// The dims of all of them afterwards, except the first.
    dims: Vec<usize>,
    /// The bytes of a padding element.
    element: Vec<u8>,
}

impl Padding {
    fn fits(&self, output: &Tensor) -> bool {
        output.shape().get(1..) == Some(&self.dims)
    }
}

/// Returns the largest size of each dim except the first.
fn largest<'a>(outputs: impl Iterator<Item = &'a Tensor>) -> Result<Vec<usize>, TensorError> {
    let mut largest: Option<Vec<usize>> = None;
    for output in outputs {
        let dims = output.shape().get(1..).unwrap_or_default();
        let largest = largest.get_or_insert_with(|| dims.to_vec());
        if largest.len() != dims.len() {
            return Err(TensorError::Rank {
                expected: largest.len() + 1,
                shape: shape_text(output.shape()),
            });
        }
        for (largest, &dim) in largest.iter_mut().zip(dims) {
            *largest = dim.max(*largest);
        }
    }
    Ok(largest.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use crate::model::TensorSpec;
    use crate::tensor::Element;
    use crate::testing::IDENTITY;

    use super::*;

    /// Returns the only output of each group after padding.
    fn padded(padder: &impl Padder, outputs: &[&Tensor]) -> Result<Vec<Tensor>, String> {
        let mut spec = IDENTITY.spec().unwrap();
        spec.outputs = vec![TensorSpec {
            name: "y".into(),
            datatype: outputs[0].datatype(),
            dims: vec![-1],
            optional: false,
            description: Arc::default(),
            example: Arc::default(),
        }];
        // One more group omits the output.
        let outputs = outputs.iter().map(|&output| Some(output.clone()));
        let mut outputs: Vec<Option<Tensor>> = outputs.chain([None]).collect();
        let mut groups: Vec<&mut [Option<Tensor>]> = outputs.chunks_mut(1).collect();
        padder
            .pad(&spec, &mut groups)
            .map_err(|error| error.to_string())?;
        assert_eq!(outputs.pop(), Some(None));
        Ok(outputs.into_iter().flatten().collect())
    }

    fn tensor<T: Element>(shape: &[usize], elements: &[T]) -> Tensor {
        Tensor::from_elements(shape, elements.to_vec()).unwrap()
    }

    fn words(shape: &[usize], words: &[&str]) -> Tensor {
        let words: Vec<String> = words.iter().map(|&it| it.to_owned()).collect();
        tensor(shape, &words)
    }

    #[test]
    fn every_dimension_is_padded_to_the_largest() {
        let narrow = tensor(&[2, 1], &[1_i16, 2]);
        let wide = tensor(&[1, 3], &[3_i16, 4, 5]);
        let got = padded(&ConstantPadder::new(-1), &[&narrow, &wide]).unwrap();
        assert_eq!(got, [tensor(&[2, 3], &[1_i16, -1, -1, 2, -1, -1]), wide]);

        let high = tensor(&[1, 2, 1], &[1.0_f32, 2.0]);
        let wide = tensor(&[1, 1, 2], &[3.0_f32, 4.0]);
        let got = padded(&ConstantPadder::new(0.5), &[&high, &wide]).unwrap();
        let expected = [[1.0, 0.5, 2.0, 0.5], [3.0, 4.0, 0.5, 0.5]];
        assert_eq!(got, expected.map(|it| tensor::<f32>(&[1, 2, 2], &it)));

        let none = words(&[2, 0], &[]);
        let two = words(&[1, 2], &["a", "é"]);
        let got = padded(&ConstantPadder::new(7), &[&none, &two]).unwrap();
        assert_eq!(got, [words(&[2, 2], &["", "", "", ""]), two]);

        let no_rows = tensor::<u8>(&[0, 1], &[]);
        let one = tensor::<u8>(&[1, 2], &[1, 2]);
        let got = padded(&ConstantPadder::new(0), &[&no_rows, &one]).unwrap();
        assert_eq!(got, [tensor::<u8>(&[0, 2], &[]), one]);
    }

    #[test]
    fn tensors_without_padding_are_not_copied() {
        let one = tensor(&[1, 2], &[1_u8, 2]);
        let two = tensor(&[2, 2], &[3_u8, 4, 5, 6]);
        // Without padding, the value does not matter.
        let got = padded(&ConstantPadder::new(-1), &[&one, &two]).unwrap();
        assert_eq!(got[1].data().as_ptr(), two.data().as_ptr());
    }

    #[test]
    fn padding_of_another_type_is_refused() {
        let (one, two) = (tensor(&[1, 1], &[1_u8]), tensor(&[1, 2], &[1_u8, 2]));
        let refused = |value| {
            let text = "output 'y' of model 'Identity' cannot be padded with";
            Err(format!("{text} {value}: its elements are UINT8"))
        };
        let both = [&one, &two];
        assert_eq!(padded(&ConstantPadder::new(-1), &both), refused("-1"));
        assert_eq!(padded(&ConstantPadder::new(256), &both), refused("256"));
        assert_eq!(padded(&ConstantPadder::new(0.5), &both), refused("0.5"));
        assert!(padded(&ConstantPadder::new(255.0), &both).is_ok());
        assert!(padded(&ConstantPadder::new(true), &both).is_ok());
    }

    #[test]
    fn tensors_of_different_ranks_are_refused() {
        let (one, two) = (tensor(&[1, 1], &[1_u8]), tensor(&[1, 1, 1], &[1_u8]));
        let error = padded(&ConstantPadder::new(0), &[&one, &two]).unwrap_err();
        assert!(
            error.starts_with("output 'y' of model 'Identity': "),
            "{error}"
        );
        assert!(error.contains("[1,1,1]"), "{error}");
    }

    #[test]
    fn sizes_beyond_the_address_space_are_refused() {
        let side = 1 << 20;
        let rows = vec![0_u64; side];
        let table = [[1, side, 1, 1], [1, 1, side, 1], [1, 1, 1, side]];
        let outputs = table.map(|shape| tensor(&shape, &rows));
        let outputs: Vec<&Tensor> = outputs.iter().collect();
        assert!(padded(&ConstantPadder::new(0), &outputs).is_err());
    }
}
