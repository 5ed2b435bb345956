use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::DeriveInput;

use super::fields::OutputField;
use crate::path::CratePath;

/// What makes the struct what callers of a model get, by the constants that know its fields.
pub(super) fn implementation(
    input: &DeriveInput,
    fields: &[OutputField],
    constants: &[Ident],
    root: &CratePath,
) -> TokenStream {
    let name = &input.ident;
    let idents = fields.iter().map(|field| &field.ident);
    quote! {
        impl #root::typed::Returned for #name {
            type Typed = Self;

            fn read(
                __tensors: &mut #root::typed::Tensors<'_>,
            ) -> ::core::result::Result<Self, #root::typed::TensorError> {
                ::core::result::Result::Ok(Self { #(#idents: #constants.read(__tensors)?),* })
            }
        }
    }
}
