//! The option `instances`: how many there are, or on which devices.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{Expr, ExprCall};

use crate::errors::Errors;
use crate::path::CratePath;
use crate::value::Value;

/// Whether every element of the list is a device; what is none is reported.
pub(super) fn check(value: &Value, errors: &mut Errors) -> bool {
    let before = errors.len();
    for element in value.elements() {
        if group(element).is_none() {
            let message = "expected a device: write `cpu(2)`, for so many instances, or `gpu(0)`, for one on the GPU of that number";
            errors.push(element, message);
        }
    }
    errors.len() == before
}

/// The groups of instances.
pub(super) fn to_groups(value: &Value, root: &CratePath) -> TokenStream {
    let cpu =
        |count: &Expr| quote!(#root::InstanceGroup { device: #root::Device::Cpu, count: #count });
    if !value.is_list() {
        let groups = cpu(&value.expression);
        return quote!(&[#groups]);
    }
    let groups = value.elements().into_iter().filter_map(group);
    let groups = groups.map(|(device, argument)| match device == "cpu" {
        true => cpu(argument),
        false => quote!(#root::InstanceGroup::gpu(#argument)),
    });
    quote!(&[#(#groups),*])
}

/// `cpu(2)` or `gpu(0)`.
fn group(element: &Expr) -> Option<(&Ident, &Expr)> {
    let Expr::Call(ExprCall { func, args, .. }) = element else {
        return None;
    };
    let Expr::Path(path) = &**func else {
        return None;
    };
    let device = path.path.get_ident()?;
    let known = device == "cpu" || device == "gpu";
    let argument = args.first().filter(|_| known && args.len() == 1)?;
    Some((device, argument))
}
