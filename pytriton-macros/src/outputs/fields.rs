use proc_macro2::Ident;
use quote::{ToTokens, format_ident};
use syn::{Attribute, Data, DeriveInput, Field, Fields, Type};

use crate::decorators::Decoration;
use crate::decorators::output::{DECORATOR, Override};
use crate::docs::docs;
use crate::errors::Errors;
use crate::output;
use crate::path::CratePath;
use crate::tensor::{Dims, TensorName, check_distinct};
use crate::value::Value;

/// A validated field of a struct.
#[derive(Debug)]
pub(super) struct OutputField {
    pub(super) ident: Ident,
    /// The constant for its type in generated code.
    pub(super) constant: Ident,
    pub(super) ty: Type,
    pub(super) name: TensorName,
    pub(super) shape: Option<Dims>,
    pub(super) labels: Option<Value>,
    pub(super) docs: String,
}

/// Returns the path of `pytriton` from `#[output(crate = …)]` on the struct.
pub(super) fn root(input: &DeriveInput, errors: &mut Errors) -> CratePath {
    let Some(decoration) = decoration(&input.attrs, errors) else {
        return CratePath::default();
    };
    let mut unread = Errors::default();
    let options = decoration.options_of(&["crate", "name", "shape", "labels"], &mut unread);
    if options.only("crate") && unread.is_empty() {
        return CratePath::take(&options, errors);
    }
    errors.push(
        decoration,
        "`#[output]` belongs on a field; on the struct it only supports `crate = my_crate::pytriton`",
    );
    CratePath::take(&options, errors)
}

/// Returns the fields of a struct that derives `Outputs`.
pub(super) fn read(input: &DeriveInput, errors: &mut Errors) -> Vec<OutputField> {
    if !input.generics.params.is_empty() {
        let message =
            "a struct of outputs must not be generic: write the types, such as `Array2<f32>`";
        errors.push(&input.generics, message);
    }
    let named = "`Outputs` needs a struct with named fields: write `struct … { y: Array2<f32> }`";
    let fields = match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => Ok(&fields.named),
            Fields::Unnamed(fields) => Err(fields.to_token_stream()),
            Fields::Unit => Err(input.ident.to_token_stream()),
        },
        Data::Enum(data) => Err(data.enum_token.to_token_stream()),
        Data::Union(data) => Err(data.union_token.to_token_stream()),
    };
    let fields = match fields {
        Ok(fields) => fields,
        Err(other) => {
            errors.push(other, named);
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
        .enumerate()
        .filter_map(|(index, declared)| field(index, declared, errors))
        .collect();
    check_distinct("output", fields.iter().map(|field| &field.name), errors);
    fields
}

fn field(index: usize, field: &Field, errors: &mut Errors) -> Option<OutputField> {
    let ident = field.ident.clone()?;
    let override_options = decoration(&field.attrs, errors);
    let override_options = override_options.map(|decoration| Override::read(&decoration, errors));
    output::check(&field.ty, errors);
    let (name, shape, labels) = match override_options {
        Some(override_options) => (
            override_options.name,
            override_options.shape,
            override_options.labels,
        ),
        None => (None, None, None),
    };
    Some(OutputField {
        name: name.unwrap_or_else(|| TensorName::own(&ident)),
        ident,
        constant: format_ident!("__FIELD_{index}"),
        ty: field.ty.clone(),
        shape,
        labels,
        docs: docs(&field.attrs),
    })
}

/// Returns the single `#[output]`.
fn decoration(attributes: &[Attribute], errors: &mut Errors) -> Option<Decoration> {
    let found = Decoration::take(&mut attributes.to_vec(), &CratePath::default());
    let mut found = found.into_iter();
    let first = found.find(|decoration| decoration.is(&DECORATOR));
    found.for_each(|second| second.twice(errors));
    first
}
