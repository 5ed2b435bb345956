use quote::ToTokens;
use syn::{FnArg, Ident, ReturnType, Safety, Signature, Type};

use super::kind::{Kind, kind};
use crate::errors::Errors;
use crate::types::{argument_of, last_segment, peeled};

/// What a method is called on.
#[derive(Debug)]
pub(super) struct State {
    pub(super) ty: Type,
    /// `None` when it is missing or wrong, which has been reported.
    pub(super) load: Option<Load>,
}

/// The function that makes the state.
#[derive(Debug)]
pub(super) struct Load {
    pub(super) name: Ident,
    /// Whether it takes `&Context`.
    pub(super) context: bool,
    /// Whether it returns a `Result`.
    pub(super) fallible: bool,
    pub(super) returned: Type,
}

impl Load {
    pub(super) fn check(signature: &Signature, state: &Type, errors: &mut Errors) -> Option<Self> {
        if let Some(asyncness) = &signature.asyncness {
            errors.push(asyncness, "`#[load]` must not be `async`: remove `async`");
        }
        if let Safety::Unsafe(token) = &signature.safety {
            errors.push(token, "`#[load]` must not be `unsafe`: remove `unsafe`");
        }
        if !signature.generics.params.is_empty() {
            errors.push(&signature.generics, "`#[load]` must not be generic");
        }
        let context = context(signature, errors);
        let message = "`#[load]` must return the state: write `-> Self` or `-> Result<Self, E>`";
        let ReturnType::Type(_, returned) = &signature.output else {
            errors.push(&signature.ident, message);
            return None;
        };
        let fallible = argument_of("Result", returned).is_some_and(|ty| is_state(ty, state));
        if !fallible && !is_state(returned, state) {
            errors.push(returned, message);
            return None;
        }
        Some(Self {
            name: signature.ident.clone(),
            context,
            fallible,
            returned: (**returned).clone(),
        })
    }
}

/// Whether the only parameter is `&Context`.
fn context(signature: &Signature, errors: &mut Errors) -> bool {
    let mut context = false;
    for parameter in &signature.inputs {
        let known = match parameter {
            FnArg::Typed(parameter) => matches!(kind(&parameter.ty), Kind::Context),
            FnArg::Receiver(_) => false,
        };
        if !known || context {
            errors.push(
                parameter,
                "`#[load]` takes nothing or `context: &Context`: remove this",
            );
        }
        context |= known;
    }
    context
}

fn is_state(ty: &Type, state: &Type) -> bool {
    let itself = last_segment(ty).is_some_and(|last| last.ident == "Self");
    itself || peeled(ty).to_token_stream().to_string() == state.to_token_stream().to_string()
}
