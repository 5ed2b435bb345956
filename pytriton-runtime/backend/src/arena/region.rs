/// The alignment of regions and tensors: sufficient for every datatype, and a cache line, so that
/// two cores do not share one.
pub const ALIGNMENT: usize = 64;

/// A range of bytes in a segment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Region {
    /// The number of the segment.
    pub segment: u32,
    /// The offset of the first byte.
    pub offset: usize,
    /// The length in bytes.
    pub len: usize,
}

/// Returns the next aligned offset at or after `len`, or `None` on overflow.
pub fn align(len: usize) -> Option<usize> {
    len.checked_next_multiple_of(ALIGNMENT)
}

/// Reserves `len` aligned bytes after the used ones, and returns their offset. Returns `None` on
/// overflow.
///
/// # Examples
///
/// ```
/// # use pytriton_backend::arena::place;
/// let mut used = 0;
/// assert_eq!(place(&mut used, 3), Some(0));
/// assert_eq!(place(&mut used, 8), Some(64));
/// assert_eq!(place(&mut used, usize::MAX), None);
/// assert_eq!(used, 72);
/// ```
pub fn place(used: &mut usize, len: usize) -> Option<usize> {
    let offset = align(*used)?;
    *used = offset.checked_add(len)?;
    Some(offset)
}
