use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::LitStr;

use crate::did_you_mean::closest;
use crate::entry::{Entry, entries, pairs};
use crate::errors::Errors;
use crate::ident::plain_name;

/// The options of an attribute: `key = value, key(…), …`.
///
/// Parsing continues after an error, so that all errors are reported at once.
#[derive(Debug, Default)]
pub(crate) struct Options {
    entries: Vec<Entry>,
    /// Known options that are misspelt or have no value; they do not count as missing.
    flawed: Vec<String>,
    /// Whether there is an entry that could be any option.
    unreadable: bool,
}

impl Options {
    /// Parses the arguments of `attribute` with the options `known`.
    pub(crate) fn parse(
        attribute: &str,
        tokens: TokenStream,
        known: &[&str],
        errors: &mut Errors,
    ) -> Self {
        Self::parse_nested(attribute, tokens, known, &[], errors)
    }

    /// Same as [`parse`](Self::parse), for an attribute whose options in `nested` have the form
    /// `key(key = value, …)`.
    pub(crate) fn parse_nested(
        attribute: &str,
        tokens: TokenStream,
        known: &[&str],
        nested: &[&str],
        errors: &mut Errors,
    ) -> Self {
        let mut options = Self::default();
        for part in entries(tokens, errors) {
            let Some(entry) = Entry::read(&part) else {
                let example = match known.first() {
                    Some(first) => format!("expected an option such as `{first} = …`"),
                    None => format!("`{attribute}` has no options: remove this"),
                };
                errors.push(TokenStream::from_iter(part), example);
                options.unreadable = true;
                continue;
            };
            let (key, name) = (&entry.key, entry.name.clone());
            if !known.contains(&&*name) {
                let meant = closest(&name, known).map(str::to_owned);
                errors.push(key, unknown(attribute, key, meant.as_deref(), known));
                options.flawed.extend(meant);
                continue;
            }
            let mistake = match nested.contains(&name.as_str()) {
                true if entry.list => None,
                true => Some(format!("expected options: write `{key}(…)`")),
                false if options.key(&name).is_some() => {
                    errors.push(key, format!("option `{key}` is given twice: remove one"));
                    continue;
                }
                false if entry.value.is_empty() => {
                    Some(format!("expected a value: write `{key} = …`"))
                }
                false => None,
            };
            match mistake {
                None => options.entries.push(entry),
                Some(message) => {
                    errors.push(key, message);
                    options.flawed.push(name);
                }
            }
        }
        options
    }

    /// Returns whether every option has a known name and a value.
    pub(crate) fn readable(&self) -> bool {
        !self.unreadable && self.flawed.is_empty()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns whether this is the only option.
    pub(crate) fn only(&self, name: &str) -> bool {
        self.entries.len() == 1 && self.key(name).is_some()
    }

    /// Returns the key of an option.
    pub(crate) fn key(&self, name: &str) -> Option<&Ident> {
        Some(&self.entry(name)?.key)
    }

    /// Returns the keys and contents of a nested option that may be repeated, in order.
    pub(crate) fn nested(&self, name: &str) -> impl Iterator<Item = (&Ident, TokenStream)> {
        let entries = self.entries.iter().filter(move |entry| entry.name == name);
        entries.filter_map(|entry| Some((&entry.key, entry.inside()?)))
    }

    /// Returns whether the option is missing and no error was reported for it.
    pub(crate) fn lacks(&self, name: &str) -> bool {
        let flawed = self.unreadable || self.flawed.iter().any(|flawed| flawed == name);
        self.key(name).is_none() && !flawed
    }

    /// Reports a missing option, with an example.
    pub(crate) fn need(&self, example: &str, place: impl ToTokens, errors: &mut Errors) {
        let end = example.find([' ', '(']).unwrap_or(example.len());
        let option = &example[..end];
        if self.lacks(option) {
            let message = format!("`{option}` is missing: write `{example}`");
            errors.push(place, message);
        }
    }

    /// Returns whether the option has the form `key(…)`.
    pub(crate) fn is_list(&self, name: &str) -> bool {
        self.entry(name).is_some_and(|entry| entry.list)
    }

    /// Returns the tokens of an option's value.
    pub(crate) fn value(&self, name: &str) -> Option<&TokenStream> {
        Some(&self.entry(name)?.value)
    }

    fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// Returns the value of a string option.
    pub(crate) fn string(&self, name: &str, errors: &mut Errors) -> Option<LitStr> {
        let value = self.value(name)?;
        match syn::parse2(value.clone()) {
            Ok(string) => Some(string),
            Err(_) => {
                errors.push(value, format!("expected a string: write `{name} = \"…\"`"));
                None
            }
        }
    }

    /// Returns the names and values of a list of strings, `parameters(path = "…", "other name" =
    /// "…")`.
    pub(crate) fn texts(&self, name: &str, errors: &mut Errors) -> Vec<(String, String)> {
        let Some(option) = self.entry(name) else {
            return Vec::new();
        };
        let Some(list) = option.inside() else {
            let message = format!("expected a list of strings: write `{name}(name = \"…\")`");
            errors.push(&option.value, message);
            return Vec::new();
        };
        let expected = "expected `name = \"…\"`, or `\"other name\" = \"…\"` for a name that is not an identifier";
        let wrong = |key: &TokenTree| format!("expected a string: write `{key} = \"…\"`");
        let texts = pairs(list, text_name, expected, wrong, errors).into_iter();
        texts
            .map(|(name, text): (_, LitStr)| (name, text.value()))
            .collect()
    }
}

/// Returns the name in an identifier or a string.
fn text_name(token: &TokenTree) -> Option<String> {
    match token {
        TokenTree::Ident(name) => Some(plain_name(name)),
        token => {
            let name = syn::parse2::<LitStr>(token.clone().into());
            Some(name.ok()?.value())
        }
    }
}

/// Returns the message about an unknown option, with the closest known name.
fn unknown(attribute: &str, key: &Ident, meant: Option<&str>, known: &[&str]) -> String {
    if known.is_empty() {
        return format!("`{attribute}` has no options: remove `{key}`");
    }
    if attribute.contains("model") && key == "decoupled" {
        return "the return type of a function determines whether it streams: remove `decoupled`, and write `-> impl Iterator<Item = Array2<f32>>`".to_owned();
    }
    match meant {
        Some(meant) => format!("unknown option `{key}`; did you mean `{meant}`?"),
        None => format!(
            "unknown option `{key}`\nhelp: the options of `{attribute}` are `{}`",
            known.join("`, `")
        ),
    }
}
