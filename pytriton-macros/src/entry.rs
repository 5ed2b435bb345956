use std::fmt::Display;

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use syn::Expr;
use syn::parse::Parse;

use crate::errors::Errors;

/// An option of an attribute. The value may be empty.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) key: Ident,
    /// The key as text.
    pub(crate) name: String,
    pub(crate) value: TokenStream,
    /// Whether the value is a list in parentheses directly after the key.
    pub(crate) list: bool,
}

impl Entry {
    /// `key = value`, `key(…)`, or `key` alone.
    pub(crate) fn read(part: &[TokenTree]) -> Option<Self> {
        let (key, value, list) = match part {
            [TokenTree::Ident(key)] => (key, &[][..], false),
            [TokenTree::Ident(key), value @ TokenTree::Group(group)]
                if group.delimiter() == Delimiter::Parenthesis =>
            {
                (key, std::slice::from_ref(value), true)
            }
            [TokenTree::Ident(key), TokenTree::Punct(equals), value @ ..]
                if equals.as_char() == '=' =>
            {
                (key, value, false)
            }
            _ => return None,
        };
        Some(Self {
            key: key.clone(),
            name: key.to_string(),
            value: value.iter().cloned().collect(),
            list,
        })
    }

    /// Returns the tokens in the parentheses of `key(…)`.
    pub(crate) fn inside(&self) -> Option<TokenStream> {
        let list = syn::parse2::<Group>(self.value.clone()).ok();
        list.filter(|_| self.list).map(|list| list.stream())
    }
}

/// Splits tokens into options, and reports missing commas between them.
pub(crate) fn entries(tokens: TokenStream, errors: &mut Errors) -> Vec<Vec<TokenTree>> {
    let mut entries = Vec::new();
    for mut part in split(tokens) {
        while let Some(next) = next_entry(&part) {
            let rest = part.split_off(next);
            let key = &rest[0];
            errors.push(key, format!("a comma is missing: write `, {key}`"));
            entries.push(std::mem::replace(&mut part, rest));
        }
        entries.push(part);
    }
    entries
}

/// Parses `key = value, …` with distinct keys. Anything else is reported as not being what was
/// `expected`, and a value of another kind with the text `wrong`.
pub(crate) fn pairs<K: PartialEq + Display, V: Parse>(
    tokens: TokenStream,
    key: fn(&TokenTree) -> Option<K>,
    expected: &str,
    wrong: impl Fn(&TokenTree) -> String,
    errors: &mut Errors,
) -> Vec<(K, V)> {
    let mut pairs: Vec<(K, V)> = Vec::new();
    for part in split(tokens) {
        let pair = match &part[..] {
            [token, TokenTree::Punct(equals), value @ ..]
                if equals.as_char() == '=' && !value.is_empty() =>
            {
                key(token).map(|key| (token, key, value.iter().cloned()))
            }
            _ => None,
        };
        let Some((token, key, value)) = pair else {
            errors.push(TokenStream::from_iter(part), expected);
            continue;
        };
        let value = TokenStream::from_iter(value);
        match syn::parse2(value.clone()) {
            _ if pairs.iter().any(|(other, _)| *other == key) => errors.twice(token, &key),
            Ok(value) => pairs.push((key, value)),
            Err(_) => errors.push(value, wrong(token)),
        }
    }
    pairs
}

/// Parses names and expressions, with one text for all errors.
pub(crate) fn values(
    tokens: TokenStream,
    expected: &str,
    words: &str,
    errors: &mut Errors,
) -> Vec<(Ident, Expr)> {
    let name = |token: &TokenTree| match token {
        TokenTree::Ident(name) => Some(name.clone()),
        _ => None,
    };
    pairs(tokens, name, expected, |_| words.to_owned(), errors)
}

/// Keywords after which an expression continues.
const CONTINUES: [&str; 10] = [
    "as", "dyn", "else", "if", "impl", "let", "match", "mut", "return", "unsafe",
];

/// Returns the position after an option's value at which another option starts.
fn next_entry(part: &[TokenTree]) -> Option<usize> {
    let is_sign = |token: &TokenTree| matches!(token, TokenTree::Punct(_));
    let continues = |token: &TokenTree| match token {
        TokenTree::Ident(word) => CONTINUES.iter().any(|keyword| word == keyword),
        token => is_sign(token),
    };
    (2..part.len().saturating_sub(1)).find(|&index| {
        let begins = match &part[index + 1] {
            TokenTree::Punct(equals) => {
                equals.as_char() == '=' && part.get(index + 2).is_some_and(|value| !is_sign(value))
            }
            TokenTree::Group(group) => group.delimiter() == Delimiter::Parenthesis,
            _ => false,
        };
        let key = matches!(&part[index], TokenTree::Ident(_));
        key && begins && !continues(&part[index - 1])
    })
}

/// Splits tokens at commas, but not within generic arguments such as those of `f::<A, B>()`. A
/// trailing comma is allowed.
pub(crate) fn split(tokens: TokenStream) -> Vec<Vec<TokenTree>> {
    let mut parts = vec![Vec::new()];
    let (mut depth, mut before) = (0_usize, None);
    for token in tokens {
        let sign = match &token {
            TokenTree::Punct(punct) => Some(punct.as_char()),
            _ => None,
        };
        match (before, sign) {
            // After anything else, it compares or shifts.
            (Some(':' | '=' | '+' | '-' | '*' | '/' | '%' | '&' | '|' | '^' | '!'), Some('<')) => {
                depth += 1
            }
            (_, Some('<')) if depth > 0 => depth += 1,
            (Some('-' | '='), Some('>')) => {}
            (_, Some('>')) => depth = depth.saturating_sub(1),
            _ => {}
        }
        before = sign;
        match (sign, parts.last_mut()) {
            (Some(','), _) if depth == 0 => parts.push(Vec::new()),
            (_, Some(part)) => part.push(token),
            (_, None) => {}
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}
