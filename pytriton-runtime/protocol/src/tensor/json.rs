use ::bytes::Bytes;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{BytesElement, ElementError};

/// The maximum memory of a value for each byte of its text. Small maps take the most: as a
/// `serde_json::Value`, an array of `{"a":0}` takes about 80 times the size of its text.
const MAX_MEMORY_PER_BYTE: usize = 128;

/// A `BYTES` element that is a value as JSON text.
///
/// The embedded engine reserves 128 times the size of the text before it decodes an element. That
/// is enough for `serde_json::Value` and for collections of numbers, strings and small structs. For
/// a type that can take more, such as a list of large arrays that may be `null`, implement
/// [`BytesElement`].
///
/// # Examples
///
/// ```
/// use pytriton_protocol::tensor::{Json, Tensor};
///
/// let tensor = Tensor::from_elements(vec![1], vec![r#"{"a": 1}"#.to_owned()])?;
/// let elements = tensor.elements::<Json<std::collections::HashMap<String, u32>>>()?;
/// assert_eq!(elements[0].0["a"], 1);
/// # Ok::<(), pytriton_protocol::tensor::TensorError>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Json<T>(pub T);

impl<T> BytesElement for Json<T>
where
    T: Serialize + DeserializeOwned + Clone + Send + Sync + 'static,
{
    fn decode(element: Bytes) -> Result<Self, ElementError> {
        Ok(Self(serde_json::from_slice(&element)?))
    }

    fn encode(&self) -> Result<Bytes, ElementError> {
        Ok(serde_json::to_vec(&self.0)?.into())
    }

    /// Returns 128 times the length of the text, because the exact memory depends on `T`.
    fn decoded_bytes(element: &[u8]) -> usize {
        element.len().saturating_mul(MAX_MEMORY_PER_BYTE)
    }
}

#[cfg(test)]
mod tests {
    use crate::tensor::Element;

    use super::*;

    #[test]
    fn value_round_trips_and_invalid_text_is_refused() {
        let values = vec![Json(vec![1_u8, 2]), Json(vec![])];
        let data = <Json<Vec<u8>> as Element>::encode(values.clone()).unwrap();
        let decoded = <Json<Vec<u8>> as Element>::decode(&data).unwrap();
        assert_eq!(*decoded, values);
        let invalid = <Json<u8> as Element>::decode(&data)
            .unwrap_err()
            .to_string();
        let expected = "element 0 cannot be decoded: invalid type: sequence, expected u8";
        assert!(invalid.starts_with(expected), "{invalid}");
    }
}
