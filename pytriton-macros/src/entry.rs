use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};

/// One option of an attribute, whose value is empty where there is none.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) key: Ident,
    pub(crate) value: TokenStream,
    /// Whether the value is a list in parentheses right behind the key.
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
            value: value.iter().cloned().collect(),
            list,
        })
    }

    /// What stands in the parentheses of `key(…)`.
    pub(crate) fn inside(&self) -> Option<TokenStream> {
        let list = syn::parse2::<Group>(self.value.clone()).ok();
        list.filter(|_| self.list).map(|list| list.stream())
    }
}

/// Cuts tokens at their commas; a comma at the end is allowed.
pub(crate) fn split(tokens: TokenStream) -> Vec<Vec<TokenTree>> {
    let mut parts = vec![Vec::new()];
    for token in tokens {
        match &token {
            TokenTree::Punct(punct) if punct.as_char() == ',' => parts.push(Vec::new()),
            _ => parts
                .last_mut()
                .into_iter()
                .for_each(|part| part.push(token.clone())),
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}
