use crate::tensor::{ALLOCATION_BYTES, DataType, Element, Tensor, element_count};

/// The memory of a `String` or `Vec<u8>` in addition to its bytes: the struct itself and the
/// overhead of the smallest allocation.
pub(crate) const ELEMENT_BYTES: usize = size_of::<String>() + ALLOCATION_BYTES;

/// Returns the maximum memory of an array with elements `T` that is decoded from a tensor.
pub(crate) fn decoded_bytes_of<T: Element>(tensor: &Tensor) -> usize {
    T::decoded_bytes(tensor.data()).unwrap_or_else(|| decoded_bytes(tensor))
}

/// Returns the maximum memory of an array that is decoded from a tensor. Zero if the array is a
/// view of the tensor.
pub(crate) fn decoded_bytes(tensor: &Tensor) -> usize {
    let data = tensor.data();
    match tensor.datatype().size() {
        Some(size) if data.as_ptr().align_offset(size) == 0 => 0,
        Some(_) => data.len(),
        None => {
            debug_assert_eq!(tensor.datatype(), DataType::Bytes);
            let count = element_count(tensor.shape()).unwrap_or(usize::MAX);
            let elements = count.saturating_mul(ELEMENT_BYTES);
            elements.saturating_add(data.len())
        }
    }
}
