use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, FnArg, Lit, Signature};

use crate::value::literal;

/// The doc comment among some attributes, as it reads.
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

/// Takes the doc comments off the parameters of a function, where the compiler has none.
pub(crate) fn strip_parameters(signature: &mut Signature) {
    for parameter in &mut signature.inputs {
        // `self` is no input.
        if let FnArg::Typed(parameter) = parameter {
            let attributes = &mut parameter.attrs;
            attributes.retain(|attribute| !attribute.path().is_ident("doc"));
        }
    }
}

/// The call that describes a tensor by its doc comment, where it has one.
pub(crate) fn to_described(docs: &str) -> Option<TokenStream> {
    (!docs.is_empty()).then(|| quote!(.described(#docs)))
}
