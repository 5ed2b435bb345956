//! Parameters in generated code.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};

use super::parameters::Parameter;
use crate::docs::to_described;
use crate::tensor::{TensorName, optional, refusal, spanned_call};
use crate::value::Value;

/// The arguments of a signature. If a parameter may be a struct, constants replace it by its
/// fields.
#[derive(Debug)]
pub(super) struct Arguments {
    /// The constants that the list refers to.
    pub(super) constants: TokenStream,
    /// The list of arguments.
    pub(super) list: TokenStream,
}

impl Arguments {
    pub(super) fn of(parameters: &[Parameter]) -> Self {
        let arguments = parameters.iter().map(Parameter::to_argument);
        let list = quote!(&[#(#arguments),*]);
        if !may_have_fields(parameters) {
            return Self {
                constants: TokenStream::new(),
                list,
            };
        }
        let count = parameters.len();
        let length = count + 1;
        Self {
            constants: quote! {
                const __PARAMETERS: &[__private::Argument] = #list;
                const __INDEXES: [usize; #length] = __private::argument_indexes(__PARAMETERS);
            },
            list: quote!(&__private::with_fields::<{ __INDEXES[#count] }>(__PARAMETERS)),
        }
    }
}

/// Returns whether one of the parameters may be a struct of inputs.
pub(super) fn may_have_fields(parameters: &[Parameter]) -> bool {
    parameters.iter().any(Parameter::may_be_fields)
}

/// A parameter's index, as its index in the signature.
#[derive(Debug, Clone, Copy)]
pub(super) struct Position {
    pub(super) index: usize,
    /// Whether a parameter may be a struct, which has several arguments in the signature.
    pub(super) fields: bool,
}

impl ToTokens for Position {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let index = self.index;
        match self.fields {
            true => tokens.extend(quote!(__INDEXES[#index])),
            false => index.to_tokens(tokens),
        }
    }
}

impl Parameter {
    /// Returns the argument in the signature.
    pub(crate) fn to_argument(&self) -> TokenStream {
        let (ty, parameter) = (&self.ty, self.kind.to_trait());
        let parameter = quote!(__private::#parameter);
        let declared = quote_spanned!(self.span=> <#ty as #parameter>::DECLARED);
        let name = optional(self.name.as_ref());
        let shape = self.shape.iter().map(|shape| quote!(.shape(#shape)));
        let example = self.example.iter();
        let example = example.map(|example| quote!(.example(#example)));
        let filled = self.filled.then(|| quote!(.filled()));
        let first_value = self.first_value().map(|first_value_options| {
            let strict = Value::or(first_value_options.strict.as_ref(), true);
            let squeeze = first_value_options.squeeze.iter();
            quote!(.first_value(#strict) #(.squeeze(#squeeze))*)
        });
        let described = to_described(&self.docs);
        quote!(__private::Argument::new(#declared, #name) #(#shape)* #(#example)* #first_value #filled #described)
    }

    /// Checks of the parameter at this position. `batching` adds the checks about batching; `plain`
    /// if its type is checked elsewhere.
    pub(super) fn to_checks(&self, position: Position, batching: bool, plain: bool) -> TokenStream {
        let flaw = |method: TokenStream| quote!(__SIGNATURE.#method(#position, &__OPTIONS));
        let mut checks = TokenStream::new();
        if self.may_be_fields() {
            checks.extend(self.to_fields_check(position.index));
        } else if !plain {
            checks.extend(refusal(&self.shown, &flaw(quote!(flaw))));
        }
        if let Some(shape) = &self.shape {
            checks.extend(shape.to_checks());
            checks.extend(refusal(shape.value(), &flaw(quote!(shape_flaw))));
        }
        if let Some(example) = &self.example {
            checks.extend(refusal(&example.expression, &flaw(quote!(example_flaw))));
        }
        if let Some(first_value_options) = self.first_value() {
            if batching {
                checks.extend(refusal(
                    &first_value_options.decoration,
                    &flaw(quote!(first_value_flaw)),
                ));
            }
            if let Some(squeeze) = &first_value_options.squeeze {
                checks.extend(refusal(&squeeze.expression, &flaw(quote!(squeeze_flaw))));
            }
        }
        if let Some(decoration) = &self.given {
            checks.extend(refusal(decoration, &flaw(quote!(given_flaw))));
        }
        let plain = |name: &TensorName| {
            name.own && !name.text.starts_with("__") && !name.text.starts_with("triton_")
        };
        if let Some(name) = self.name.as_ref() {
            let shown = Ident::new("name", name.span);
            if !plain(name) {
                checks.extend(refusal(shown, &flaw(quote!(name_flaw))));
            } else if position.fields && !self.may_be_fields() {
                let flaw = quote!(__SIGNATURE.repeated_flaw(#position, #position));
                checks.extend(refusal(shown, &flaw));
            }
        }
        checks
    }

    /// Checks of a parameter that may be a struct of inputs.
    fn to_fields_check(&self, index: usize) -> TokenStream {
        let next = index + 1;
        let arguments = quote! {
            &__PARAMETERS[#index], &__SIGNATURE, (__INDEXES[#index], __INDEXES[#next]), &__OPTIONS
        };
        let refuse = spanned_call(&self.shown, "refuse_fields", &arguments);
        let given = self.given.as_ref().map(|decoration| {
            let flaw = quote!(__PARAMETERS[#index].fields_given_flaw());
            refusal(decoration, &flaw)
        });
        quote!(const _: () = #refuse; #given)
    }

    /// Checks of a field of a struct, which do not depend on the model.
    pub(crate) fn to_field_checks(&self, index: usize) -> TokenStream {
        let flaw = |method: TokenStream| quote!(__FIELDS.#method(#index));
        let mut checks = refusal(&self.shown, &flaw(quote!(field_flaw)));
        checks.extend(self.name.iter().map(TensorName::to_check));
        if let Some(shape) = &self.shape {
            checks.extend(shape.to_checks());
            checks.extend(refusal(shape.value(), &flaw(quote!(field_shape_flaw))));
        }
        if let Some(example) = &self.example {
            checks.extend(refusal(
                &example.expression,
                &flaw(quote!(field_example_flaw)),
            ));
        }
        let first_value_options = self.first_value();
        if let Some(squeeze) = first_value_options.and_then(|options| options.squeeze.as_ref()) {
            checks.extend(refusal(
                &squeeze.expression,
                &flaw(quote!(field_squeeze_flaw)),
            ));
        }
        checks
    }

    /// Reads the argument into a variable. `input` is the index of the input, if it is one.
    pub(crate) fn to_read(&self, input: &TokenStream, local: &Ident) -> TokenStream {
        let ty = &self.ty;
        let reader = self.kind.to_reader();
        let read = quote!(__private::#reader::<#ty>::NEW.read(__call, #input)?);
        match self.is_state() {
            false => quote!(let #local = #read;),
            true => quote!(let mut __held = #read; let mut #local = __held.reborrow();),
        }
    }
}
