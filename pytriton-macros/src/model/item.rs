use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Attribute, Item};

use super::block;
use super::function::Function;
use super::member::{members, split_body, with_body};
use crate::decorators::{Decoration, is_model};
use crate::errors::Errors;
use crate::path::CratePath;

impl Function {
    /// Finds the function in an item. Returns it together with the item without its decorators.
    ///
    /// Function bodies are never parsed: the compiler reports errors in them.
    pub(super) fn find(
        tokens: TokenStream,
        root: &CratePath,
        errors: &mut Errors,
    ) -> (TokenStream, Option<Self>) {
        let (header, body) = split_body(tokens.clone());
        match syn::parse2::<Item>(header) {
            Ok(Item::Fn(mut function)) => {
                refuse_models(&mut function.attrs, root, errors);
                let found = Self::take(&mut function, root);
                (with_body(&function, &body), Some(found))
            }
            Ok(Item::Impl(mut block)) => {
                refuse_models(&mut block.attrs, root, errors);
                let mut members = members(body.map_or_else(TokenStream::new, |body| body.stream()));
                let found = block::find(&mut block, &mut members, root, errors);
                (with_body(&block, &quote!({ #(#members)* })), found)
            }
            other => {
                let message =
                    "`#[pytriton::model]` must be on a `fn` with a body or on an `impl` block";
                let mut tokens = Decoration::strip(tokens, root);
                match other {
                    Ok(Item::Verbatim(function)) => {
                        errors.push(function.into_token_stream(), message);
                        tokens = with_some_body(tokens);
                    }
                    Ok(item) => errors.push(keyword(&item), message),
                    // The compiler reports an invalid item.
                    Err(_) if body.is_some() => {}
                    Err(_) => errors.push_missing(message),
                }
                (tokens, None)
            }
        }
    }
}

/// Adds a body that causes no further errors to a function without one.
fn with_some_body(function: TokenStream) -> TokenStream {
    let mut tokens: Vec<TokenTree> = function.into_iter().collect();
    tokens.pop_if(|token| matches!(token, TokenTree::Punct(end) if end.as_char() == ';'));
    quote!(#(#tokens)* { loop {} })
}

fn refuse_models(attributes: &mut Vec<Attribute>, root: &CratePath, errors: &mut Errors) {
    let models = attributes.extract_if(.., |attribute| is_model(attribute, root));
    for model in models {
        errors.twice(model, "#[pytriton::model]");
    }
}

/// Returns the tokens of the item's keyword.
fn keyword(item: &Item) -> TokenStream {
    match item {
        Item::Struct(item) => item.struct_token.to_token_stream(),
        Item::Enum(item) => item.enum_token.to_token_stream(),
        Item::Trait(item) => item.trait_token.to_token_stream(),
        Item::Const(item) => item.const_token.to_token_stream(),
        Item::Mod(item) => item.mod_token.to_token_stream(),
        item => quote!(#item),
    }
}
