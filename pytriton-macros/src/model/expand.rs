use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

use super::arguments::{Arguments, Position, may_have_fields};
use super::ast::Model;
use super::attribute::MODEL;
use super::client::{Client, check_name};
use super::function::Function;
use super::options::ModelOptions;
use super::parameters::Parameter;
use super::state::State;
use super::streamed::Streamed;
use super::validate::validate;
use crate::decorators::warmup::Warmup;
use crate::decorators::{Decoration, sequence};
use crate::errors::Errors;
use crate::tensor::{listed, refusal, spanned_call};

/// Returns the item without its decorators, followed by its registration or by all errors.
pub(crate) fn expand(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let options = ModelOptions::parse(&MODEL, attribute, &mut errors);
    expand_with(options, item, errors)
}

/// Same as [`expand`], with options that have been parsed.
pub(crate) fn expand_with(
    mut options: ModelOptions,
    item: TokenStream,
    mut errors: Errors,
) -> TokenStream {
    let (item, function) = Function::find(item, &options.root, &mut errors);
    let Some(function) = function else {
        let errors = errors.into_tokens();
        return quote!(#item #errors);
    };
    options.docs = function.docs.clone();
    let mut on_parameters = function.parameters.iter().flatten();
    options.state = on_parameters.any(|decoration| decoration.is(&sequence::DECORATOR));
    let decorations = function.decorations.iter();
    let decorations = decorations
        .chain(function.parameters.iter().flatten())
        .cloned();
    let decorations: Vec<Decoration> = decorations.chain(function.roles.iter().cloned()).collect();
    let lints = function.lints.clone();
    let client = Client::of(&options, &function);
    let model = validate(&options, function, &mut errors);
    if let Some(name) = &options.client {
        check_name(name, &mut errors);
    }
    let named = options.client.as_ref();
    let typed = model.as_ref();
    let typed = typed.is_some_and(|model| model.is_typed(named, &mut errors));
    let client = client.filter(|_| typed && errors.is_empty());
    options.cost = model.as_ref().and_then(|model| model.cost.clone());
    let openai = model
        .as_ref()
        .and_then(|model| model.decorations.openai.as_ref());
    options.openai = openai.and_then(|openai| openai.to_surface());
    options.generates_text = openai.is_some_and(|openai| openai.generates_text);
    let Some(model) = model else {
        let errors = errors.into_tokens();
        return quote!(#item #errors);
    };
    let implementation = client.iter().map(|client| client.to_implementation(&model));
    let implementation: TokenStream = implementation.collect();
    let constants = model.into_constants(&options, errors.is_empty());
    let errors = errors.into_tokens();
    let import = options.root.to_import();
    let uses = Decoration::to_uses(&decorations);
    let client = client.iter().map(Client::to_declaration);
    quote! {
        #item
        #(#client)*
        #lints
        const _: () = {
            #import
            #uses
            #constants
            #implementation
        };
        #errors
    }
}

impl Model {
    /// Returns the compile-time checks, and the registration if the function is `right`. Otherwise
    /// only the parts without errors are checked, to avoid follow-up errors.
    fn into_constants(mut self, options: &ModelOptions, right: bool) -> TokenStream {
        let count = self.parameters.len();
        self.parameters.retain(|parameter| !parameter.flawed);
        let complete = self.parameters.len() == count;
        let constants = options.to_tokens();
        let signature = self.to_signature();
        let batching =
            options.is_set("batching") || options.sequences() || !self.decorations.batch();
        let plain = right && self.is_plain();
        let fields = may_have_fields(&self.parameters);
        let parameters = self.parameters.iter().enumerate();
        let parameters = parameters
            .filter(|_| options.valid)
            .map(|(index, parameter)| {
                parameter.to_checks(Position { index, fields }, batching, plain)
            });
        let client = options.client.iter().filter(|_| fields);
        let client = client.map(|name| {
            let flaw = quote!(__private::client_flaw(__PARAMETERS));
            refusal(name, &flaw)
        });
        let warmups = self.decorations.warmups.iter().filter(|_| fields);
        let warmups = warmups.map(Warmup::to_fields_check);
        let outputs = complete.then(|| self.to_outputs());
        let checks = right.then(|| self.to_checks(batching));
        let inline = right.then(|| self.to_inline_checks(options));
        let registration = right.then(|| self.to_registration(options));
        quote! {
            use __private::methods::*;
            #constants
            #signature
            #(#parameters)*
            #(#client)*
            #(#warmups)*
            #checks
            #inline
            #outputs
            #registration
        }
    }

    fn to_registration(&self, options: &ModelOptions) -> TokenStream {
        let checks = self.to_output_checks(options);
        let (overrides, warmups) = (self.decorations.to_overrides(), self.to_warmups());
        let function = self.to_function();
        let load = self.to_load();
        let load_parameters = self.to_load_parameters();
        let package = std::env::var("CARGO_PKG_NAME").unwrap_or_default();
        let steps = &self.steps;
        quote! {
            #checks
            #function
            __private::inventory::submit! {
                __private::FunctionDeclaration {
                    options: &__OPTIONS,
                    signature: &__SIGNATURE,
                    outputs: __OUTPUTS,
                    output_overrides: #overrides,
                    steps: &[#(&#steps),*],
                    warmups: #warmups,
                    load: #load,
                    load_parameters: #load_parameters,
                    location: __private::Location::here(#package),
                }
            }
        }
    }

    /// Returns the constant `__SIGNATURE`; the compiler reports an invalid parameter type on the
    /// type itself.
    fn to_signature(&self) -> TokenStream {
        let Arguments { constants, list } = Arguments::of(&self.parameters);
        let declared = self.decorations.declared.iter();
        let declared = declared.map(|input| input.to_declaration());
        let (batch, decorated) = (self.decorations.batch(), self.decorations.any_step());
        let decoupled = self.streamed.is_some();
        let raw = (!self.is_plain()).then(|| {
            quote!(
                const __RAW: bool = __SIGNATURE.raw();
            )
        });
        quote! {
            #constants
            static __SIGNATURE: __private::Signature = __private::Signature {
                arguments: #list,
                batch: #batch,
                decorated: #decorated,
                decoupled: #decoupled,
                declared: &[#(#declared),*],
            };
            #raw
        }
    }

    /// Returns whether all parameters are arrays by name, so that they can be checked together.
    pub(super) fn is_plain(&self) -> bool {
        // Rules of OpenAI routes are reported on each parameter.
        let mut parameters = self.parameters.iter();
        self.decorations.openai.is_none()
            && !self.parameters.is_empty()
            && parameters.all(Parameter::is_plain)
    }

    /// Returns whether it takes raw requests.
    pub(super) fn to_raw(&self) -> TokenStream {
        match self.is_plain() {
            true => quote!(false),
            false => quote!(__RAW),
        }
    }

    /// Checks of the decorators in combination; `batching` adds the checks about batching.
    fn to_checks(&self, batching: bool) -> TokenStream {
        let (overrides, warmups) = (&self.decorations.overrides, &self.warmups);
        let overrides = constant(
            &self.decorations.to_overrides(),
            "OutputOverride",
            overrides,
        );
        let warmups = constant(&self.to_warmups(), "Warmup", warmups);
        let decorations = self.decorations.to_checks(batching);
        let warmup_checks = &self.warmup_checks;
        let has_input = self.parameters.iter().any(Parameter::is_surely_input);
        let signature_check = (!has_input || self.streamed.is_some())
            .then(|| refusal(&self.name, &quote!(__SIGNATURE.whole_flaw(&__OPTIONS))));
        quote!(#overrides #warmups #decorations #warmup_checks #signature_check)
    }

    /// Returns the checks that the function and its state can be called on connection threads.
    fn to_inline_checks(&self, options: &ModelOptions) -> Option<TokenStream> {
        let key = options.inline()?;
        let is_async = self.is_async;
        let function = refusal(key, &quote!(__SIGNATURE.inline_flaw(#is_async, &__OPTIONS)));
        let state = self.state.as_ref().filter(|_| !options.sequences());
        let state = state.map(|State { ty, .. }| {
            let check = quote_spanned!(ty.span()=> inline_state::<#ty>());
            quote!(const _: () = __private::#check;)
        });
        Some(quote!(#function #state))
    }

    /// Returns the constant `__OUTPUTS`; the compiler reports an invalid output type on the type
    /// itself.
    fn to_outputs(&self) -> TokenStream {
        if self.streamed == Some(Streamed::Taken) {
            return quote! {
                const __OUTPUTS: &[__private::TensorDeclaration] = __SIGNATURE.response_outputs();
            };
        }
        let Some(returned) = &self.returned else {
            return TokenStream::new();
        };
        if self.decorations.generates_text() {
            let text = quote_spanned!(returned.span()=> text::<#returned>());
            return quote! {
                const __OUTPUTS: &[__private::TensorDeclaration] = {
                    __private::TextReturnCheck::#text;
                    <__private::Piece as __private::Outputs>::DECLARATIONS
                };
            };
        }
        let (output_bounds, raw) = (&self.output_bounds, self.to_raw());
        quote! {
            const __OUTPUTS: &[__private::TensorDeclaration] = {
                #(__private::ReturnCheck::<#raw>::#output_bounds;)*
                __private::Returns::<#returned, #raw>::DECLARATIONS
            };
        }
    }

    /// Returns the warm-ups.
    fn to_warmups(&self) -> TokenStream {
        listed("__WARMUPS", &self.warmups)
    }

    /// Returns the checks of the outputs, together with checks that rarely fail: a constant for
    /// each would take more compile time than everything else.
    fn to_output_checks(&self, options: &ModelOptions) -> TokenStream {
        let usual = options.to_usual_checks();
        let overrides = self.decorations.to_overrides();
        let outputs = quote!(__OUTPUTS, #overrides, __OPTIONS.batching);
        let refuse = spanned_call(&self.shown, "refuse_outputs", &outputs);
        let openai = options.openai.is_some() && !self.decorations.generates_text();
        let openai = openai.then(|| {
            let flaw = quote!(__private::vectors_flaw(__OUTPUTS, #overrides));
            refusal(&self.shown, &flaw)
        });
        let plain = self.is_plain().then(|| {
            let flaw = quote!(__SIGNATURE.plain_flaw(&__OPTIONS));
            spanned_call(&self.name, "refuse", &flaw)
        });
        let shapes = self.decorations.overrides.iter().enumerate();
        let shapes = shapes.filter_map(|(index, with)| {
            let flaw = quote! {
                __private::override_flaw(__OUTPUTS, __OVERRIDES, #index, __OPTIONS.batching)
            };
            Some(refusal(with.shape.as_ref()?.value(), &flaw))
        });
        let labels = self.decorations.overrides.iter().enumerate();
        let labels = labels.filter_map(|(index, with)| {
            let flaw = quote!(__private::labels_flaw(__OUTPUTS, __OVERRIDES, #index));
            Some(refusal(&with.labels.as_ref()?.expression, &flaw))
        });
        quote! {
            const _: () = { #(#usual;)* #refuse; #plain };
            #openai
            #(#shapes)*
            #(#labels)*
        }
    }
}

/// Returns a constant for a non-empty list.
fn constant(name: &TokenStream, element: &str, list: &[impl ToTokens]) -> Option<TokenStream> {
    let element = format_ident!("{element}");
    (!list.is_empty()).then(|| quote!(const #name: &[__private::#element] = &[#(#list),*];))
}
