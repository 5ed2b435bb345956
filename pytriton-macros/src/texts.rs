use proc_macro2::{TokenStream, TokenTree};
use syn::LitStr;

use crate::decorators::plain_name;
use crate::entry::{Entry, split};
use crate::errors::Errors;

/// The names and values of an option that is a list of texts: `parameters(path = "…", "other name" = "…")`.
pub(crate) fn texts(option: &Entry, errors: &mut Errors) -> Vec<(String, String)> {
    let Some(list) = option.inside() else {
        let key = &option.key;
        let message = format!("expected a list of texts: write `{key}(name = \"…\")`");
        errors.push(&option.value, message);
        return Vec::new();
    };
    let mut texts: Vec<(String, String)> = Vec::new();
    for part in split(list) {
        let Some((token, name, value)) = named(&part) else {
            let message = "expected `name = \"…\"`, or `\"other name\" = \"…\"` for a name that is no identifier";
            errors.push(TokenStream::from_iter(part), message);
            continue;
        };
        if texts.iter().any(|(other, _)| *other == name) {
            errors.twice(token, &name);
            continue;
        }
        let text = syn::parse2::<LitStr>(value.clone());
        if text.is_err() {
            errors.push(value, format!("expected a text: write `{token} = \"…\"`"));
        }
        texts.push((name, text.map(|text| text.value()).unwrap_or_default()));
    }
    texts
}

/// The two sides of `name = value`, whatever the value is.
fn named(part: &[TokenTree]) -> Option<(&TokenTree, String, TokenStream)> {
    let [token, TokenTree::Punct(equals), value @ ..] = part else {
        return None;
    };
    let name = match token {
        TokenTree::Ident(name) => plain_name(name),
        name => {
            let name = syn::parse2::<LitStr>(name.clone().into());
            name.ok()?.value()
        }
    };
    let known = equals.as_char() == '=' && !value.is_empty();
    known.then(|| (token, name, value.iter().cloned().collect()))
}
