//! A return type that says that a request has any number of answers.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{GenericArgument, ReturnType, Signature, Type, TypeImplTrait};

use crate::errors::Errors;
use crate::types::{argument_of, arguments, peeled, traits, type_text};

/// What the answers come in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Streamed {
    /// What the function returns.
    Returned {
        /// Whether it may wait for the next answer without holding its thread: a stream, no iterator.
        waits: bool,
        /// Whether the function may fail before the first answer.
        fallible: bool,
    },
    /// The function takes `Responses`.
    Taken,
}

/// What the answers come in and what one of them is, for `impl Iterator<Item = …>`, `impl Stream<Item = …>` and a `Result` of
/// either.
pub(super) fn read(
    raw: bool,
    signature: &Signature,
    errors: &mut Errors,
) -> Option<(Streamed, Type)> {
    let ReturnType::Type(_, returned) = &signature.output else {
        return None;
    };
    let (outputs, fallible) = match argument_of("Result", returned) {
        Some(outputs) => (outputs, true),
        None => (&**returned, false),
    };
    let Type::ImplTrait(hidden) = peeled(outputs) else {
        return None;
    };
    let (bound, item) = item(hidden)?;
    if raw {
        let text = type_text(&item);
        let message = format!(
            "requests that are taken as they are have answers of their own: remove this, and take `responses: Vec<Responses<{text}>>`"
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
                "any number of answers come in an iterator or a stream, no `{other}`: write `impl Iterator<Item = {item}>`"
            );
            errors.push(bound, message);
            false
        }
    };
    Some((Streamed::Returned { waits, fallible }, item))
}

/// The trait that says what an item is, and the item.
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
    /// Whether the function holds no thread while it waits for the next answer.
    pub(super) fn waits(self) -> bool {
        matches!(self, Self::Taken | Self::Returned { waits: true, .. })
    }

    /// Hands the answers on that `__returned` has, which is of the type `shown`; `item` is what each of them is put into.
    pub(super) fn to_answer(
        self,
        is_async: bool,
        item: &TokenStream,
        shown: &TokenStream,
    ) -> TokenStream {
        let Self::Returned { waits, fallible } = self else {
            let call = quote!(__call);
            // Its own variable: what a macro of the user's has as a type does not see those of this expansion.
            let returned = Ident::new("__returned", shown.span());
            let ended = quote_spanned!(shown.span()=> __private::ended(#call, #returned));
            return quote! {{
                let #returned = __returned;
                __private::closed(__call, #ended).await
            }};
        };
        let convert = quote!(|__item| #item(__item).convert(__call));
        let answer = match (waits, is_async) {
            (true, _) => quote!(__private::flow(__call, __answers, #convert).await),
            (false, true) => quote! {
                __private::flow(__call, __private::stream_of(__answers), #convert).await
            },
            (false, false) => quote!(__private::iterate(__call, __answers, #convert)),
        };
        match fallible {
            false => quote!({ let __answers = __returned; #answer }),
            true => quote! {
                match __returned {
                    ::core::result::Result::Ok(__answers) => #answer,
                    ::core::result::Result::Err(__error) => {
                        ::core::result::Result::Err(__call.failed(&__error))
                    }
                }
            },
        }
    }
}
