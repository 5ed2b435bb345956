//! The option `instances`: the number of instances, or their devices.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Expr;

use crate::enum_option::EnumOption;
use crate::errors::Errors;
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
    let cpu = |count: &Expr| quote!(__private::InstanceGroup { device: __private::Device::Cpu, count: #count });
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

/// `cpu(2)` or `gpu(0)`.
fn group(element: &Expr) -> Option<EnumOption<'_>> {
    EnumOption::read(element).filter(|word| word.is("cpu", 1..=1) || word.is("gpu", 1..=1))
}
