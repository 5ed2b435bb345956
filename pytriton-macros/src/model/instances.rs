//! The option `instances`: the number of instances, or their devices.
//!
//! A number is a constant, which the compiler checks, or an expression with a call, which is
//! evaluated at start.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, UnOp};

use crate::enum_option::EnumOption;
use crate::errors::Errors;
use crate::expression::peeled;
use crate::value::Value;

/// Returns whether every element of the list is a device; reports those that are not.
pub(super) fn check(value: &Value, errors: &mut Errors) -> bool {
    let before = errors.len();
    for element in value.elements() {
        if group(element).is_none() {
            let message = "expected a device: write `cpu(2)`, for two instances on the CPU, or `gpu(0)`, for one instance on GPU 0";
            errors.push(element, message);
        }
    }
    errors.len() == before
}

/// Returns the instance groups.
pub(super) fn to_groups(value: &Value) -> TokenStream {
    let cpu = |count: &Expr| quote!(__private::InstanceGroup::cpu(#count));
    if !value.is_list() {
        let groups = cpu(&value.expression);
        return quote!(&[#groups]);
    }
    let groups = value.elements().into_iter().filter_map(group);
    let groups = groups.map(|group| match (group.ident, group.arguments[0]) {
        (device, count) if device == "cpu" => cpu(count),
        (_, number) => quote!(__private::InstanceGroup::gpu(#number)),
    });
    quote!(&[#(#groups),*])
}

/// Returns the field with the number of instances if it is evaluated at start.
pub(super) fn to_count(value: &Value) -> Option<TokenStream> {
    let expression = &value.expression;
    (!value.is_list() && !is_constant(expression)).then(|| {
        let count = quote_spanned!(expression.span()=> instance_count(#expression));
        quote!(instance_count: ::core::option::Option::Some(|| __private::#count))
    })
}

/// Returns whether an expression has a value at compile time, as far as its tokens show.
fn is_constant(expression: &Expr) -> bool {
    match peeled(expression) {
        Expr::Lit(_) | Expr::Path(_) | Expr::Const(_) => true,
        Expr::Binary(binary) => is_constant(&binary.left) && is_constant(&binary.right),
        Expr::Cast(cast) => is_constant(&cast.expr),
        Expr::Unary(unary) => !matches!(unary.op, UnOp::Deref(_)) && is_constant(&unary.expr),
        _ => false,
    }
}

fn group(element: &Expr) -> Option<EnumOption<'_>> {
    EnumOption::read(element).filter(|word| word.is("cpu", 1..=1) || word.is("gpu", 1..=1))
}
