use proc_macro2::TokenStream;
use quote::quote;
use syn::DeriveInput;

use super::fields::OutputField;

/// Returns the implementation for callers of the model.
pub(super) fn implementation(input: &DeriveInput, fields: &[OutputField]) -> TokenStream {
    let name = &input.ident;
    let idents = fields.iter().map(|field| &field.ident);
    let constants = fields.iter().map(|field| &field.constant);
    quote! {
        impl __private::typed::Returned for #name {
            type Typed = Self;

            fn read(
                __tensors: &mut __private::typed::Tensors<'_>,
            ) -> ::core::result::Result<Self, __private::typed::TensorError> {
                ::core::result::Result::Ok(Self { #(#idents: #constants.read(__tensors)?),* })
            }
        }
    }
}
