//! Generated code that loads a model's state and calls its function.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

use super::arguments::{Position, may_have_fields};
use super::ast::Model;
use super::conversion::{conversions, result_of};
use super::parameters::Parameter;
use super::state::{State, StateConstructor};
use super::streamed::Streamed;

impl Model {
    /// Returns the expression for the function, with or without state.
    pub(super) fn to_function(&self) -> TokenStream {
        let state = self.to_state();
        let plain = self.is_plain();
        let locals: Vec<_> = (0..self.parameters.len())
            .map(|index| {
                format_ident!("__argument_{index}", span = proc_macro2::Span::mixed_site())
            })
            .collect();
        let fields = may_have_fields(&self.parameters);
        let reads = self.parameters.iter().zip(&locals).enumerate();
        let reads = reads.map(|(index, (parameter, local))| {
            let position = Position { index, fields };
            let input = match plain {
                true => quote!(#position),
                false => quote!(__SIGNATURE.inputs_before(#position)),
            };
            parameter.to_read(&input, local)
        });
        let name = &self.name;
        let (callee, receiver) = match &self.state {
            None => (quote!(#name), None),
            Some(State { ty, .. }) => (quote!(<#ty>::#name), Some(quote!(__state,))),
        };
        let call = quote! {
            #(#reads)*
            let __returned = #callee(#receiver #(#locals.argument()),*)
        };
        let response = match self.decorations.generates_text() {
            false => {
                let raw = self.to_raw();
                quote!(__private::ReturnValue::<_, #raw>)
            }
            true => quote!(__private::Text),
        };
        let convert = match self.streamed {
            None => self.to_conversion(&quote!(__returned), &response),
            Some(streamed) => {
                let item = self.to_conversion(&quote!(__item), &response);
                streamed.to_responses(self.is_async, &quote!({ #item }), &self.shown)
            }
        };
        let starts = self.to_start();
        let function = match self.waits() {
            true => {
                let awaited = self.is_async.then(|| quote!(.await));
                quote! {
                    fn __called<'a>(__state: &'a #state, __call: &'a __private::Call<'a>) -> __private::Execution<'a> {
                        ::std::boxed::Box::pin(async move { #call #awaited; #convert })
                    }
                }
            }
            false => quote! {
                fn __called(__state: &#state, __call: &__private::Call<'_>) -> __private::CallResult {
                    #call;
                    #convert
                }
            },
        };
        quote!(#function #starts)
    }

    /// Returns the statements that convert a variable to a response.
    fn to_conversion(&self, variable: &TokenStream, response: &TokenStream) -> TokenStream {
        let raw = !self.is_plain() && self.streamed.is_none();
        let returned = self.returned.as_ref();
        let errors = returned.map(|returned| conversions(variable, returned, raw));
        quote!(#errors #response(#variable).convert(__call))
    }

    /// Returns whether a call releases its thread while it waits.
    fn waits(&self) -> bool {
        self.is_async || self.streamed.is_some_and(Streamed::waits)
    }

    /// Returns the expression for the state.
    fn to_state(&self) -> TokenStream {
        match &self.state {
            Some(State { ty, .. }) => quote!(#ty),
            None => quote!(()),
        }
    }

    /// Returns the loader; `None` if it is invalid.
    fn to_loaded(&self) -> Option<TokenStream> {
        let Some(State { ty, load, .. }) = &self.state else {
            return Some(quote!(()));
        };
        let StateConstructor {
            name,
            is_async,
            returned,
            parameters,
            ..
        } = load.as_ref()?;
        let context = quote!(__context);
        let parameters = parameters.iter();
        let parameters =
            parameters.map(|ty| quote_spanned!(ty.span()=> __private::loading::<#ty>(#context)?));
        let constructed = quote!(__constructed);
        let result = result_of(&constructed);
        let loaded = quote_spanned!(returned.span()=> loaded::<#ty, _>(#context, #result));
        let call = quote!(<#ty>::#name(#(#parameters),*));
        let call = match is_async {
            true => quote!(__private::block_on(#call)),
            false => call,
        };
        Some(quote!({
            let #constructed = #call;
            __private::#loaded?
        }))
    }

    /// Returns the declarations of the parameters of the loader.
    pub(super) fn to_load_parameters(&self) -> TokenStream {
        let load = self.state.as_ref().and_then(|state| state.load.as_ref());
        let parameters = load.iter().flat_map(|load| &load.parameters);
        let declared =
            parameters.map(|ty| quote_spanned!(ty.span()=> __private::load_declared::<#ty>()));
        quote!(&[#(#declared),*])
    }

    /// Returns the function that creates the state of a new sequence, if the model has one.
    fn to_start(&self) -> Option<TokenStream> {
        let mut parameters = self.parameters.iter();
        let taken = &parameters.find(|parameter| parameter.is_state())?.ty;
        // Uses this macro's hygiene even if another macro wrote the type.
        let call = quote!(__start);
        let made = match &self.state {
            Some(State {
                ty: state,
                start: Some(start),
                ..
            }) => {
                let name = &start.name;
                let receiver = start.receiver.then(|| quote!(__state,));
                let parameters = start.parameters.iter();
                let parameters = parameters
                    .map(|ty| quote_spanned!(ty.span()=> __private::starting::<#ty>(#call)));
                let constructed = quote!(__constructed);
                let result = result_of(&constructed);
                let made =
                    quote_spanned!(start.returned.span()=> made::<#taken, _>(#call, #result));
                quote! {
                    let #constructed = <#state>::#name(#receiver #(#parameters),*);
                    __private::#made
                }
            }
            _ => {
                let made = quote_spanned!(taken.span()=> made_by_default::<#taken>(#call));
                quote!(__private::#made)
            }
        };
        let state = self.to_state();
        Some(quote! {
            fn __started(__state: &#state, #call: &__private::Start<'_>) -> __private::Started {
                #made
            }
        })
    }

    /// Returns the function that creates an instance.
    pub(super) fn to_load(&self) -> Option<TokenStream> {
        let state = self.to_loaded()?;
        let kind = match self.waits() {
            true => quote!(Awaited),
            false => quote!(AtOnce),
        };
        let calling = quote!(__private::Calling::#kind(__called));
        let made = if self.parameters.iter().any(Parameter::is_state) {
            quote!(__private::sequenced(__context, #state, #calling, __started))
        } else if let Some(State { ty, .. }) = &self.state {
            let instance = quote!((&__private::StateKind::<#ty>::NEW).instance(#state, #calling));
            quote!(::core::result::Result::Ok(#instance))
        } else {
            return Some(quote!(__private::Loading::Stateless(#calling)));
        };
        Some(quote!(__private::Loading::Stated(|__context| #made)))
    }
}
