const PADDED: u8 = 8;
const PRIORITY: u8 = 0x20;

/// The size of the priority in front of a header block.
const PRIORITY_BYTES: usize = 5;

/// The part of a frame that belongs to a header block: padding and a priority do not.
#[derive(Debug, Default)]
pub(crate) struct HeaderFrame {
    /// Whether the length of the padding follows.
    padded: bool,
    /// How many bytes precede the block.
    skipped: usize,
    /// How many bytes of the block have not arrived.
    missing: usize,
}

impl HeaderFrame {
    /// A frame of type `HEADERS` with these flags and this size.
    pub(crate) fn headers(flags: u8, bytes: usize) -> Self {
        let padded = flags & PADDED != 0;
        let skipped = match flags & PRIORITY {
            0 => 0,
            _ => PRIORITY_BYTES,
        };
        Self {
            padded,
            skipped,
            missing: bytes.saturating_sub(skipped + usize::from(padded)),
        }
    }

    /// A frame of type `CONTINUATION` of this size.
    pub(crate) fn continuation(bytes: usize) -> Self {
        Self {
            missing: bytes,
            ..Self::default()
        }
    }

    /// Returns the part of the next bytes of the frame that belongs to the block.
    pub(crate) fn block<'a>(&mut self, mut payload: &'a [u8]) -> &'a [u8] {
        if self.padded
            && let Some((&padding, rest)) = payload.split_first()
        {
            self.padded = false;
            self.missing = self.missing.saturating_sub(padding.into());
            payload = rest;
        }
        let skipped = self.skipped.min(payload.len());
        self.skipped -= skipped;
        payload = &payload[skipped..];
        let block = self.missing.min(payload.len());
        self.missing -= block;
        &payload[..block]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_and_priority_do_not_belong_to_the_block() {
        let table: [(HeaderFrame, &[u8], &[u8]); 6] = [
            (HeaderFrame::continuation(3), b"abc", b"abc"),
            (HeaderFrame::headers(0, 3), b"abc", b"abc"),
            (HeaderFrame::headers(PADDED, 6), b"\x02abc00", b"abc"),
            (HeaderFrame::headers(PRIORITY, 8), b"01234abc", b"abc"),
            (
                HeaderFrame::headers(PADDED | PRIORITY, 10),
                b"\x0101234abc0",
                b"abc",
            ),
            (HeaderFrame::headers(PADDED, 2), b"\xff0", b""),
        ];
        for (mut frame, payload, expected) in table {
            let block: Vec<u8> = payload
                .iter()
                .flat_map(|byte| frame.block(std::slice::from_ref(byte)).to_vec())
                .collect();
            assert_eq!(block, expected, "{payload:?}");
        }
    }
}
