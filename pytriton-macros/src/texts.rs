use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{LitStr, Token};

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
        let part = TokenStream::from_iter(part);
        let Ok(Named {
            tokens,
            name,
            value,
        }) = syn::parse2(part.clone())
        else {
            let message = "expected `name = \"…\"`, or `\"other name\" = \"…\"` for a name that is no identifier";
            errors.push(part, message);
            continue;
        };
        if texts.iter().any(|(other, _)| *other == name) {
            errors.push(tokens, format!("`{name}` stands twice: remove one"));
            continue;
        }
        let text = syn::parse2::<LitStr>(value.clone());
        if text.is_err() {
            errors.push(value, format!("expected a text: write `{tokens} = \"…\"`"));
        }
        texts.push((name, text.map(|text| text.value()).unwrap_or_default()));
    }
    texts
}

/// `name = value`, whatever the value is.
struct Named {
    tokens: TokenStream,
    name: String,
    value: TokenStream,
}

impl Parse for Named {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let (tokens, name) = match input.peek(LitStr) {
            true => {
                let name: LitStr = input.parse()?;
                (name.to_token_stream(), name.value())
            }
            false => {
                let name = input.call(Ident::parse_any)?;
                (name.to_token_stream(), name.unraw().to_string())
            }
        };
        input.parse::<Token![=]>()?;
        if input.is_empty() {
            return Err(input.error("expected a value"));
        }
        let value = input.parse()?;
        Ok(Self {
            tokens,
            name,
            value,
        })
    }
}
