use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::Type;
use syn::spanned::Spanned;

use super::args::Settings;
use super::ast::{Argument, CallMode, FirstValue, Model, Types};
use super::item::Function;
use super::tokens::{constant, local};
use super::validate::validate;
use crate::element::is_known_wrong;
use crate::errors::Errors;
use crate::path::CratePath;
use crate::tensor::optional;

/// The item without its helpers, and beside it either its registration or everything that is wrong with it.
pub(crate) fn expand(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let settings = Settings::parse(attribute, &mut errors);
    let (item, function) = Function::find(item, &settings.root, &mut errors);
    let registration = match function.map(|function| validate(settings, function, &mut errors)) {
        Some(Ok(model)) => model.to_registration(),
        Some(Err(Some(types))) => types.to_types(),
        Some(Err(None)) | None => TokenStream::new(),
    };
    let errors = errors.into_tokens();
    quote!(#item #registration #errors)
}

impl Model {
    fn to_registration(&self) -> TokenStream {
        let types = self.to_types();
        let check = self.to_check();
        let instance = self.to_instance();
        let declaration = self.to_declaration();
        let private = &self.settings.root;
        quote! {
            #[allow(deprecated)]
            const _: () = {
                #types
                #check
                #instance
                const __MODEL: #private::ModelDeclaration = #declaration;
                #private::inventory::submit! { __MODEL }
            };
        }
    }

    /// One constant for each type of the user's, whose bound the compiler reports on the type itself.
    fn to_types(&self) -> TokenStream {
        let private = &self.settings.root;
        let inputs = self.inputs.iter().enumerate();
        let inputs = inputs.map(|(index, input)| input.to_type(&constant(index), private));
        let returned = returned_type(&self.returned, self.call, private);
        quote!(#(#inputs)* #returned)
    }

    /// Refuses outputs whose types only the compiler knows, on the return type.
    fn to_check(&self) -> TokenStream {
        let max_batch_size = self.settings.max_batch_size;
        let overrides = self.to_overrides();
        let check =
            quote_spanned!(self.returned.span()=> __RETURNED.check(#max_batch_size, #overrides));
        quote!(const _: () = #check;)
    }

    fn to_overrides(&self) -> TokenStream {
        let private = &self.settings.root;
        let overrides = self.overrides.iter().map(|with| with.to_tokens(private));
        quote!(&[#(#overrides),*])
    }

    /// What is called for each batch or request.
    fn to_instance(&self) -> TokenStream {
        let private = &self.settings.root;
        let state = self.function.state.as_ref().map(|state| {
            let ty = &state.ty;
            quote!((#ty))
        });
        let reads = self.inputs.iter().enumerate();
        let reads = reads.filter_map(|(index, input)| input.to_read(index));
        let call = self.to_call();
        // A function without a state is the same on any thread.
        let detached = state.is_none().then(|| {
            quote! {
                fn detached(&self) -> ::core::option::Option<
                    ::std::boxed::Box<dyn #private::Instance + ::core::marker::Send + ::core::marker::Sync>,
                > {
                    ::core::option::Option::Some(::std::boxed::Box::new(Self))
                }
            }
        });
        let is_async = self.function.is_async.then(|| {
            quote! {
                fn is_async(&self) -> bool {
                    true
                }
            }
        });
        quote! {
            struct __Instance #state;
            impl #private::Instance for __Instance {
                fn execute<'a>(&'a self, __call: &'a #private::Call<'a>) -> #private::Execution<'a> {
                    ::std::boxed::Box::pin(async move {
                        #(#reads)*
                        let __returned = #call;
                        __RETURNED.convert(__call, __returned)
                    })
                }
                #detached
                #is_async
            }
        }
    }

    fn to_call(&self) -> TokenStream {
        let name = &self.function.name;
        let callee = match &self.function.state {
            None => quote!(#name),
            Some(state) => {
                let ty = &state.ty;
                quote!(<#ty>::#name)
            }
        };
        let receiver = self.function.state.as_ref().map(|_| quote!(&self.0));
        let arguments = self.arguments.iter().map(|argument| match *argument {
            Argument::Input(index) => self.inputs[index].to_argument(&local(index)),
            Argument::Parameters => quote!(__call.parameters()),
            Argument::Context => quote!(__call.context()),
            Argument::Requests => quote!(__call.requests()),
        });
        let arguments = receiver.into_iter().chain(arguments);
        let wait = self.function.is_async.then(|| quote!(.await));
        quote!(#callee(#(#arguments),*) #wait)
    }

    fn to_declaration(&self) -> TokenStream {
        let private = &self.settings.root;
        let Settings {
            name,
            version,
            max_batch_size,
            instances,
            batches_in_flight,
            max_call_microseconds,
            dynamic_batching,
            response_cache,
            parameters,
            ..
        } = &self.settings;
        let parameters = parameters
            .iter()
            .map(|(name, value)| quote!((#name, #value)));
        let inputs = self.inputs.iter().enumerate();
        let inputs = inputs.map(|(index, input)| input.to_declaration(&constant(index), private));
        let overrides = self.to_overrides();
        let dynamic_batching = optional(
            dynamic_batching
                .as_ref()
                .map(|batching| batching.to_tokens(private)),
        );
        let call = match self.call {
            CallMode::Batch => quote!(Batch),
            CallMode::Request => quote!(Request),
            CallMode::Raw => quote!(Raw),
        };
        let by_parameters = self.by_parameters();
        let first_values = self.first_values();
        let first_values = first_values.map(|(input, FirstValue { strict })| {
            quote!(#private::FirstValue { input: #input, strict: #strict })
        });
        let load = self.to_load();
        quote! {
            #private::ModelDeclaration {
                name: #name,
                version: #version,
                max_batch_size: #max_batch_size,
                instances: #instances,
                batches_in_flight: #batches_in_flight,
                max_call_microseconds: #max_call_microseconds,
                inputs: &[#(#inputs),*],
                outputs: __RETURNED.declarations,
                output_overrides: #overrides,
                dynamic_batching: #dynamic_batching,
                response_cache: #response_cache,
                parameters: &[#(#parameters),*],
                call: #private::CallMode::#call,
                by_parameters: #by_parameters,
                first_values: &[#(#first_values),*],
                steps: &[],
                load: #load,
                location: #private::Location {
                    package: ::core::env!("CARGO_PKG_NAME"),
                    file: ::core::file!(),
                    line: ::core::line!(),
                },
            }
        }
    }

    fn to_load(&self) -> TokenStream {
        let Some(state) = &self.function.state else {
            return quote!(|_| ::core::result::Result::Ok(::std::boxed::Box::new(__Instance)));
        };
        let private = &self.settings.root;
        let ty = &state.ty;
        let load = &state.load;
        let name = &load.name;
        let context = load.context.then(|| quote!(__context));
        let span = load.returned.span();
        let loaded = quote_spanned!(span=> <#ty>::#name(#context));
        let loaded = match load.fallible {
            true => quote_spanned!(span=> #private::loaded(__context, #loaded)?),
            false => loaded,
        };
        quote! {
            |__context| ::core::result::Result::Ok(::std::boxed::Box::new(__Instance(#loaded)))
        }
    }
}

impl Types {
    /// As [`Model::to_types`], without the types that have been reported.
    fn to_types(&self) -> TokenStream {
        let private = &self.root;
        let inputs = self.inputs.iter().enumerate();
        let inputs = inputs
            .filter(|(_, input)| !input.source.element().is_some_and(is_known_wrong))
            .map(|(index, input)| input.to_type(&constant(index), private));
        let returned = self.returned.as_ref();
        let returned = returned.map(|ty| returned_type(ty, self.call, private));
        quote! {
            const _: () = {
                #(#inputs)*
                #returned
            };
        }
    }
}

fn returned_type(ty: &Type, call: CallMode, private: &CratePath) -> TokenStream {
    let bound = match call {
        CallMode::Raw => quote_spanned!(ty.span()=> responses::<#ty>()),
        CallMode::Batch | CallMode::Request => quote_spanned!(ty.span()=> outputs::<#ty>()),
    };
    quote!(const __RETURNED: #private::ReturnType<#ty> = #private::#bound;)
}
