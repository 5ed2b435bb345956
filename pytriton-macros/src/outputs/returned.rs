use proc_macro2::TokenStream;
use quote::quote;
use syn::DeriveInput;

use super::fields::OutputField;
use crate::path::CratePath;

/// What makes the struct what callers of a model get.
pub(super) fn implementation(
    input: &DeriveInput,
    fields: &[OutputField],
    root: &CratePath,
) -> TokenStream {
    let name = &input.ident;
    let idents = fields.iter().map(|field| &field.ident);
    let import = root.to_import();
    quote! {
        const _: () = {
            #import
            impl #root::typed::Returned for #name {
                type Typed = Self;

                fn read(
                    __tensors: &mut #root::typed::Tensors<'_>,
                ) -> ::core::result::Result<Self, #root::typed::TensorError> {
                    ::core::result::Result::Ok(Self { #(#idents: __tensors.next()?),* })
                }
            }
        };
    }
}
