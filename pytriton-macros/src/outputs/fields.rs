use proc_macro2::Ident;
use quote::format_ident;
use syn::{DeriveInput, Field, Type};

use crate::decorators::output::{DECORATOR, Override};
use crate::derive::Derive;
use crate::docs::docs;
use crate::errors::Errors;
use crate::output;
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

/// The derive macro.
pub(super) const DERIVE: Derive = Derive {
    name: "Outputs",
    decorator: &DECORATOR,
    what: "outputs",
    borrows: false,
    field: "y",
    empty: "a model needs an output",
};

/// Returns the fields of a struct that derives `Outputs`.
pub(super) fn read(input: &DeriveInput, errors: &mut Errors) -> Vec<OutputField> {
    let fields = DERIVE.fields(input, errors).into_iter().enumerate();
    let fields: Vec<OutputField> = fields
        .filter_map(|(index, declared)| field(index, declared, errors))
        .collect();
    check_distinct("output", fields.iter().map(|field| &field.name), errors);
    fields
}

fn field(index: usize, field: &Field, errors: &mut Errors) -> Option<OutputField> {
    let ident = field.ident.clone()?;
    let override_options = DERIVE.decoration(&field.attrs, errors);
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
