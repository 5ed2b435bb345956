use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// The doc comment among some attributes, as it reads.
pub(super) fn docs(attributes: &[Attribute]) -> String {
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
