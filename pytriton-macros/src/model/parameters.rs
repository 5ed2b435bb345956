use syn::{FnArg, GenericArgument, Ident, Pat, PatType, PathArguments, Type, TypeReference};

use super::args::Settings;
use super::ast::{Argument, CallMode, Input};
use super::input;
use super::item::Function;
use crate::attribute::HelperAttribute;
use crate::element::{ArrayType, argument_of, last_segment, peeled, type_text};
use crate::errors::Errors;

/// The inputs and arguments that the parameters of a function declare.
#[derive(Debug, Default)]
pub(super) struct Parameters {
    pub(super) inputs: Vec<Input>,
    pub(super) arguments: Vec<Argument>,
}

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

/// Whether the function takes the requests as they are.
pub(super) fn is_raw(function: &Function) -> bool {
    let mut inputs = function.signature.inputs.iter();
    inputs.any(|input| match input {
        FnArg::Typed(parameter) => matches!(kind(&parameter.ty), Kind::Requests),
        FnArg::Receiver(_) => false,
    })
}

impl Parameters {
    pub(super) fn read(
        settings: &Settings,
        call: CallMode,
        function: &Function,
        errors: &mut Errors,
    ) -> Self {
        let mut parameters = Self::default();
        let inputs = function.signature.inputs.iter().zip(&function.parameters);
        for (parameter, helpers) in inputs {
            if let FnArg::Typed(parameter) = parameter {
                parameters.push(settings, call, parameter, helpers, errors);
            }
        }
        parameters
    }

    fn push(
        &mut self,
        settings: &Settings,
        call: CallMode,
        parameter: &PatType,
        helpers: &[HelperAttribute],
        errors: &mut Errors,
    ) {
        let name = name(parameter, errors);
        check_attributes(parameter, errors);
        check_lifetimes(&parameter.ty, errors);
        match kind(&parameter.ty) {
            Kind::Parameters if call == CallMode::Raw => {
                let message = "requests that are taken as they are have parameters of their own: remove this, and call `request.parameters()`";
                errors.push(parameter, message);
            }
            Kind::Parameters => self.inject(Argument::Parameters, parameter, helpers, errors),
            Kind::Context => self.inject(Argument::Context, parameter, helpers, errors),
            Kind::Requests => self.inject(Argument::Requests, parameter, helpers, errors),
            Kind::Tensor { .. } if call == CallMode::Raw => {
                let message = "a function that takes `&[Request]` has no other inputs: remove this parameter, and call `request.array(\"…\")`";
                errors.push(parameter, message);
            }
            Kind::Tensor { ty, optional } => {
                let reader = input::Reader {
                    settings,
                    call,
                    name,
                    ty,
                    optional,
                    helpers,
                };
                if let Some(input) = reader.read(errors) {
                    self.arguments.push(Argument::Input(self.inputs.len()));
                    self.inputs.push(input);
                }
            }
            Kind::Wrong(message) => errors.push(&parameter.ty, message),
        }
    }

    /// A parameter that is no input.
    fn inject(
        &mut self,
        argument: Argument,
        parameter: &PatType,
        helpers: &[HelperAttribute],
        errors: &mut Errors,
    ) {
        let ty = type_text(&parameter.ty);
        for helper in helpers {
            let name = helper.helper.name();
            errors.push(helper, format!("`{ty}` is no input: remove `#[{name}]`"));
        }
        if self.arguments.contains(&argument) {
            errors.push(parameter, format!("`{ty}` is taken twice: remove one"));
        }
        self.arguments.push(argument);
    }
}

fn name<'a>(parameter: &'a PatType, errors: &mut Errors) -> Option<&'a Ident> {
    match &*parameter.pat {
        Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => Some(&name.ident),
        pattern => {
            let message = "a parameter needs a name, which is the input's: write `x: …`";
            errors.push(pattern, message);
            None
        }
    }
}

/// The registration cannot see which parameters a `#[cfg]` leaves.
fn check_attributes(parameter: &PatType, errors: &mut Errors) {
    for attribute in &parameter.attrs {
        if attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr") {
            let message =
                "a parameter of a model cannot depend on `#[cfg]`: put it on the function";
            errors.push(attribute, message);
        }
    }
}

/// A view and a reference live as long as the call.
fn check_lifetimes(ty: &Type, errors: &mut Errors) {
    let inner = argument_of("Option", ty).unwrap_or(ty);
    let lifetime = match peeled(inner) {
        Type::Reference(reference) => reference.lifetime.as_ref(),
        Type::Path(_) => last_segment(inner).and_then(|segment| match &segment.arguments {
            PathArguments::AngleBracketed(list) => {
                list.args.iter().find_map(|argument| match argument {
                    GenericArgument::Lifetime(lifetime) => Some(lifetime),
                    _ => None,
                })
            }
            _ => None,
        }),
        _ => None,
    };
    if let Some(lifetime) = lifetime.filter(|lifetime| lifetime.ident == "static") {
        errors.push(
            lifetime,
            "arguments live only as long as the call: remove `'static`",
        );
    }
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
        _ if named(inner, "Request") => return Kind::Wrong("write `&[Request]`".to_owned()),
        _ if type_text(inner) == "str" => {
            return Kind::Tensor {
                ty: inner,
                optional: false,
            };
        }
        _ => {
            return Kind::Wrong(match ArrayType::parse(inner) {
                Some(array) => format!("an array is passed as a view: write `{}`", view(&array)),
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
            return Kind::Wrong(format!("write `&{name}`"));
        }
    }
    if named(ty, "Request") || argument_of("Vec", ty).is_some_and(|ty| named(ty, "Request")) {
        return Kind::Wrong("write `&[Request]`".to_owned());
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

fn view(array: &ArrayType) -> String {
    let rank = array.rank.map_or("D".to_owned(), |rank| rank.to_string());
    format!("ArrayView{rank}<{}>", type_text(&array.element))
}

fn named(ty: &Type, name: &str) -> bool {
    last_segment(ty).is_some_and(|last| last.ident == name)
}

fn named_reference(ty: &Type, name: &str) -> bool {
    matches!(peeled(ty), Type::Reference(reference) if named(&reference.elem, name))
}

/// The message on a type that is nothing a function can be given.
pub(super) fn unknown(ty: &impl quote::ToTokens) -> String {
    format!(
        "`{}` cannot be a parameter of a model: take an array such as `ArrayView2<f32>`, `&Parameters` or `&Context`",
        type_text(ty)
    )
}
