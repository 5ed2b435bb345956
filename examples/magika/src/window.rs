use crate::Result;
use crate::config::Config;

/// The input of the network: bytes from the start and from the end of a file, without surrounding
/// whitespace.
#[derive(Debug)]
pub(crate) struct Window {
    begin: usize,
    end: usize,
    block: usize,
    least: usize,
    padding: i32,
}

impl Window {
    pub(crate) fn new(config: &Config) -> Result<Self> {
        if config.mid_size > 0 || config.use_inputs_at_offsets {
            return Err("the network wants more of a file than its begin and its end".into());
        }
        Ok(Self {
            begin: config.beg_size,
            end: config.end_size,
            block: config.block_size,
            least: config.min_file_size_for_dl,
            padding: config.padding_token,
        })
    }

    /// Returns the number of tokens.
    pub(crate) fn tokens(&self) -> usize {
        self.begin + self.end
    }

    /// Returns the first block, which is the complete content of a small file.
    pub(crate) fn head<'a>(&self, content: &'a [u8]) -> &'a [u8] {
        &content[..content.len().min(self.block)]
    }

    /// Returns one token for each byte, or `None` if there are too few bytes to decide.
    pub(crate) fn look(&self, content: &[u8]) -> Option<Vec<i32>> {
        let head = self.head(content);
        let tail = &content[content.len() - head.len()..];
        let start = head.iter().position(is_word).unwrap_or(head.len());
        let stop = tail.iter().rposition(is_word).map_or(0, |last| last + 1);
        let (begin, end) = (&head[start..], &tail[..stop]);
        if begin.len() < self.least {
            return None;
        }
        let begin = &begin[..begin.len().min(self.begin)];
        let end = &end[end.len().saturating_sub(self.end)..];
        let mut tokens = vec![self.padding; self.tokens()];
        let (before, after) = tokens.split_at_mut(self.begin);
        for (token, byte) in before.iter_mut().zip(begin) {
            *token = i32::from(*byte);
        }
        for (token, byte) in after[self.end - end.len()..].iter_mut().zip(end) {
            *token = i32::from(*byte);
        }
        Some(tokens)
    }
}

/// Returns whether a byte is not whitespace. As in Python, and unlike in Rust, a vertical tab is
/// whitespace.
fn is_word(byte: &u8) -> bool {
    !matches!(byte, b'\t'..=b'\r' | b' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: Window = Window {
        begin: 4,
        end: 3,
        block: 6,
        least: 2,
        padding: 256,
    };

    #[test]
    fn window_contains_both_ends_without_surrounding_whitespace() {
        let table: [(&[u8], Option<&str>); 12] = [
            (b"", None),
            (b"a", None),
            (b" \t\n\x0b\x0c\r", None),
            (b"     a", None),
            // Trailing whitespace of the start and leading whitespace of the end are kept.
            (b"a ", Some("a ##|##a")),
            (b"ab", Some("ab##|#ab")),
            (b" ab ", Some("ab #| ab")),
            (b"abcdefg", Some("abcd|efg")),
            (b"      abcdef", None),
            (b"abcdef      ", Some("abcd|###")),
            (b"ab   0123  yz", Some("ab  | yz")),
            (b"\x0b\x0bab0123  yz\x0b", Some("ab01| yz")),
        ];
        for (content, expected) in table {
            let seen = WINDOW.look(content).map(|tokens| {
                let mut text: String = tokens.into_iter().map(letter).collect();
                text.insert(4, '|');
                text
            });
            assert_eq!(seen.as_deref(), expected, "{content:?}");
        }
    }

    fn letter(token: i32) -> char {
        u8::try_from(token).map_or('#', char::from)
    }

    #[test]
    fn unread_input_does_not_change_the_result() {
        let full = [b"ab".repeat(3), b"x".repeat(1000), b"yz".repeat(3)].concat();
        let ends = [b"ab".repeat(3), b"yz".repeat(3)].concat();
        assert_eq!(WINDOW.look(&full), WINDOW.look(&ends));
    }
}
