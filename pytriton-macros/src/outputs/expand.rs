use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::DeriveInput;
use syn::spanned::Spanned;

use super::fields::{DERIVE, OutputField, read};
use super::returned;
use crate::docs::to_described;
use crate::errors::Errors;
use crate::path::CratePath;
use crate::tensor::{optional, refusal};

pub(crate) fn expand(item: TokenStream) -> TokenStream {
    let input = match syn::parse2::<DeriveInput>(item) {
        Ok(input) => input,
        Err(error) => return error.into_compile_error(),
    };
    let mut errors = Errors::default();
    let root = DERIVE.root(&input, &mut errors);
    let fields = read(&input, &mut errors);
    if errors.is_empty() {
        let returned = returned::implementation(&input, &fields);
        return implementation(&input, &fields, &root, &returned);
    }
    // A struct without outputs satisfies the bounds of the functions that return it.
    let implementation = implementation(&input, &[], &root, &TokenStream::new());
    let errors = errors.into_tokens();
    quote!(#implementation #errors)
}

fn implementation(
    input: &DeriveInput,
    fields: &[OutputField],
    root: &CratePath,
    returned: &TokenStream,
) -> TokenStream {
    let name = &input.ident;
    let (impl_generics, type_generics, where_clause) = input.generics.split_for_impl();
    let types = fields.iter().map(OutputField::to_type);
    let checks = fields.iter().map(OutputField::to_checks);
    let declarations = fields.iter().map(OutputField::to_declaration);
    let writes = fields.iter().map(|field| {
        let OutputField {
            ident, constant, ..
        } = field;
        quote!(#constant.write(self.#ident, &mut __writer);)
    });
    let import = root.to_import();
    quote! {
        const _: () = {
            #import
            #(#types)*
            #(#checks)*
            impl #impl_generics __private::Outputs for #name #type_generics #where_clause {
                const DECLARATIONS: &'static [__private::TensorDeclaration] = &[#(#declarations),*];

                fn into_parts(
                    self,
                    mut __writer: __private::OutputWriter<'_>,
                ) -> ::core::result::Result<__private::ResponseParts, __private::ModelError> {
                    #(#writes)*
                    __writer.finish()
                }
            }

            #returned
        };
    }
}

impl OutputField {
    /// Returns the constant for the field's type; the compiler reports a missing trait on the type
    /// itself.
    fn to_type(&self) -> TokenStream {
        let Self {
            constant, ty, name, ..
        } = self;
        let bound = quote_spanned!(ty.span()=> output_field::<#ty>(#name));
        quote!(const #constant: __private::OutputField<#ty> = __private::#bound;)
    }

    fn to_checks(&self) -> TokenStream {
        let constant = &self.constant;
        let mut checks = self.name.to_check();
        if let Some(shape) = &self.shape {
            checks.extend(shape.to_checks());
            let flaw = quote!(#constant.shape_flaw(#shape));
            checks.extend(refusal(shape.value(), &flaw));
        }
        if let Some(labels) = &self.labels {
            let shape = optional(self.shape.as_ref());
            let flaw = quote!(#constant.labels_flaw(#shape, #labels));
            checks.extend(refusal(&labels.expression, &flaw));
        }
        checks
    }

    fn to_declaration(&self) -> TokenStream {
        let constant = &self.constant;
        let shape = optional(self.shape.as_ref());
        let labels = self.labels.iter();
        let described = to_described(&self.docs);
        quote!(#constant.declaration(#shape) #(.labelled(#labels))* #described)
    }
}
