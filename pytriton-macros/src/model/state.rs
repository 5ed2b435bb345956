use syn::{FnArg, Ident, ReturnType, Signature, Type};

use super::lifetime::nameable;
use super::receiver::check_receiver;
use crate::decorators::{Decorator, load};
use crate::errors::Errors;

/// The state of a method.
#[derive(Debug)]
pub(super) struct State {
    pub(super) ty: Type,
    /// Its loader; `None` if it is missing or invalid, which has been reported.
    pub(super) load: Option<StateConstructor>,
    /// The function that creates the state of a sequence, if there is one.
    pub(super) start: Option<StateConstructor>,
}

/// A function that creates a state.
#[derive(Debug)]
pub(super) struct StateConstructor {
    pub(super) name: Ident,
    pub(super) is_async: bool,
    /// Whether it takes `&self`.
    pub(super) receiver: bool,
    /// The types of its other parameters.
    pub(super) parameters: Vec<Type>,
    pub(super) returned: Type,
}

impl StateConstructor {
    pub(super) fn check(
        role: &Decorator,
        signature: &Signature,
        state: &Type,
        errors: &mut Errors,
    ) -> Option<Self> {
        let (loads, role) = (*role == load::DECORATOR, role.name);
        let must_not = |what: &str| format!("`#[{role}]` must not be {what}");
        // A start runs while the instance executes other sequences, which it would block.
        if !loads {
            errors.refuse(signature.asyncness, must_not("`async`: remove `async`"));
        }
        errors.refuse(&signature.safety, must_not("`unsafe`: remove `unsafe`"));
        errors.refuse(&signature.generics, must_not("generic"));
        let mut parameters = Vec::new();
        for parameter in &signature.inputs {
            match parameter {
                FnArg::Typed(typed) => parameters.push(nameable(&typed.ty, Some(state))),
                FnArg::Receiver(receiver) if !loads => check_receiver(role, receiver, errors),
                receiver => {
                    errors.push(receiver, "`#[load]` creates the state: remove `self`");
                }
            }
        }
        let ReturnType::Type(_, returned) = &signature.output else {
            let written = match loads {
                true => "the state: write `-> Self` or `-> Result<Self, E>`",
                false => "the state that `#[infer]` takes: write `-> …`",
            };
            let message = format!("`#[{role}]` must return {written}");
            errors.push(&signature.ident, message);
            return None;
        };
        Some(Self {
            name: signature.ident.clone(),
            is_async: signature.asyncness.is_some(),
            receiver: signature.receiver().is_some(),
            parameters,
            returned: nameable(returned, Some(state)),
        })
    }
}
