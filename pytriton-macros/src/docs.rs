use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, FnArg, Lit, Signature};

use crate::expression::literal;

/// Returns the text of the doc comments among the attributes.
pub(crate) fn docs(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| {
        let doc = attribute.meta.require_name_value().ok();
        match literal(&doc.filter(|doc| doc.path.is_ident("doc"))?.value)? {
            Lit::Str(line) => Some(line.value()),
            _ => None,
        }
    });
    let lines: Vec<String> = lines
        .map(|line| line.strip_prefix(' ').unwrap_or(&line).to_owned())
        .collect();
    lines.join("\n").trim().to_owned()
}

/// Removes the doc comments of parameters. The compiler does not allow them there.
pub(crate) fn strip_parameters(signature: &mut Signature) {
    for parameter in &mut signature.inputs {
        // `self` is not an input.
        if let FnArg::Typed(parameter) = parameter {
            let attributes = &mut parameter.attrs;
            attributes.retain(|attribute| !attribute.path().is_ident("doc"));
        }
    }
}

/// Returns the call that sets a tensor's description from its doc comment, if there is one.
pub(crate) fn to_described(docs: &str) -> Option<TokenStream> {
    (!docs.is_empty()).then(|| quote!(.described(#docs)))
}
