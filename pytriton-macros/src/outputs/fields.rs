use proc_macro2::Ident;
use syn::{Attribute, Data, DeriveInput, Field, Fields, Type};

use crate::array::ArrayType;
use crate::attribute::plain_name;
use crate::element::{check_element, meant_element};
use crate::errors::Errors;
use crate::options::Options;
use crate::tensor::{Dims, TensorName, check_distinct};
use crate::types::{argument_of, type_text};

/// A field of a struct, after every check.
#[derive(Debug)]
pub(super) struct OutputField {
    pub(super) ident: Ident,
    pub(super) ty: Type,
    pub(super) name: TensorName,
    pub(super) shape: Option<Dims>,
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
        .filter_map(|field| output(field, errors))
        .collect();
    check_distinct("output", fields.iter().map(|field| &field.name), errors);
    fields
}

fn output(field: &Field, errors: &mut Errors) -> Option<OutputField> {
    let ident = field.ident.clone()?;
    let options = options(&field.attrs, errors);
    let name = TensorName::take(&options, errors).unwrap_or_else(|| {
        let (text, span) = plain_name(&ident);
        TensorName::check(text, span, errors)
    });
    let shape = Dims::take(&options, errors);
    check_type(&field.ty, shape.as_ref(), errors);
    Some(OutputField {
        ident,
        ty: field.ty.clone(),
        name,
        shape,
    })
}

fn options(attributes: &[Attribute], errors: &mut Errors) -> Options {
    let mut outputs = attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("output"));
    let Some(first) = outputs.next() else {
        return Options::default();
    };
    for second in outputs {
        errors.push(second, "`#[output]` stands twice: remove one");
    }
    match first.meta.require_list() {
        Ok(list) => Options::parse("output", list.tokens.clone(), &["name", "shape"], errors),
        Err(_) => {
            errors.push(
                first,
                "`#[output]` says nothing: write `#[output(name = \"y\")]`, or remove it",
            );
            Options::default()
        }
    }
}

/// Checks a field as far as its type's name tells; the rest is left to the trait `Output`.
fn check_type(ty: &Type, shape: Option<&Dims>, errors: &mut Errors) {
    let text = type_text(ty);
    let message = match ArrayType::parse(ty) {
        Some(array) if array.view => "an output must be owned: write `Array2<f32>`".to_owned(),
        Some(array) => {
            check_element(&array.element, errors);
            if array.rank.is_some() || shape.is_some() {
                return;
            }
            format!("`{text}` can have any dims: write them as `#[output(shape = [-1])]`")
        }
        None => match (meant_element(ty), argument_of("Option", ty)) {
            (Some(element), _) => format!("`{text}` is no array: write `Array2<{element}>`"),
            (None, Some(inner)) => {
                format!("an output cannot be left out: write `{}`", type_text(inner))
            }
            (None, None) => return,
        },
    };
    errors.push(ty, message);
}
