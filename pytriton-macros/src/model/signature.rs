use syn::{FnArg, GenericParam, Receiver, ReceiverKind, Safety, Signature, Type};

use super::item::Function;
use crate::errors::Errors;
use crate::types::{last_segment, peeled};

/// Reports everything before the parameters and the return type that a model's function cannot have.
pub(super) fn check(function: &Function, errors: &mut Errors) {
    let signature = &function.signature;
    if let Safety::Unsafe(token) = &signature.safety {
        errors.push(
            token,
            "a model's function must not be `unsafe`: remove `unsafe`",
        );
    }
    if let Some(abi) = &signature.abi {
        errors.push(abi, "a model's function must not be `extern`: remove this");
    }
    if let Some(variadic) = &signature.variadic {
        errors.push(
            variadic,
            "a model's function must not be variadic: remove `...`",
        );
    }
    check_generics(signature, errors);
    match &function.state {
        None => check_free(signature, errors),
        Some(_) => check_method(signature, errors),
    }
}

fn check_generics(signature: &Signature, errors: &mut Errors) {
    for parameter in &signature.generics.params {
        match parameter {
            GenericParam::Lifetime(_) => {}
            GenericParam::Type(_) | GenericParam::Const(_) => errors.push(
                parameter,
                "a model's function must not be generic: write the types, such as `ArrayView2<f32>`",
            ),
        }
    }
    if let Some(where_clause) = &signature.generics.where_clause {
        errors.push(
            where_clause,
            "a model's function must not have a `where` clause",
        );
    }
}

fn check_free(signature: &Signature, errors: &mut Errors) {
    if let Some(receiver) = signature.receiver() {
        errors.push(
            receiver,
            "`self` needs the whole `impl` block: put `#[pytriton::model]` on the block and `#[infer]` on this method",
        );
    }
}

fn check_method(signature: &Signature, errors: &mut Errors) {
    match signature.inputs.first() {
        Some(FnArg::Receiver(receiver)) => check_receiver("infer", receiver, errors),
        _ => errors.push(&signature.ident, "`#[infer]` must take `&self` first"),
    }
}

/// Reports a `self` that is not borrowed, or for ever.
pub(super) fn check_receiver(role: &str, receiver: &Receiver, errors: &mut Errors) {
    match &receiver.kind {
        ReceiverKind::Reference(_, Some(lifetime), None) if lifetime.ident == "static" => {
            errors.push(
                lifetime,
                "`self` lives only as long as the call: remove `'static`",
            );
        }
        ReceiverKind::Reference(_, _, None) => {}
        ReceiverKind::Typed(_, ty) if is_borrowed_self(ty) => {}
        _ => {
            let message =
                format!("`#[{role}]` must take `&self`; state that changes can be in a `RefCell`");
            errors.push(receiver, message);
        }
    }
}

/// Whether a type is `&Self`.
fn is_borrowed_self(ty: &Type) -> bool {
    match peeled(ty) {
        Type::Reference(reference) => {
            let is_self = last_segment(&reference.elem).is_some_and(|last| last.ident == "Self");
            is_self && reference.mutability.is_none()
        }
        _ => false,
    }
}
