use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Expr, ExprLit, FnArg, Lit, Meta, Signature};

/// The doc comment among some attributes, as it reads.
pub(crate) fn docs(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| {
        let Meta::NameValue(doc) = &attribute.meta else {
            return None;
        };
        match &doc.value {
            Expr::Lit(ExprLit {
                lit: Lit::Str(line),
                ..
            }) if doc.path.is_ident("doc") => Some(line.value()),
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
