use std::collections::{HashMap, HashSet};

const TEXT: &str = include_str!("../../../LICENSE");

/// The number of previous words that determine the next one.
const ORDER: usize = 3;

/// The words learned from a text.
pub(crate) struct Words {
    known: HashSet<&'static str>,
    /// The words that follow up to three others, repeated by frequency.
    next: HashMap<Vec<&'static str>, Vec<&'static str>>,
}

impl Words {
    pub(crate) fn learn() -> Self {
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

    /// Returns generated words, the same ones for the same seed.
    pub(crate) fn behind<'w>(
        &'w self,
        text: &str,
        seed: u64,
    ) -> impl Iterator<Item = &'static str> + use<'w> {
        let words = text.split_whitespace();
        let mut text: Vec<_> = words
            .filter_map(|word| self.known.get(word).copied())
            .collect();
        let mut random = Random(seed);
        std::iter::from_fn(move || {
            let word = self.follows(&text, &mut random)?;
            text.push(word);
            Some(word)
        })
    }

    /// Returns a word that follows the longest known suffix of the text.
    fn follows(&self, text: &[&'static str], random: &mut Random) -> Option<&'static str> {
        let mut orders = (1..=ORDER.min(text.len())).rev();
        let words = orders.find_map(|order| self.next.get(&text[text.len() - order..]))?;
        words.get(random.below(words.len())).copied()
    }
}

/// A deterministic random number generator.
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
