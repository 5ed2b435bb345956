use syn::{Receiver, ReceiverKind, Type};

use crate::errors::Errors;
use crate::types::{named, peeled};

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
