use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::{DeriveInput, Lifetime};

use super::fields::{DERIVE, read};
use crate::errors::Errors;
use crate::model::Parameter;

pub(crate) fn expand(item: TokenStream) -> TokenStream {
    let input = match syn::parse2::<DeriveInput>(item) {
        Ok(input) => input,
        Err(error) => return error.into_compile_error(),
    };
    let mut errors = Errors::default();
    let import = DERIVE.root(&input, &mut errors).to_import();
    let fields = read(&input, &mut errors);
    let implementation = match errors.is_empty() {
        true => implementation(&input, &fields),
        // A struct with errors is a parameter too, so that functions have no further errors.
        false => {
            let unknown = quote!(&[__private::Argument::UNKNOWN]);
            let error = quote! {
                ::core::result::Result::Err(__private::nothing(__call.context()))
            };
            parameter(&input, &unknown, &quote!(__private::Nothing), &error)
        }
    };
    let errors = errors.into_tokens();
    quote! {
        const _: () = {
            #import
            #implementation
        };
        #errors
    }
}

fn implementation(input: &DeriveInput, fields: &[Parameter]) -> TokenStream {
    let arguments = fields.iter().map(Parameter::to_argument);
    let checks = fields.iter().enumerate();
    let checks = checks.map(|(index, field)| field.to_field_checks(index));
    let locals: Vec<Ident> = (0..fields.len())
        .map(|index| format_ident!("__field_{index}", span = Span::mixed_site()))
        .collect();
    let reads = fields.iter().zip(&locals).enumerate();
    let reads =
        reads.map(|(index, (field, local))| field.to_read(&quote!(__input + #index), local));
    let idents = DERIVE.fields(input, &mut Errors::default()).into_iter();
    let idents = idents.map(|field| &field.ident);
    let name = &input.ident;
    let read = quote! {
        #(#reads)*
        ::core::result::Result::Ok(__private::ByValue(#name { #(#idents: #locals.argument()),* }))
    };
    let call = lifetime();
    let lifetimes = input.generics.lifetimes().map(|_| &call);
    let storage = quote!(__private::ByValue<#name <#(#lifetimes),*>>);
    let implementation = parameter(input, &quote!(__FIELDS.arguments), &storage, &read);
    quote! {
        use __private::methods::*;
        static __FIELDS: __private::Signature =
            __private::Signature::of_fields(&[#(#arguments),*]);
        #(#checks)*
        #implementation
    }
}

/// Returns the implementation of the trait `Parameter`.
fn parameter(
    input: &DeriveInput,
    fields: &TokenStream,
    storage: &TokenStream,
    read: &TokenStream,
) -> TokenStream {
    let (name, call) = (&input.ident, lifetime());
    let (impl_generics, type_generics, where_clause) = input.generics.split_for_impl();
    quote! {
        impl #impl_generics __private::Parameter for #name #type_generics #where_clause {
            const DECLARED: __private::Declared = __private::Declared::Fields(#fields);
            type Element = ();
            type Storage<#call> = #storage;

            fn read<#call>(
                __call: &#call __private::Call<'_>,
                __input: usize,
            ) -> ::core::result::Result<Self::Storage<#call>, __private::ModelError> {
                #read
            }
        }
    }
}

/// Returns the lifetime of the call.
fn lifetime() -> Lifetime {
    Lifetime::new("'__call", Span::mixed_site())
}
