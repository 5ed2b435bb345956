/// Numbers the heads of an HTTP/2 connection by their streams.
#[derive(Debug, Default)]
pub(crate) struct HeadNumbers {
    /// The first and the latest stream, or `None` before the first head.
    streams: Option<(u32, u32)>,
    /// Whether the client has skipped a stream identifier, so that the numbers are not known.
    has_gaps: bool,
}

/// Streams of a client have odd identifiers.
const NEXT_STREAM: u32 = 2;

impl HeadNumbers {
    /// Records a frame of type `HEADERS`. Returns whether it begins a stream; otherwise it contains
    /// trailers.
    pub(crate) fn begin(&mut self, stream: u32) -> bool {
        let Some((first, latest)) = self.streams else {
            self.streams = Some((stream, stream));
            return true;
        };
        if stream <= latest {
            return false;
        }
        self.has_gaps |= stream - latest != NEXT_STREAM;
        self.streams = Some((first, stream));
        true
    }

    /// Returns the number of the head of a stream, if it is known. The first head has number 0.
    pub(crate) fn number(&self, stream: u32) -> Option<u64> {
        let (first, _) = self.streams.filter(|_| !self.has_gaps)?;
        let number = stream.checked_sub(first)? / NEXT_STREAM;
        Some(number.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_numbered_until_a_stream_is_missing() {
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
            assert_eq!(heads.number(first), None);
        }
    }
}
