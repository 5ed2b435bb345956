use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::DeriveInput;
use syn::spanned::Spanned;

use super::fields::{OutputField, read};
use crate::errors::Errors;
use crate::path::CratePath;

pub(crate) fn expand(item: TokenStream) -> TokenStream {
    let input = match syn::parse2::<DeriveInput>(item) {
        Ok(input) => input,
        Err(error) => return error.into_compile_error(),
    };
    let mut errors = Errors::default();
    let fields = read(&input, &mut errors);
    if errors.is_empty() {
        return implementation(&input, &fields);
    }
    // A struct without outputs satisfies the bounds of the functions that return it.
    let implementation = implementation(&input, &[]);
    let errors = errors.into_tokens();
    quote!(#implementation #errors)
}

fn implementation(input: &DeriveInput, fields: &[OutputField]) -> TokenStream {
    let root = CratePath::default();
    let name = &input.ident;
    let (impl_generics, type_generics, where_clause) = input.generics.split_for_impl();
    let constants: Vec<_> = (0..fields.len())
        .map(|index| format_ident!("__FIELD_{index}"))
        .collect();
    let types = fields
        .iter()
        .zip(&constants)
        .map(|(field, constant)| field.to_type(constant, &root));
    let declarations = fields
        .iter()
        .zip(&constants)
        .map(|(field, constant)| field.to_declaration(constant));
    let tensors = fields.iter().enumerate().map(|(index, field)| {
        let (ident, constant) = (&field.ident, &constants[index]);
        quote!(#constant.convert(self.#ident, __model, #index)?)
    });
    quote! {
        const _: () = {
            #(#types)*
            impl #impl_generics #root::Outputs for #name #type_generics #where_clause {
                const DECLARATIONS: &'static [#root::TensorDeclaration] = &[#(#declarations),*];

                fn into_tensors(
                    self,
                    __model: &#root::ModelSpec,
                ) -> ::core::result::Result<::std::vec::Vec<#root::Tensor>, #root::ModelError> {
                    ::core::result::Result::Ok(::std::vec![#(#tensors),*])
                }
            }
        };
    }
}

impl OutputField {
    /// The constant that knows the field's type, whose bound the compiler reports on the type itself.
    fn to_type(&self, constant: &syn::Ident, root: &CratePath) -> TokenStream {
        let Self { ty, name, .. } = self;
        let bound = quote_spanned!(ty.span()=> output_field::<#ty>(#name));
        quote!(const #constant: #root::OutputField<#ty> = #root::#bound;)
    }

    fn to_declaration(&self, constant: &syn::Ident) -> TokenStream {
        let shape = match &self.shape {
            Some(shape) => quote!(::core::option::Option::Some(#shape)),
            None => quote!(::core::option::Option::None),
        };
        quote!(#constant.declaration(#shape))
    }
}
