/// Numbers the heads of an HTTP/2 connection by their streams.
#[derive(Debug, Default)]
pub(crate) struct HeadNumbers {
    /// The number of the next head.
    next: u64,
    /// The latest stream, or `None` before the first head.
    latest: Option<u32>,
    /// A stream and the number of its head. The numbers of later streams follow without a gap.
    base: (u32, u64),
}

/// Streams of a client have odd identifiers.
const NEXT_STREAM: u32 = 2;

impl HeadNumbers {
    /// Records a frame of type `HEADERS`. Returns whether it begins a stream; otherwise it contains
    /// trailers.
    pub(crate) fn begin(&mut self, stream: u32) -> bool {
        match self.latest {
            Some(latest) if stream <= latest => return false,
            Some(latest) if stream - latest == NEXT_STREAM => {}
            // The first stream, or the client has skipped some. The numbers of earlier streams are
            // then no longer known.
            _ => self.base = (stream, self.next),
        }
        self.latest = Some(stream);
        self.next += 1;
        true
    }

    /// Returns how many heads have begun.
    pub(crate) fn begun(&self) -> u64 {
        self.next
    }

    /// Corrects the numbers: `next` is that of the latest head if it `is_partial`, otherwise that of
    /// the next one. The numbers of earlier streams are then no longer known.
    pub(crate) fn renumber(&mut self, next: u64, is_partial: bool) {
        if let Some(latest) = self.latest {
            let gap = if is_partial { 0 } else { NEXT_STREAM };
            self.base = (latest + gap, next);
            self.next = next + u64::from(is_partial);
        }
    }

    /// Returns the number of the head of a stream, if it is known. The first head has number 0.
    pub(crate) fn number(&self, stream: u32) -> Option<u64> {
        let (first, number) = self.latest.map(|_| self.base)?;
        let later = stream.checked_sub(first)? / NEXT_STREAM;
        Some(number + u64::from(later))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_numbered_although_streams_are_missing() {
        for first in [1, 3, 7] {
            let mut heads = HeadNumbers::default();
            assert_eq!(heads.number(first), None);
            for number in 0..5 {
                let stream = first + 2 * number;
                assert!(heads.begin(stream));
                assert!(!heads.begin(stream) && !heads.begin(first));
                assert_eq!(heads.number(stream), Some(number.into()));
                assert_eq!(heads.number(first), Some(0));
            }
            assert_eq!(heads.number(first - 1), None);
            assert!(heads.begin(first + 12));
            assert!(heads.begin(first + 14));
            let numbers = [10, 12, 14].map(|stream| heads.number(first + stream));
            assert_eq!(numbers, [None, Some(5), Some(6)]);
            assert_eq!(heads.begun(), 7);
        }
    }

    #[test]
    fn numbers_are_corrected_from_the_next_or_a_partial_head() {
        for is_partial in [false, true] {
            let mut heads = HeadNumbers::default();
            for stream in [1, 3, 5, 7] {
                assert!(heads.begin(stream));
            }
            heads.renumber(2, is_partial);
            assert!(heads.begin(9));
            let numbers = [5, 7, 9].map(|stream| heads.number(stream));
            let expected = match is_partial {
                false => [None, None, Some(2)],
                true => [None, Some(2), Some(3)],
            };
            assert_eq!(numbers, expected);
        }
    }
}
