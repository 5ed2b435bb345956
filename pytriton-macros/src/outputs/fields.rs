use proc_macro2::Ident;
use syn::{Attribute, Data, DeriveInput, Field, Fields, Type};

use crate::docs::docs;
use crate::errors::Errors;
use crate::options::Options;
use crate::output;
use crate::path::CratePath;
use crate::tensor::{Dims, TensorName, check_distinct};
use crate::value::{Form, Value};

/// A field of a struct, after every check.
#[derive(Debug)]
pub(super) struct OutputField {
    pub(super) ident: Ident,
    pub(super) ty: Type,
    pub(super) name: TensorName,
    pub(super) shape: Option<Dims>,
    pub(super) labels: Option<Value>,
    pub(super) docs: String,
}

/// Where generated code finds `pytriton`: what `#[output(crate = …)]` on the struct says.
pub(super) fn root(input: &DeriveInput, errors: &mut Errors) -> CratePath {
    let mut outputs = output_attributes(&input.attrs);
    let Some(first) = outputs.next() else {
        return CratePath::default();
    };
    for second in outputs {
        errors.push(second, "`#[output]` stands twice: remove one");
    }
    let tokens = first.meta.require_list().map(|list| list.tokens.clone());
    let known = ["crate", "name", "shape", "labels"];
    let mut unread = Errors::default();
    let options = Options::parse("#[output]", tokens.unwrap_or_default(), &known, &mut unread);
    if options.only("crate") && unread.is_empty() {
        return CratePath::take(&options, errors);
    }
    errors.push(
        first,
        "`#[output]` belongs on a field; on the struct it only says `crate = my_crate::pytriton`",
    );
    CratePath::take(&options, errors)
}

/// The fields of a struct that derives `Outputs`.
pub(super) fn read(input: &DeriveInput, errors: &mut Errors) -> Vec<OutputField> {
    if !input.generics.params.is_empty() {
        let message =
            "a struct of outputs must not be generic: write the types, such as `Array2<f32>`";
        errors.push(&input.generics, message);
    }
    let named = "`Outputs` needs a struct with named fields: write `struct … { y: Array2<f32> }`";
    let fields = match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => &fields.named,
            Fields::Unnamed(fields) => {
                errors.push(fields, named);
                return Vec::new();
            }
            Fields::Unit => {
                errors.push(&input.ident, named);
                return Vec::new();
            }
        },
        Data::Enum(data) => {
            errors.push(data.enum_token, named);
            return Vec::new();
        }
        Data::Union(data) => {
            errors.push(data.union_token, named);
            return Vec::new();
        }
    };
    if fields.is_empty() {
        errors.push(
            &input.ident,
            "a model needs an output: add a field such as `y: Array2<f32>`",
        );
    }
    let fields: Vec<OutputField> = fields
        .iter()
        .filter_map(|declared| field(declared, errors))
        .collect();
    check_distinct("output", fields.iter().map(|field| &field.name), errors);
    fields
}

fn field(field: &Field, errors: &mut Errors) -> Option<OutputField> {
    let ident = field.ident.clone()?;
    let options = options(&field.attrs, errors);
    let name = TensorName::take(&options, errors).unwrap_or_else(|| TensorName::own(&ident));
    let shape = Dims::take(&options, errors);
    let labels = Value::take(&options, "labels", Form::Text, errors);
    output::check(&field.ty, errors);
    Some(OutputField {
        ident,
        ty: field.ty.clone(),
        name,
        shape,
        labels,
        docs: docs(&field.attrs),
    })
}

fn output_attributes(attributes: &[Attribute]) -> impl Iterator<Item = &Attribute> {
    attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("output"))
}

fn options(attributes: &[Attribute], errors: &mut Errors) -> Options {
    let mut outputs = output_attributes(attributes);
    let Some(first) = outputs.next() else {
        return Options::default();
    };
    for second in outputs {
        errors.push(second, "`#[output]` stands twice: remove one");
    }
    match first.meta.require_list() {
        Ok(list) => {
            let known = ["name", "shape", "labels"];
            Options::parse("#[output]", list.tokens.clone(), &known, errors)
        }
        Err(_) => {
            errors.push(
                first,
                "`#[output]` says nothing: write `#[output(name = \"y\")]`, or remove it",
            );
            Options::default()
        }
    }
}
