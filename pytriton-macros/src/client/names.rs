use proc_macro2::{Ident, Span};
use pytriton_signature::ModelSignature;

/// The name of the type of a model: its words in capitals, `add_sub.v2` as `AddSubV2`.
pub(super) fn type_name(model: &str, span: Span) -> Result<Ident, String> {
    let mut name = String::new();
    for word in model.split(['_', '-', '.']) {
        let mut letters = word.chars();
        name.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        name.push_str(letters.as_str());
    }
    match syn::parse_str::<Ident>(&name) {
        Ok(mut ident) => {
            ident.set_span(span);
            Ok(ident)
        }
        Err(_) => Err(format!(
            "model `{model}` has no name that Rust could give a type: give it one here, `\"{model}\" = MyModel`"
        )),
    }
}

/// The latest version of each model, in their order.
pub(super) fn latest(models: &[(u32, ModelSignature)]) -> Vec<&ModelSignature> {
    let newer = |version: u32, model: &ModelSignature| {
        let mut others = models.iter();
        others.any(|(other, found)| found.name == model.name && *other > version)
    };
    let models = models.iter();
    let latest = models.filter(|(version, model)| !newer(*version, model));
    latest.map(|(_, model)| model).collect()
}
