use syn::{DeriveInput, Field, Type};

use crate::decorators::input::DECORATOR;
use crate::decorators::{Decoration, first_value};
use crate::derive::Derive;
use crate::errors::Errors;
use crate::model::Parameter;
use crate::path::CratePath;
use crate::tensor::check_distinct;
use crate::types::{peeled, type_text};

/// The derive macro.
pub(super) const DERIVE: Derive = Derive {
    name: "Inputs",
    decorator: &DECORATOR,
    what: "inputs",
    borrows: true,
    field: "x",
    empty: "a struct of inputs needs a field",
};

/// Returns the fields of a struct that derives `Inputs`, as parameters.
pub(super) fn read(input: &DeriveInput, errors: &mut Errors) -> Vec<Parameter> {
    for decoration in Decoration::take(&mut input.attrs.clone(), &CratePath::default()) {
        if !decoration.is(&DECORATOR) {
            decoration.misplaced(errors);
        }
    }
    let fields = DERIVE.fields(input, errors).into_iter();
    let fields: Vec<Parameter> = fields
        .filter_map(|declared| field(declared, errors))
        .collect();
    let names = fields.iter().filter_map(|field| field.name.as_ref());
    check_distinct("input", names, errors);
    fields
}

fn field(field: &Field, errors: &mut Errors) -> Option<Parameter> {
    let mut field = field.clone();
    let decorations = Decoration::take(&mut field.attrs, &CratePath::default());
    let belongs = |decoration: &Decoration| {
        decoration.is(&DECORATOR) || decoration.is(&first_value::DECORATOR)
    };
    let (decorations, others): (Vec<_>, Vec<_>) = decorations.into_iter().partition(belongs);
    for other in &others {
        other.misplaced(errors);
    }
    if let (Type::Reference(_), true) = (peeled(&field.ty), others.is_empty()) {
        let before = errors.len();
        let parameter = Parameter::field(&field, &decorations, errors);
        if errors.len() == before {
            let text = type_text(&field.ty);
            let message =
                format!("a field must be an input: make `{text}` a parameter of the function");
            errors.push(&field.ty, message);
        }
        return parameter;
    }
    Parameter::field(&field, &decorations, errors)
}
