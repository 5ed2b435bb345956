use proc_macro2::Ident;
use syn::ext::IdentExt;

/// Returns the name of a parameter or field as text, without `r#`.
pub(crate) fn plain_name(ident: &Ident) -> String {
    ident.unraw().to_string()
}
