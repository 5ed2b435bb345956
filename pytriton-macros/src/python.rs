//! `python!`: a Python module with the models of a library.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::{Path, Token, parse_quote};

use crate::errors::Errors;

/// The arguments: empty, or `crate = …`.
struct Root(Path);

impl Parse for Root {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        if input.is_empty() {
            return Ok(Self(parse_quote!(::pytriton)));
        }
        let root = (|| {
            input.parse::<Token![crate]>()?;
            input.parse::<Token![=]>()?;
            input.parse()
        })();
        root.map(Self).map_err(|error: syn::Error| {
            let message = "the module is named after the library: write `pytriton::python!();`";
            syn::Error::new(error.span(), message)
        })
    }
}

/// Returns the initialization function of the module, named after the library.
#[cfg(feature = "python")]
pub(crate) fn expand(tokens: TokenStream) -> TokenStream {
    // Cargo sets this variable for the crate that is being compiled.
    let library = std::env::var("CARGO_CRATE_NAME").unwrap_or_default();
    module(tokens, &library)
}

fn module(tokens: TokenStream, library: &str) -> TokenStream {
    let mut errors = Errors::default();
    let Root(root) = match syn::parse2(tokens) {
        Ok(root) => root,
        Err(error) => {
            errors.push_error(error);
            return errors.into_tokens();
        }
    };
    let python = quote!(#root::__private::python);
    let pyo3 = quote!(#python::pyo3);
    let path = pyo3.to_token_stream().to_string();
    quote! {
        #[#pyo3::pymodule]
        #[pyo3(name = #library, crate = #path)]
        fn __pytriton_python(
            module: &#pyo3::Bound<'_, #pyo3::types::PyModule>,
        ) -> #pyo3::PyResult<()> {
            #python::export(module)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::{assert_expansion, messages};

    #[test]
    fn module_expansion_matches_the_golden_file() {
        assert_expansion("python", module(quote!(), "linear"));
    }

    #[test]
    fn custom_module_name_is_rejected() {
        let reported = messages(module(quote!(linear), "linear"));
        assert_eq!(
            reported,
            ["the module is named after the library: write `pytriton::python!();`"]
        );
    }
}
