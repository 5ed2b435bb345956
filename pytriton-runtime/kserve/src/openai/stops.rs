/// Truncates streamed text at the first complete stop sequence.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stops {
    stops: Vec<String>,
    /// Text that may be the beginning of a stop sequence.
    held: String,
}

impl Stops {
    /// Creates a filter for these sequences, which must not be empty.
    pub(crate) fn new(stops: Vec<String>) -> Self {
        let held = String::new();
        Self { stops, held }
    }

    /// Adds a piece. Returns the text that may be sent, and whether it ends there.
    pub(crate) fn cut(&mut self, piece: String) -> (String, bool) {
        if self.stops.is_empty() {
            return (piece, false);
        }
        let mut text = std::mem::take(&mut self.held);
        text.push_str(&piece);
        let found = self.stops.iter().filter_map(|stop| {
            let begin = text.find(stop)?;
            Some((begin + stop.len(), begin))
        });
        // The match that ends first, so that the result does not depend on the pieces.
        if let Some((_, begin)) = found.min() {
            text.truncate(begin);
            return (text, true);
        }
        self.held = text.split_off(self.safe(&text));
        (text, false)
    }

    /// Returns the text that has been held back, after the last piece.
    pub(crate) fn rest(&mut self) -> String {
        std::mem::take(&mut self.held)
    }

    /// Returns the length of the text that cannot belong to the beginning of a stop sequence.
    fn safe(&self, text: &str) -> usize {
        let longest = self.stops.iter().map(String::len).max().unwrap_or_default();
        let first = text.len().saturating_sub(longest.saturating_sub(1));
        let mut begins = (first..text.len()).filter(|&at| text.is_char_boundary(at));
        let begin = begins.find(|&at| {
            let mut stops = self.stops.iter();
            stops.any(|stop| stop.starts_with(&text[at..]))
        });
        begin.unwrap_or(text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(stops: &[&str], pieces: &[&str]) -> (String, bool) {
        let mut cutter = Stops::new(stops.iter().map(|&stop| stop.to_owned()).collect());
        let mut out = String::new();
        for &piece in pieces {
            let (text, ends) = cutter.cut(piece.to_owned());
            out.push_str(&text);
            if ends {
                return (out, true);
            }
        }
        out.push_str(&cutter.rest());
        (out, false)
    }

    #[test]
    fn stop_is_found_regardless_of_chunk_boundaries() {
        let table: [(&[&str], &str, &str, bool); 12] = [
            (&[], "abc", "abc", false),
            (&["x"], "abc", "abc", false),
            (&["b"], "abc", "a", true),
            (&["bc", "c"], "abc", "a", true),
            (&["c", "bc"], "abc", "a", true),
            (&["bcd"], "abc", "abc", false),
            (&["aab"], "aaaab", "aa", true),
            (&["aab"], "aaaa", "aaaa", false),
            (&["é!", "\n\n"], "né\n!é!", "né\n!", true),
            (&["END", "NDX"], "xENDX", "x", true),
            (&["abcd", "bc"], "xabcd", "xa", true),
            (&["bcd", "abcd", "d"], "xabcd", "x", true),
        ];
        for (stops, text, expected, ends) in table {
            assert_eq!(cut(stops, &[text]), (expected.to_owned(), ends), "{text}");
            let letters: Vec<(usize, char)> = text.char_indices().collect();
            for mask in 0..1_u32 << (letters.len() - 1) {
                let mut pieces = vec![String::new()];
                for (index, (_, letter)) in letters.iter().enumerate() {
                    if index > 0 && mask & (1 << (index - 1)) != 0 {
                        pieces.push(String::new());
                    }
                    pieces.last_mut().unwrap().push(*letter);
                }
                let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
                let got = cut(stops, &pieces);
                assert_eq!(got, (expected.to_owned(), ends), "{stops:?} {pieces:?}");
            }
        }
    }

    #[test]
    fn only_possible_stop_prefixes_are_held_back() {
        let mut stops = Stops::new(vec!["\n\nQ:".to_owned()]);
        assert_eq!(stops.cut("one".to_owned()), ("one".to_owned(), false));
        assert_eq!(stops.cut(" two\n".to_owned()), (" two".to_owned(), false));
        assert_eq!(stops.cut("three".to_owned()), ("\nthree".to_owned(), false));
    }
}
