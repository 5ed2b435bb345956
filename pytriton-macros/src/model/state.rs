use syn::{FnArg, Ident, ReturnType, Safety, Signature, Type};

use super::lifetime::nameable;
use crate::errors::Errors;

const SURPLUS: &str = "`#[load]` takes nothing or `context: &Context`: remove this";

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
    /// The type of its parameter, which is `&Context`.
    pub(super) context: Option<Type>,
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
        let mut parameters = signature.inputs.iter();
        let context = match parameters.next() {
            Some(FnArg::Typed(parameter)) => Some(nameable(&parameter.ty, Some(state))),
            Some(receiver) => {
                errors.push(receiver, SURPLUS);
                None
            }
            None => None,
        };
        parameters.for_each(|parameter| errors.push(parameter, SURPLUS));
        let ReturnType::Type(_, returned) = &signature.output else {
            let message =
                "`#[load]` must return the state: write `-> Self` or `-> Result<Self, E>`";
            errors.push(&signature.ident, message);
            return None;
        };
        Some(Self {
            name: signature.ident.clone(),
            context,
            returned: nameable(returned, Some(state)),
        })
    }
}
