//! `#[pytriton::test]`: a test with the models of its crate.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, FnArg, ItemFn, LitBool};

use crate::errors::Errors;
use crate::options::Options;
use crate::path::CratePath;

/// The options of the attribute.
struct TestOptions {
    root: CratePath,
    /// The function that changes the builder of the server.
    server: Option<Expr>,
    /// The key of `start_paused`, if the clock is paused.
    paused: Option<Ident>,
}

impl TestOptions {
    fn parse(tokens: TokenStream, errors: &mut Errors) -> Self {
        let known = ["server", "start_paused", "crate"];
        let options = Options::parse("#[pytriton::test]", tokens, &known, errors);
        Self {
            root: CratePath::take(&options, errors),
            server: options.value("server").and_then(|value| {
                let expected = "expected a function: write `server = |server| server.state(…)`";
                let server = syn::parse2(value.clone());
                server.map_err(|_| errors.push(value, expected)).ok()
            }),
            paused: paused(&options, errors),
        }
    }
}

/// Returns the key of `start_paused = true`.
fn paused(options: &Options, errors: &mut Errors) -> Option<Ident> {
    let value = options.value("start_paused")?;
    let Ok(paused) = syn::parse2::<LitBool>(value.clone()) else {
        errors.push(value, "expected a boolean: write `start_paused = true`");
        return None;
    };
    let key = options.key("start_paused").filter(|_| paused.value)?;
    if !cfg!(any(feature = "test-util", test)) {
        let message = "a paused clock needs the feature `test-util` of `pytriton`";
        errors.push(key, message);
    }
    Some(key.clone())
}

/// Returns the test, or the errors of the attribute and the function.
pub(crate) fn expand(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let options = TestOptions::parse(attribute, &mut errors);
    let Ok(function) = syn::parse2::<ItemFn>(item.clone()) else {
        let message = "a test is a function: write `#[pytriton::test]` above `async fn`";
        errors.push(item, message);
        return errors.into_tokens();
    };
    let generics = &function.sig.generics;
    errors.refuse(
        &generics.params,
        "a test cannot be generic: write the types of its parameters",
    );
    if let (Some(key), None) = (&options.paused, &function.sig.asyncness) {
        errors.push(key, "a paused clock needs an async test: write `async fn`");
    }
    let test = test(&options, &function);
    match errors.is_empty() {
        true => test,
        false => errors.into_tokens(),
    }
}

/// Returns a test that loads the models and calls the function, which is nested in it.
fn test(options: &TestOptions, function: &ItemFn) -> TokenStream {
    let import = options.root.to_import();
    let ItemFn {
        attrs,
        vis,
        sig,
        block,
        ..
    } = function;
    let (name, output) = (&sig.ident, &sig.output);
    let arguments = sig.inputs.iter().map(|input| match input {
        FnArg::Typed(parameter) => {
            let of = &parameter.ty;
            quote_spanned!(of.span()=> <#of as __private::TestParameter<'_>>::of(__loaded))
        }
        // The compiler refuses `self`.
        FnArg::Receiver(receiver) => receiver.to_token_stream(),
    });
    let call = quote!(#name(#(#arguments),*));
    let server = match &options.server {
        Some(server) => server.to_token_stream(),
        None => quote!(::core::convert::identity),
    };
    let server = match options.paused {
        Some(_) => quote!(__private::start_paused(#server)),
        None => server,
    };
    let run = match sig.asyncness {
        Some(_) => quote!(__private::run_async(#server, async |__loaded| #call.await)),
        None => quote!(__private::run(#server, |__loaded| #call)),
    };
    quote! {
        #[::core::prelude::v1::test]
        #(#attrs)*
        #vis fn #name() #output {
            #import
            #sig #block
            #run
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::{assert_expansion, messages};

    #[test]
    fn test_expansion_matches_the_golden_file() {
        let function = quote! {
            /// Doubles a number.
            async fn doubles(double: Call<Double>, loaded: &Loaded) -> Result<(), CallError> {
                Ok(())
            }
        };
        let options = quote!(server = |server| server.free_ports(), start_paused = true);
        let expansions = [
            (options, function),
            (
                quote!(),
                quote!(
                    fn waits(x: Call<X>) {}
                ),
            ),
        ];
        let expansions = expansions.map(|(options, function)| expand(options, function));
        assert_expansion("test", quote!(#(#expansions)*));
    }

    #[test]
    fn all_mistakes_are_reported() {
        let reported = messages(expand(
            quote!(servers = 1, start_paused = 2),
            quote!(
                fn generic<T>() {}
            ),
        ));
        assert_eq!(
            reported,
            [
                "unknown option `servers`; did you mean `server`?",
                "expected a boolean: write `start_paused = true`",
                "a test cannot be generic: write the types of its parameters",
            ]
        );
        let reported = messages(expand(
            quote!(),
            quote!(
                struct Test;
            ),
        ));
        assert_eq!(
            reported,
            ["a test is a function: write `#[pytriton::test]` above `async fn`"]
        );
    }
}
