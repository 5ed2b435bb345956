/// Where regions and tensors begin: aligned for every element type, and apart from what another core writes.
pub const ALIGNMENT: usize = 64;

/// Bytes of a segment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Region {
    /// The segment, by number.
    pub segment: u32,
    /// The first byte.
    pub offset: usize,
    /// How many.
    pub len: usize,
}

/// The next place for a tensor at or behind `len` bytes; `None` when there is none.
pub fn align(len: usize) -> Option<usize> {
    len.checked_next_multiple_of(ALIGNMENT)
}

/// Puts `len` bytes behind those that are in use, and returns where; `None` when nothing fits.
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
