//! Text that comes word by word, as a language model's does: any number of answers to one request.
//!
//! The model is a small and real one, which word follows which three others, learned from the licence of this repository
//! when an instance starts. Ask it with curl:
//!
//! ```sh
//! curl -N localhost:8000/v2/models/Writer/generate_stream -d '{"prompt": "You may", "words": 12}'
//! ```

use std::collections::{HashMap, HashSet};

use pytriton::prelude::*;

const TEXT: &str = include_str!("../../../LICENSE");

/// So many words decide on the next.
const ORDER: usize = 3;

/// No text is longer.
const MOST: u32 = 1000;

struct Writer {
    known: HashSet<&'static str>,
    /// The words that follow up to three others, as often as they do.
    next: HashMap<Vec<&'static str>, Vec<&'static str>>,
}

/// Goes on with a text.
#[pytriton::model(name = "Writer", max_batch_size = 8, instances = 2)]
impl Writer {
    #[load]
    fn learn() -> Self {
        let words: Vec<&str> = TEXT.split_whitespace().collect();
        let mut next: HashMap<_, Vec<_>> = HashMap::new();
        for order in 1..=ORDER {
            for window in words.windows(order + 1) {
                let (before, word) = window.split_at(order);
                next.entry(before.to_vec()).or_default().extend(word);
            }
        }
        let known = words.into_iter().collect();
        Self { known, next }
    }

    #[infer]
    fn write(
        &self,
        #[input(shape = [1])] prompt: Array2<String>,
        #[input(shape = [1])] words: Option<ArrayView2<u32>>,
        parameters: &Parameters,
    ) -> Result<impl Iterator<Item = Array2<String>>, String> {
        let wished = words.and_then(|words| words.first().copied()).unwrap_or(20);
        if wished > MOST {
            return Err(format!("words must be at most {MOST}, not {wished}"));
        }
        let seed = parameters.int("seed").unwrap_or(1);
        let words_of_prompt = prompt.iter().flat_map(|prompt| prompt.split_whitespace());
        let mut text: Vec<_> = words_of_prompt
            .filter_map(|word| self.known.get(word).copied())
            .collect();
        let mut random = Random(seed.unsigned_abs());
        let words = (0..wished).map_while(move |_| {
            let word = self.follows(&text, &mut random)?;
            text.push(word);
            Some(Array2::from_elem((1, 1), format!(" {word}")))
        });
        Ok(words)
    }
}

impl Writer {
    /// A word that has followed the last ones, of which as many count as were read together.
    fn follows(&self, text: &[&'static str], random: &mut Random) -> Option<&'static str> {
        let mut orders = (1..=ORDER.min(text.len())).rev();
        let words = orders.find_map(|order| self.next.get(&text[text.len() - order..]))?;
        words.get(random.below(words.len())).copied()
    }
}

/// The same numbers for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(self.0 >> 33).unwrap_or_default() % limit
    }
}

pytriton::main!();
