use std::fs;
use std::io;
use std::path::Path;

use pytriton::prelude::*;

/// The letters of the network by index. Index 0 means that there is no letter.
pub(crate) struct Alphabet(Vec<String>);

impl Alphabet {
    /// Reads a file with one letter per line. The file does not contain the space, which is
    /// appended.
    pub(crate) fn load(path: &Path) -> io::Result<Self> {
        Ok(Self::new(&fs::read_to_string(path)?))
    }

    fn new(lines: &str) -> Self {
        let lines = lines.trim_end_matches('\n').split('\n');
        let letters = [""].into_iter().chain(lines).chain([" "]);
        Self(letters.map(str::to_owned).collect())
    }

    /// Returns the text, read from left to right, and its score. Equal letters in adjacent columns
    /// are one letter.
    pub(crate) fn spell(&self, seen: ArrayView2<f32>) -> (String, f32) {
        let mut text = String::new();
        let (mut before, mut sum, mut count) = (0, 0.0, 0.0);
        for letters in seen.outer_iter() {
            let letters = letters.iter().copied().enumerate();
            let best = letters.max_by(|(_, one), (_, other)| one.total_cmp(other));
            let (number, probability) = best.unwrap_or_default();
            if number != 0 && number != before {
                text.push_str(self.0.get(number).map_or("", String::as_str));
                sum += probability;
                count += 1.0;
            }
            before = number;
        }
        (text, if count > 0.0 { sum / count } else { 0.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_letters_and_blanks_are_collapsed() {
        let alphabet = Alphabet::new("a\nb");
        let [none, a, b, space] = [0, 1, 2, 3].map(|number| {
            let mut letters = [0.1_f32; 4];
            letters[number] = 0.5;
            letters
        });
        let table: [(&[[f32; 4]], &str, f32); 5] = [
            (&[], "", 0.0),
            (&[none, none], "", 0.0),
            (&[a, a, none, b], "ab", 0.5),
            (&[a, none, a, space, b, b], "aa b", 0.5),
            (&[a, [0.0, 0.0, 0.9, 0.0]], "ab", 0.7),
        ];
        for (seen, text, score) in table {
            let spelt = alphabet.spell(Array2::from(seen.to_vec()).view());
            assert_eq!(spelt.0, text);
            assert!((spelt.1 - score).abs() < 1e-6, "{spelt:?}");
        }
    }
}
