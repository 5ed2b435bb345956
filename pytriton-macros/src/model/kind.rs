use quote::ToTokens;
use syn::{Type, TypeReference};

use crate::array::ArrayType;
use crate::types::{argument_of, last_segment, peeled, type_text};

const SLICE: &str = "requests are borrowed, and all of them: write `&[Request]`";

/// What a parameter's type asks for.
#[derive(Debug)]
pub(super) enum Kind<'a> {
    /// `&Parameters`.
    Parameters,
    /// `&Context`.
    Context,
    /// `&[Request]`.
    Requests,
    /// An array or a single value, in an `Option` or not.
    Tensor { ty: &'a Type, optional: bool },
    /// Something that is nearly one of the others: what to write.
    Wrong(String),
}

/// What a parameter's type asks for.
pub(super) fn kind(ty: &Type) -> Kind<'_> {
    match peeled(ty) {
        Type::Reference(reference) => reference_kind(reference),
        ty @ Type::Path(_) => path_kind(ty),
        Type::ImplTrait(_) => Kind::Wrong(
            "a model's function must not be generic: write the type, such as `ArrayView2<f32>`"
                .to_owned(),
        ),
        ty => Kind::Wrong(unknown(ty)),
    }
}

fn reference_kind(reference: &TypeReference) -> Kind<'_> {
    let inner = peeled(&reference.elem);
    let kind = match inner {
        Type::Slice(slice) if named(&slice.elem, "Request") => Kind::Requests,
        _ if named(inner, "Parameters") => Kind::Parameters,
        _ if named(inner, "Context") => Kind::Context,
        _ if named(inner, "Request") => return Kind::Wrong(SLICE.to_owned()),
        _ if type_text(inner) == "str" => {
            return Kind::Tensor {
                ty: inner,
                optional: false,
            };
        }
        _ => {
            return Kind::Wrong(match ArrayType::parse(inner) {
                Some(array) => {
                    format!("an array is passed as a view: write `{}`", array.borrowed())
                }
                None => unknown(reference),
            });
        }
    };
    match reference.mutability {
        Some(_) => Kind::Wrong(format!(
            "arguments cannot be changed: write `&{}`",
            type_text(inner)
        )),
        None => kind,
    }
}

fn path_kind(ty: &Type) -> Kind<'_> {
    for name in ["Parameters", "Context"] {
        if named(ty, name) || argument_of("Option", ty).is_some_and(|ty| named_reference(ty, name))
        {
            return Kind::Wrong(format!(
                "a call always has its own `{name}`: write `&{name}`"
            ));
        }
    }
    if named(ty, "Request") || argument_of("Vec", ty).is_some_and(|ty| named(ty, "Request")) {
        return Kind::Wrong(SLICE.to_owned());
    }
    match argument_of("Option", ty) {
        Some(inner) => match kind(inner) {
            Kind::Tensor {
                ty,
                optional: false,
            } => Kind::Tensor { ty, optional: true },
            Kind::Wrong(message) => Kind::Wrong(message),
            _ => Kind::Wrong(unknown(ty)),
        },
        None => Kind::Tensor {
            ty,
            optional: false,
        },
    }
}

fn named(ty: &Type, name: &str) -> bool {
    last_segment(ty).is_some_and(|last| last.ident == name)
}

fn named_reference(ty: &Type, name: &str) -> bool {
    matches!(peeled(ty), Type::Reference(reference) if named(&reference.elem, name))
}

/// The message on a type that is nothing a function can be given.
pub(super) fn unknown(ty: &impl ToTokens) -> String {
    format!(
        "`{}` cannot be a parameter of a model: take an array such as `ArrayView2<f32>`, `&Parameters` or `&Context`",
        type_text(ty)
    )
}
