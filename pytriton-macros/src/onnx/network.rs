use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Fields, Item, ItemStruct};

use crate::errors::Errors;

const MISPLACED: &str =
    "`#[pytriton::onnx]` must be on a `struct` without fields: write `struct Network;`";

/// Returns the struct for the network; `None` if the item is something else.
pub(super) fn find(item: &TokenStream, errors: &mut Errors) -> Option<ItemStruct> {
    let place = match syn::parse2::<Item>(item.clone()) {
        Ok(Item::Struct(network)) if matches!(network.fields, Fields::Unit) => {
            let generics = network.generics.to_token_stream();
            if generics.is_empty() {
                return Some(network);
            }
            let message = "the struct of a network must not be generic: remove this";
            errors.push(generics, message);
            return None;
        }
        Ok(Item::Struct(network)) => network.fields.into_token_stream(),
        Ok(Item::Fn(function)) => function.sig.fn_token.into_token_stream(),
        Ok(Item::Enum(item)) => item.enum_token.into_token_stream(),
        Ok(Item::Impl(item)) => item.impl_token.into_token_stream(),
        Ok(other) => other.into_token_stream(),
        // The compiler reports an invalid item.
        Err(_) => return None,
    };
    errors.push(place, MISPLACED);
    None
}
