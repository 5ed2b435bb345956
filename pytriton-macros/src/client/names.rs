use proc_macro2::{Ident, Span};
use pytriton_signature::ModelSignature;

/// Names in the prelude of every module, which a generated type would shadow.
const PRELUDE: [&str; 38] = [
    "AsMut",
    "AsRef",
    "Box",
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "DoubleEndedIterator",
    "Drop",
    "Eq",
    "Err",
    "ExactSizeIterator",
    "Extend",
    "Fn",
    "FnMut",
    "FnOnce",
    "From",
    "FromIterator",
    "Hash",
    "Into",
    "IntoIterator",
    "Iterator",
    "None",
    "Ok",
    "Option",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Result",
    "Send",
    "Sized",
    "Some",
    "String",
    "Sync",
    "ToOwned",
    "ToString",
    "Unpin",
    "Vec",
];

/// Returns the type name of a model: its words in camel case, `AddSubV2` for `add_sub.v2`.
pub(super) fn type_name(model: &str, span: Span) -> Result<Ident, String> {
    let mut name = String::new();
    for word in model.split(['_', '-', '.']) {
        let mut letters = word.chars();
        name.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        name.push_str(letters.as_str());
    }
    match syn::parse_str::<Ident>(&name) {
        Ok(mut ident) if !PRELUDE.contains(&name.as_str()) => {
            ident.set_span(span);
            Ok(ident)
        }
        _ => Err(format!(
            "the name of model `{model}` cannot be the name of a Rust type: choose one here, `\"{model}\" = MyModel`"
        )),
    }
}

/// Returns the latest version of each model, in order.
pub(super) fn latest(models: &[(u32, ModelSignature)]) -> Vec<&ModelSignature> {
    let newer = |version: u32, model: &ModelSignature| {
        let mut others = models.iter();
        others.any(|(other, found)| found.name == model.name && *other > version)
    };
    let models = models.iter();
    let latest = models.filter(|(version, model)| !newer(*version, model));
    latest.map(|(_, model)| model).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_names_are_escaped() {
        let named = |model| type_name(model, Span::call_site()).map(|name| name.to_string());
        for (model, expected) in [("add_sub.v2", "AddSubV2"), ("options", "Options")] {
            assert_eq!(named(model), Ok(expected.to_owned()));
        }
        for model in ["1st", "self", "", "option", "Vec", "some", "to-string"] {
            assert!(named(model).is_err(), "{model}");
        }
    }
}
