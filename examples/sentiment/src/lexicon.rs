use std::collections::HashMap;
use std::error::Error;
use std::fs;
use std::path::Path;

/// The words that are used without a file.
const WORDS: &str = "good 1\ngreat 2\nbad -1\nawful -2";

/// Words and their scores.
pub(crate) struct Lexicon(HashMap<String, f32>);

impl Lexicon {
    /// Reads a file with one word and its score per line.
    pub(crate) fn open(file: Option<&Path>) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let text = match file {
            None => WORDS.to_owned(),
            Some(file) => fs::read_to_string(file)
                .map_err(|error| format!("cannot read {}: {error}", file.display()))?,
        };
        let mut scores = HashMap::new();
        for line in text.lines() {
            let (word, score) = line
                .split_once(' ')
                .ok_or_else(|| format!("expected a word and its score, found `{line}`"))?;
            scores.insert(word.to_owned(), score.parse()?);
        }
        Ok(Self(scores))
    }

    /// Returns the sum of the scores of all words.
    pub(crate) fn score(&self, text: &str) -> f32 {
        let words = text.split_whitespace();
        words.filter_map(|word| self.0.get(word)).sum()
    }
}
