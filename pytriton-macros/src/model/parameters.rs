use syn::{FnArg, GenericArgument, Ident, Pat, PatType, PathArguments, Type};

use super::args::Settings;
use super::ast::{Argument, CallMode, Input};
use super::input;
use super::item::Function;
use super::kind::{Kind, kind};
use crate::attribute::HelperAttribute;
use crate::errors::Errors;
use crate::types::{argument_of, last_segment, peeled, type_text};

/// The inputs and arguments that the parameters of a function declare.
#[derive(Debug, Default)]
pub(super) struct Parameters {
    pub(super) inputs: Vec<Input>,
    pub(super) arguments: Vec<Argument>,
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
            match parameter {
                FnArg::Typed(parameter) => {
                    parameters.push(settings, call, parameter, helpers, errors);
                }
                FnArg::Receiver(_) => refuse("self", helpers, errors),
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
            Kind::Parameters if settings.response_cache => {
                let message = "`response_cache = true` gives requests of the same inputs the same response, whatever their parameters are: remove it, or take no `&Parameters`";
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
            Kind::Wrong(message) => {
                let reader = input::Reader {
                    settings,
                    call,
                    name,
                    ty: &parameter.ty,
                    optional: false,
                    helpers,
                };
                reader.check_helpers(errors);
                // A pattern's type fits the pattern: that is one mistake.
                if name.is_some() {
                    errors.push(&parameter.ty, message);
                }
            }
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
        refuse(&ty, helpers, errors);
        if self.arguments.contains(&argument) {
            errors.push(parameter, format!("`{ty}` is taken twice: remove one"));
        }
        self.arguments.push(argument);
    }
}

fn refuse(parameter: &str, helpers: &[HelperAttribute], errors: &mut Errors) {
    for helper in helpers {
        let name = helper.helper.name();
        errors.push(
            helper,
            format!("`{parameter}` is no input: remove `#[{name}]`"),
        );
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
