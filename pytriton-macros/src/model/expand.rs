use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

use super::ast::Model;
use super::item::Function;
use super::options::ModelOptions;
use super::parameters::Parameter;
use super::state::Maker;
use super::streamed::Streamed;
use super::validate::validate;
use crate::decorators::{Decoration, sequence};
use crate::errors::Errors;
use crate::path::CratePath;
use crate::tensor::{refusal, spanned_call};

/// The item without its decorators, and beside it either its registration or everything that is wrong with it.
pub(crate) fn expand(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let mut options = ModelOptions::parse(attribute, &mut errors);
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
    let model = validate(&options, function, &mut errors);
    let openai = model
        .as_ref()
        .and_then(|model| model.decorations.openai.as_ref());
    options.openai = openai.and_then(|openai| openai.to_surface(&options.root));
    let constants = match model {
        Some(model) if errors.is_empty() => model.to_registration(&options),
        Some(model) => model.into_types(&options),
        None => {
            let errors = errors.into_tokens();
            return quote!(#item #errors);
        }
    };
    let errors = errors.into_tokens();
    let import = options.root.to_import();
    let uses = Decoration::to_uses(&decorations);
    quote! {
        #item
        #lints
        const _: () = {
            #import
            #uses
            #constants
        };
        #errors
    }
}

impl Model {
    fn to_registration(&self, options: &ModelOptions) -> TokenStream {
        let private = &options.root;
        let constants = options.to_tokens();
        let signature = self.to_signature(private);
        let checks = self.to_checks(options);
        let outputs = self.to_outputs(private);
        let overrides = self.decorations.overrides.iter();
        let overrides = overrides.map(|with| with.to_tokens(private));
        let check = self.to_output_checks(private);
        let instance = self.to_instance(private);
        let load = self.to_load(private);
        let (steps, warmups) = (&self.steps, &self.warmups);
        let said = !warmups.is_empty();
        let warmups =
            said.then(|| quote!(const __WARMUPS: &[#private::Warmup] = &[#(#warmups),*];));
        let warm = if said { quote!(__WARMUPS) } else { quote!(&[]) };
        quote! {
            use #private::methods::*;
            #constants
            #signature
            #warmups
            #checks
            #outputs
            const __OVERRIDES: &[#private::OutputOverride] = &[#(#overrides),*];
            #check
            #instance
            #private::inventory::submit! {
                #private::FunctionDeclaration {
                    options: __OPTIONS,
                    signature: __SIGNATURE,
                    outputs: __OUTPUTS,
                    output_overrides: __OVERRIDES,
                    steps: &[#(&#steps),*],
                    warmups: #warm,
                    load: #load,
                    location: #private::Location {
                        package: ::core::env!("CARGO_PKG_NAME"),
                        file: ::core::file!(),
                        line: ::core::line!(),
                    },
                }
            }
        }
    }

    /// What is left to the compiler of a function with mistakes: what has none itself, without what follows from them.
    fn into_types(mut self, options: &ModelOptions) -> TokenStream {
        let private = &options.root;
        let before = self.parameters.len();
        self.parameters.retain(|parameter| !parameter.flawed);
        let whole = self.parameters.len() == before;
        let constants = options.to_tokens();
        let signature = self.to_signature(private);
        let batching = options.says("batching") || options.sequences() || !self.decorations.batch();
        let parameters = self.parameters.iter().enumerate();
        let checks = parameters
            .filter(|_| options.sound)
            .map(|(index, parameter)| parameter.to_checks(index, batching, private));
        let outputs = whole.then(|| self.to_outputs(private));
        quote!(use #private::methods::*; #constants #signature #(#checks)* #outputs)
    }

    /// The constant `__SIGNATURE`; the compiler reports each type that is no parameter on the type itself.
    fn to_signature(&self, private: &CratePath) -> TokenStream {
        let arguments = self.parameters.iter();
        let arguments = arguments.map(|parameter| parameter.to_argument(private));
        let declared = self.decorations.declared.iter();
        let declared = declared.map(|input| input.to_declaration(private));
        let (batch, decorated) = (self.decorations.batch(), self.decorations.any_step());
        let decoupled = self.streamed.is_some();
        quote! {
            const __SIGNATURE: #private::Signature = #private::Signature {
                arguments: &[#(#arguments),*],
                batch: #batch,
                decorated: #decorated,
                decoupled: #decoupled,
                declared: &[#(#declared),*],
            };
            const __RAW: bool = __SIGNATURE.raw();
        }
    }

    fn to_checks(&self, options: &ModelOptions) -> TokenStream {
        let private = &options.root;
        let batching = options.says("batching") || options.sequences() || !self.decorations.batch();
        let parameters = self.parameters.iter().enumerate();
        let parameters =
            parameters.map(|(index, parameter)| parameter.to_checks(index, batching, private));
        let decorations = self.decorations.to_checks(batching, private);
        let whole = quote!(__SIGNATURE.whole_flaw(&__OPTIONS));
        let surely = self.parameters.iter().any(Parameter::is_surely_input);
        let whole = (!surely || self.streamed.is_some()).then(|| refusal(&self.name, &whole));
        let warmups = &self.warmup_checks;
        quote!(#(#parameters)* #decorations #warmups #whole)
    }

    /// The constant `__OUTPUTS`; the compiler reports a type that is no output on the type itself.
    fn to_outputs(&self, private: &CratePath) -> TokenStream {
        if self.streamed == Some(Streamed::Taken) {
            return quote! {
                const __OUTPUTS: &[#private::TensorDeclaration] = __SIGNATURE.answers();
            };
        }
        let Some(returned) = &self.returned else {
            return TokenStream::new();
        };
        if self.decorations.openai.is_some() {
            let text = quote_spanned!(returned.span()=> text::<#returned>());
            return quote! {
                const __OUTPUTS: &[#private::TensorDeclaration] = {
                    #private::TextAsked::#text;
                    <#private::Piece as #private::Outputs>::DECLARATIONS
                };
            };
        }
        let asked = &self.asked;
        quote! {
            const __OUTPUTS: &[#private::TensorDeclaration] = {
                #(#private::Asked::<__RAW>::#asked;)*
                #private::Returns::<#returned, __RAW>::DECLARATIONS
            };
        }
    }

    fn to_output_checks(&self, private: &CratePath) -> TokenStream {
        let outputs = quote!(__OUTPUTS, __OVERRIDES, __OPTIONS.batching);
        let refuse = spanned_call(&self.shown, "refuse_outputs", &outputs);
        let mut checks = quote!(const _: () = #refuse;);
        let overrides = self.decorations.overrides.iter().enumerate();
        for (index, with) in overrides {
            checks.extend(with.shape.iter().map(|shape| {
                let flaw = quote! {
                    #private::override_flaw(__OUTPUTS, __OVERRIDES, #index, __OPTIONS.batching)
                };
                refusal(shape.value(), &flaw)
            }));
        }
        checks
    }

    /// What is called for each batch or request.
    fn to_instance(&self, private: &CratePath) -> TokenStream {
        let state = self.state.as_ref();
        let state = state.map(|(ty, _)| quote!((::std::sync::Arc<#ty>)));
        let locals: Vec<_> = (0..self.parameters.len())
            .map(|index| {
                format_ident!("__argument_{index}", span = proc_macro2::Span::mixed_site())
            })
            .collect();
        let reads = self.parameters.iter().zip(&locals).enumerate();
        let reads =
            reads.map(|(index, (parameter, local))| parameter.to_read(index, local, private));
        let name = &self.name;
        let callee = match &self.state {
            None => quote!(#name),
            Some((ty, _)) => quote!(<#ty>::#name),
        };
        let receiver = self.state.as_ref().map(|_| quote!(&self.0,));
        let call = quote! {
            #(#reads)*
            let __returned = #callee(#receiver #(#locals.argument()),*)
        };
        let answer = match self.decorations.openai {
            None => quote!(#private::Answer::<_, __RAW>),
            Some(_) => quote!(#private::Text),
        };
        let convert = match self.streamed {
            None => quote!(#answer(__returned).convert(__call)),
            Some(streamed) => streamed.to_answer(self.is_async, &answer, &self.shown, private),
        };
        let waits = self.is_async || self.streamed.is_some_and(Streamed::waits);
        let awaited = self.is_async.then(|| quote!(.await));
        let execution = match waits {
            true => quote!(::std::boxed::Box::pin(async move { #call #awaited; #convert })),
            // What never waits needs no state of its own.
            false => quote! {
                let __answer = || -> #private::Answered { #call; #convert };
                #private::executed(__answer())
            },
        };
        // A function without a state is the same on any thread, and so is one on a state that can be shared.
        let detached = match &state {
            None => quote!(#private::detached(Self)),
            Some(_) => quote!((&#private::Shared(&self.0)).share(Self)),
        };
        let is_async = waits.then(|| {
            quote! {
                fn is_async(&self) -> bool {
                    true
                }
            }
        });
        let starts = self.to_starts(private);
        quote! {
            struct __Instance #state;
            impl #private::Instance for __Instance {
                fn execute<'a>(&'a self, __call: &'a #private::Call<'a>) -> #private::Execution<'a> {
                    #execution
                }
                fn detached(&self) -> #private::Detached {
                    #detached
                }
                #is_async
            }
            #starts
        }
    }

    /// What makes the state of a sequence that starts, where the function takes one.
    fn to_starts(&self, private: &CratePath) -> Option<TokenStream> {
        let mut parameters = self.parameters.iter();
        let taken = &parameters.find(|parameter| parameter.is_state())?.ty;
        // Not a name of the macro that wrote the type, if one did.
        let call = quote!(__start);
        let made = match (&self.start, &self.state) {
            (Some(start), Some((state, _))) => {
                let name = &start.name;
                let receiver = start.receiver.then(|| quote!(&self.0,));
                let parameters = start.parameters.iter();
                let parameters = parameters
                    .map(|ty| quote_spanned!(ty.span()=> #private::starting::<#ty>(#call)));
                let made = quote!(<#state>::#name(#receiver #(#parameters),*));
                quote_spanned!(start.returned.span()=> made::<#taken, _>(#call, #made))
            }
            _ => quote_spanned!(taken.span()=> made_by_default::<#taken>(#call)),
        };
        Some(quote! {
            impl #private::Starts for __Instance {
                fn start(&self, #call: &#private::Start<'_>) -> #private::Started {
                    #private::#made
                }
            }
        })
    }

    fn to_load(&self, private: &CratePath) -> TokenStream {
        let state = self.parameters.iter().any(Parameter::is_state);
        let with_states = |instance: TokenStream| match state {
            false => instance,
            true => quote!(#private::Sequenced::new(__context, #instance)),
        };
        let Some((ty, load)) = &self.state else {
            let context = if state { quote!(__context) } else { quote!(_) };
            let instance = with_states(quote!(__Instance));
            return quote!(|#context| #private::instance(#instance));
        };
        let Some(Maker {
            name,
            parameters,
            returned,
            ..
        }) = load
        else {
            return TokenStream::new();
        };
        let context = quote!(__context);
        let parameters = parameters.iter();
        let parameters =
            parameters.map(|ty| quote_spanned!(ty.span()=> #private::loading::<#ty>(#context)));
        let loaded = quote_spanned!(returned.span()=> loaded::<#ty, _>(#context, <#ty>::#name(#(#parameters),*)));
        let instance = with_states(quote!(__Instance(::std::sync::Arc::new(#private::#loaded?))));
        quote!(|#context| { #private::instance(#instance) })
    }
}

impl ModelOptions {
    /// Whether axis 0 of every tensor is the batch, as far as the text tells.
    pub(super) fn batching(&self) -> bool {
        self.boolean("batching") != Some(false)
    }
}
