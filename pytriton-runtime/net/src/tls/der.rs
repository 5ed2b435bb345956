pub(super) const SEQUENCE: u8 = 0x30;

/// The remaining input of a DER decoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Der<'a>(pub(super) &'a [u8]);

impl<'a> Der<'a> {
    /// The next value: its tag, all its bytes, and its contents.
    pub(super) fn next(&mut self) -> Option<(u8, &'a [u8], &'a [u8])> {
        let (&[tag, first], rest) = self.0.split_first_chunk()?;
        let (length, rest) = match first {
            0..=0x7f => (usize::from(first), rest),
            0x81..=0x84 => {
                let (bytes, rest) = rest.split_at_checked(usize::from(first - 0x80))?;
                let length = bytes.iter().fold(0, |length: usize, byte| {
                    length.wrapping_shl(8) | usize::from(*byte)
                });
                (length, rest)
            }
            _ => return None,
        };
        let (inside, rest) = rest.split_at_checked(length)?;
        let (whole, _) = self.0.split_at(self.0.len() - rest.len());
        self.0 = rest;
        Some((tag, whole, inside))
    }

    /// The contents of the next value, which must have this tag.
    pub(super) fn inside(&mut self, tag: u8) -> Option<Self> {
        let (found, _, inside) = self.next()?;
        (found == tag).then_some(Self(inside))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
