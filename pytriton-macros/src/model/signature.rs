use syn::{FnArg, GenericParam};

use super::function::Function;
use super::receiver::check_receiver;
use crate::errors::Errors;

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
