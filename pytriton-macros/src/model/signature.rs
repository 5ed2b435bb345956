use syn::{FnArg, GenericParam, Receiver, ReceiverKind, Type};

use super::item::Function;
use crate::errors::Errors;
use crate::types::{named, peeled};

/// Reports everything in the signature, except parameters and return type, that a model's function
/// must not have.
pub(super) fn check(function: &Function, errors: &mut Errors) {
    let signature = &function.signature;
    errors.refuse(
        &signature.safety,
        "a model's function must not be `unsafe`: remove `unsafe`",
    );
    errors.refuse(
        &signature.abi,
        "a model's function must not be `extern`: remove this",
    );
    errors.refuse(
        &signature.variadic,
        "a model's function must not be variadic: remove `...`",
    );
    for parameter in &signature.generics.params {
        if !matches!(parameter, GenericParam::Lifetime(_)) {
            let message = "a model's function must not be generic: write the types, such as `ArrayView2<f32>`";
            errors.push(parameter, message);
        }
    }
    errors.refuse(
        &signature.generics.where_clause,
        "a model's function must not have a `where` clause",
    );
    match (&function.state, signature.inputs.first()) {
        (Some(_), Some(FnArg::Receiver(receiver))) => check_receiver("infer", receiver, errors),
        (Some(_), _) => errors.push(&signature.ident, "`#[infer]` must take `&self` first"),
        (None, _) => errors.refuse(
            signature.receiver(),
            "`self` needs the whole `impl` block: put `#[pytriton::model]` on the block and `#[infer]` on this method",
        ),
    }
}

/// Reports a `self` that is not borrowed, or borrowed for `'static`.
pub(super) fn check_receiver(role: &str, receiver: &Receiver, errors: &mut Errors) {
    match &receiver.kind {
        ReceiverKind::Reference(_, Some(lifetime), None) if lifetime.ident == "static" => {
            errors.push(
                lifetime,
                "`self` is borrowed only for the call: remove `'static`",
            );
        }
        ReceiverKind::Reference(_, _, None) => {}
        ReceiverKind::Typed(_, ty) if is_borrowed_self(ty) => {}
        _ => {
            let message =
                format!("`#[{role}]` must take `&self`: put state that changes in a `RefCell`");
            errors.push(receiver, message);
        }
    }
}

/// Returns whether a type is `&Self`.
fn is_borrowed_self(ty: &Type) -> bool {
    matches!(peeled(ty), Type::Reference(reference)
        if reference.mutability.is_none() && named("Self", &reference.elem).is_some())
}
