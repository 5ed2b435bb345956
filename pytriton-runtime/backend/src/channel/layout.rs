/// Where tensors begin: aligned for every element type, and apart from what another core writes.
const ALIGNMENT: usize = 64;

/// Where the tensors of a segment begin, behind a description of `description` bytes; `None` when nothing fits.
pub fn data_start(description: usize) -> Option<usize> {
    description.checked_next_multiple_of(ALIGNMENT)
}

/// Puts `len` bytes behind those that are in use, and returns where; `None` when nothing fits.
///
/// # Examples
///
/// ```
/// # use pytriton_backend::channel::place;
/// let mut used = 0;
/// assert_eq!(place(&mut used, 3), Some(0));
/// assert_eq!(place(&mut used, 8), Some(64));
/// assert_eq!(place(&mut used, usize::MAX), None);
/// assert_eq!(used, 72);
/// ```
pub fn place(used: &mut usize, len: usize) -> Option<usize> {
    let offset = used.checked_next_multiple_of(ALIGNMENT)?;
    *used = offset.checked_add(len)?;
    Some(offset)
}
