use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, Item, ItemFn, Signature};

use super::block;
use super::state::State;
use crate::attribute::HelperAttribute;
use crate::errors::Errors;
use crate::path::CratePath;

/// The function that answers requests, with its helpers apart.
#[derive(Debug)]
pub(super) struct Function {
    pub(super) signature: Signature,
    pub(super) helpers: Vec<HelperAttribute>,
    /// For each of the signature's inputs.
    pub(super) parameters: Vec<Vec<HelperAttribute>>,
    /// For a method, what it is called on.
    pub(super) state: Option<State>,
}

impl Function {
    /// Finds the function of an item and returns it beside the item without its helpers.
    pub(super) fn find(
        tokens: TokenStream,
        root: &CratePath,
        errors: &mut Errors,
    ) -> (TokenStream, Option<Self>) {
        match syn::parse2::<Item>(tokens.clone()) {
            Ok(Item::Fn(mut function)) => {
                refuse_models(&mut function.attrs, root, errors);
                let found = Self::take(&mut function, root);
                (function.into_token_stream(), Some(found))
            }
            Ok(Item::Impl(mut block)) => {
                refuse_models(&mut block.attrs, root, errors);
                let found = block::find(&mut block, root, errors);
                (block.into_token_stream(), found)
            }
            other => {
                let message =
                    "`#[pytriton::model]` must stand on a `fn` with a body or on an `impl` block";
                match other {
                    Ok(item) => errors.push(keyword(&item), message),
                    Err(_) => errors.push_missing(message),
                }
                (tokens, None)
            }
        }
    }

    fn take(function: &mut ItemFn, root: &CratePath) -> Self {
        Self {
            helpers: HelperAttribute::take(&mut function.attrs, root),
            parameters: HelperAttribute::take_parameters(&mut function.sig, root),
            signature: function.sig.clone(),
            state: None,
        }
    }
}

fn refuse_models(attributes: &mut Vec<Attribute>, root: &CratePath, errors: &mut Errors) {
    for model in HelperAttribute::take_models(attributes, root) {
        errors.push(model, "`#[pytriton::model]` stands twice: remove one");
    }
}

/// The tokens that say what kind of item it is.
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
