//! Return types of streaming functions.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{GenericArgument, ReturnType, Signature, Type, TypeImplTrait};

use super::conversion::{result_of, returned};
use crate::errors::Errors;
use crate::types::{argument_of, arguments, peeled, traits, type_text};

/// How a function returns its responses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Streamed {
    /// In its return value.
    Returned {
        /// Whether it may wait for the next response without blocking its thread: a stream, not an
        /// iterator.
        waits: bool,
    },
    /// Through a `Responses` parameter.
    Taken,
}

/// Parses `impl Iterator<Item = …>`, `impl Stream<Item = …>` and a `Result` of either. Returns the
/// kind and the item type.
pub(super) fn read(
    raw: bool,
    signature: &Signature,
    errors: &mut Errors,
) -> Option<(Streamed, Type)> {
    let ReturnType::Type(_, returned) = &signature.output else {
        return None;
    };
    let outputs = argument_of("Result", returned).unwrap_or(returned);
    let Type::ImplTrait(hidden) = peeled(outputs) else {
        return None;
    };
    let (bound, item) = item(hidden)?;
    if raw {
        let text = type_text(&item);
        let message = format!(
            "each raw request has its own responses: remove this, and take `responses: Vec<Responses<{text}>>`"
        );
        errors.push(returned, message);
        return None;
    }
    let waits = match bound.to_string().as_str() {
        "Iterator" => false,
        "Stream" => true,
        other => {
            let item = type_text(&item);
            let message = format!(
                "streamed responses are an iterator or a stream, not `{other}`: write `impl Iterator<Item = {item}>`"
            );
            errors.push(bound, message);
            false
        }
    };
    Some((Streamed::Returned { waits }, item))
}

/// Returns the trait with its item type.
fn item(hidden: &TypeImplTrait) -> Option<(&Ident, Type)> {
    traits(hidden).find_map(|last| {
        let item = arguments(last).find_map(|argument| match argument {
            GenericArgument::AssocType(of) if of.ident == "Item" => Some(of.ty.clone()),
            _ => None,
        });
        Some((&last.ident, item?))
    })
}

impl Streamed {
    /// Returns whether the function releases its thread while it waits for the next response.
    pub(super) fn waits(self) -> bool {
        matches!(self, Self::Taken | Self::Returned { waits: true, .. })
    }

    /// Sends the responses in `__returned`, which has the type `shown`; `convert` converts the item
    /// `__item`.
    pub(super) fn to_responses(
        self,
        is_async: bool,
        convert: &TokenStream,
        shown: &TokenStream,
    ) -> TokenStream {
        let Self::Returned { waits } = self else {
            let call = quote!(__call);
            // A separate variable: types from a user's macro do not see the variables of this
            // expansion.
            let returned = Ident::new("__returned", shown.span());
            let ended = quote_spanned!(shown.span()=> __private::ended(#call, #returned));
            let result = result_of(&quote!(__returned));
            return quote! {{
                let #returned = #result;
                __private::closed(__call, #ended).await
            }};
        };
        let responses = returned(&quote!(__returned));
        let convert = quote!(|__item| #convert);
        let response = match (waits, is_async) {
            (true, _) => quote!(__private::flow(__call, __responses, #convert).await),
            (false, true) => quote! {
                __private::flow(__call, __private::stream_of(__responses), #convert).await
            },
            (false, false) => quote!(__private::iterate(__call, __responses, #convert)),
        };
        quote!({ let __responses = #responses; #response })
    }
}
