use super::TensorError;

/// Multiplies the dimensions of a shape.
///
/// # Errors
///
/// Returns [`TensorError::TooLarge`] if the product overflows `usize`.
///
/// # Examples
///
/// ```
/// # use pytriton_protocol::tensor::element_count;
/// assert_eq!(element_count(&[2, 3]), Ok(6));
/// assert_eq!(element_count(&[]), Ok(1));
/// assert!(element_count(&[usize::MAX, 2]).is_err());
/// ```
#[inline]
pub fn element_count(shape: &[usize]) -> Result<usize, TensorError> {
    // A zero makes the tensor empty, however large the other dimensions are.
    if shape.contains(&0) {
        return Ok(0);
    }
    shape
        .iter()
        .try_fold(1_usize, |count, &dim| count.checked_mul(dim))
        .ok_or_else(|| TensorError::TooLarge {
            shape: shape_text(shape),
        })
}

/// Formats a shape like Triton does in messages: `[2,-1]`. Shapes with more than 64 dimensions are
/// truncated.
///
/// # Examples
///
/// ```
/// # use pytriton_protocol::tensor::shape_text;
/// assert_eq!(shape_text(&[2, -1]), "[2,-1]");
/// ```
pub fn shape_text<D: ToString>(shape: &[D]) -> String {
    let shown = &shape[..shape.len().min(MAX_DIMS_SHOWN)];
    let dims: Vec<String> = shown.iter().map(D::to_string).collect();
    match shape.len() - shown.len() {
        0 => format!("[{}]", dims.join(",")),
        more => format!("[{},… ({more} more)]", dims.join(",")),
    }
}

/// A client may send millions of dimensions, and error messages must stay short.
const MAX_DIMS_SHOWN: usize = 64;

/// Returns whether a shape matches the declared dimensions, in which -1 means any size.
///
/// # Examples
///
/// ```
/// # use pytriton_protocol::tensor::dims_match;
/// assert!(dims_match(&[-1, 3], &[7, 3]));
/// assert!(!dims_match(&[-1, 3], &[7, 4]));
/// assert!(!dims_match(&[-1], &[7, 3]));
/// ```
#[inline]
pub fn dims_match(dims: &[i64], shape: &[usize]) -> bool {
    dims.len() == shape.len()
        && dims
            .iter()
            .zip(shape)
            .all(|(&dim, &size)| dim < 0 || usize::try_from(dim) == Ok(size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_shape_is_truncated() {
        assert_eq!(
            shape_text(&[1; MAX_DIMS_SHOWN]).matches('1').count(),
            MAX_DIMS_SHOWN
        );
        let text = shape_text(&[1; 1_000_000]);
        assert!(text.ends_with("1,… (999936 more)]"), "{text}");
        assert!(text.len() < 200);
    }

    #[test]
    fn elements_are_counted() {
        let table: &[(&[usize], Option<usize>)] = &[
            (&[], Some(1)),
            (&[0], Some(0)),
            (&[4, 0, usize::MAX, usize::MAX], Some(0)),
            (&[1 << 32, 1 << 31], Some(1 << 63)),
            (&[1 << 32, 1 << 32], None),
            (&[usize::MAX, 1], Some(usize::MAX)),
        ];
        for (shape, expected) in table {
            assert_eq!(element_count(shape).ok(), *expected, "{shape:?}");
        }
    }

    #[test]
    fn a_negative_dimension_matches_any_size() {
        let table: &[(&[i64], &[usize], bool)] = &[
            (&[], &[], true),
            (&[-1, 3], &[7, 3], true),
            (&[-1, 3], &[0, 3], true),
            (&[-1, 3], &[7, 4], false),
            (&[-1], &[7, 3], false),
            (&[-1, 3], &[7], false),
            (&[0], &[0], true),
            (&[0], &[5], false),
            (&[5], &[0], false),
        ];
        for &(dims, shape, expected) in table {
            assert_eq!(dims_match(dims, shape), expected, "{dims:?} {shape:?}");
        }
    }
}
