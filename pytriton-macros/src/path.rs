use proc_macro2::TokenStream;
use quote::quote;
use syn::Path;

use crate::errors::Errors;
use crate::options::Options;

/// The path of `pytriton` in generated code: `::pytriton`, or the value of `crate = …`.
#[derive(Debug, Default)]
pub(crate) struct CratePath(Option<Path>);

impl CratePath {
    /// Parses the option `crate`.
    pub(crate) fn take(options: &Options, errors: &mut Errors) -> Self {
        let Some(value) = options.value("crate") else {
            return Self::default();
        };
        let path = syn::parse2::<Path>(value.clone());
        if path.is_err() {
            errors.push(
                value,
                "expected a path such as `crate = my_crate::pytriton`",
            );
        }
        Self(path.ok())
    }

    /// Returns the import that makes `__private` available in a block, for any path.
    pub(crate) fn to_import(&self) -> TokenStream {
        match &self.0 {
            Some(path) => quote!(use #path::__private;),
            None => quote!(
                use ::pytriton::__private;
            ),
        }
    }

    /// Returns the path.
    #[cfg(any(feature = "onnx", test))]
    pub(crate) fn to_path(&self) -> TokenStream {
        match &self.0 {
            Some(path) => quote!(#path),
            None => quote!(::pytriton),
        }
    }

    /// Returns whether an attribute's path leads into the crate: `pytriton::batch`,
    /// `pytriton::prelude::batch`.
    pub(crate) fn is_prefix_of(&self, path: &Path) -> bool {
        let renamed = self.0.as_ref().is_some_and(|own| {
            let start: Vec<_> = own.segments.iter().map(|part| &part.ident).collect();
            let path: Vec<_> = path.segments.iter().map(|part| &part.ident).collect();
            path.starts_with(&start)
        });
        renamed || path.segments[0].ident == "pytriton"
    }
}
