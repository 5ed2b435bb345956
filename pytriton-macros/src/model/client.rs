//! The model as a type, for typed clients and for calls between models.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::{GenericArgument, PathArguments, Type, parse_quote};

use super::ast::Model;
use super::function::Function;
use super::hint::{is_requests, response_type};
use super::lifetime::to_static;
use super::options::ModelOptions;
use crate::errors::Errors;
use crate::ident::plain_name;
use crate::types::{argument_of, named, peeled};

/// Names of primitive types; the model's type must not have one of these.
const PRIMITIVE: [&str; 19] = [
    "bf16", "bool", "char", "f16", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "str",
    "u8", "u16", "u32", "u64", "u128", "usize",
];

/// The type of a model, which the option `client` names.
#[derive(Debug)]
pub(super) struct Client {
    name: Ident,
    /// Its declaration, unless it is the user's own type.
    declaration: TokenStream,
}

impl Client {
    pub(super) fn of(options: &ModelOptions, function: &Function) -> Option<Self> {
        let name = options.client.clone()?;
        let state = function.state.as_ref();
        let declaration = match options.client_exists
            || state.is_some_and(|state| named(&name.to_string(), &state.ty).is_some())
        {
            true => TokenStream::new(),
            false => {
                let visibility = &function.visibility;
                let docs = format!("The model `{}`, for its callers.", options.model_name());
                quote! {
                    #[doc = #docs]
                    #[derive(Debug)]
                    #visibility enum #name {}
                }
            }
        };
        Some(Self { name, declaration })
    }

    pub(super) fn to_declaration(&self) -> &TokenStream {
        &self.declaration
    }

    /// Returns the implementation of the trait `Model`.
    pub(super) fn to_implementation(&self, model: &Model) -> TokenStream {
        let ty = &self.name;
        let taken = model.parameters.iter();
        let taken = taken.filter(|parameter| !parameter.is_state() && !is_reference(&parameter.ty));
        let taken = taken.map(|parameter| {
            let ty = &parameter.ty;
            // Callers may omit inputs that have a fill value.
            match parameter.filled && argument_of("Option", ty).is_none() {
                true => quote!(::core::option::Option<#ty>),
                false => quote!(#ty),
            }
        });
        let mut given = model.parameters.iter();
        let given = given.find_map(|parameter| response_type(&parameter.ty));
        let outputs = given.or(model.returned.as_ref()).map(caller_type);
        let responses = Ident::new(
            match model.streamed {
                Some(_) => "Many",
                None => "Once",
            },
            Span::call_site(),
        );
        let overrides = model.decorations.to_overrides();
        quote! {
            impl __private::typed::Model for #ty {
                type Arguments = (#(fn(#taken),)*);
                type Outputs = #outputs;
                type Responses = __private::typed::#responses;

                fn signature() -> __private::typed::ModelSignature {
                    __private::callers_signature(&__OPTIONS, &__SIGNATURE, __OUTPUTS, #overrides)
                }
            }
        }
    }
}

impl Model {
    /// Returns whether the parameters and the result are typed; otherwise no client type is
    /// possible.
    pub(super) fn is_typed(&self, named: Option<&Ident>, errors: &mut Errors) -> bool {
        let mut parameters = self.parameters.iter();
        let why = if self.decorations.openai.is_some() {
            "has `#[openai]`"
        } else if parameters.any(|parameter| is_requests(&parameter.ty)) {
            "takes `&[Request]`"
        } else {
            return true;
        };
        if let Some(name) = named {
            let message = format!("a function that {why} has no typed client: remove `client`");
            errors.push(name, message);
        }
        false
    }
}

/// Reports a name that is not allowed for a type.
pub(super) fn check_name(name: &Ident, errors: &mut Errors) {
    let text = plain_name(name);
    if PRIMITIVE.contains(&text.as_str()) {
        let message =
            format!("`{text}` is the name of a standard Rust type: write `client = MyModel`");
        errors.push(name, message);
    }
}

/// Context arguments are references; inputs are not.
fn is_reference(ty: &Type) -> bool {
    matches!(peeled(ty), Type::Reference(_))
}

/// Converts a return type to the one that callers see: without its error, and owned.
fn caller_type(returned: &Type) -> Type {
    let mut returned = returned.clone();
    if let Some(error) = error(&mut returned) {
        *error = parse_quote!(());
    }
    to_static(&returned)
}

/// Returns the error type of a `Result`.
fn error(returned: &mut Type) -> Option<&mut Type> {
    match returned {
        Type::Group(group) => error(&mut group.elem),
        Type::Paren(paren) => error(&mut paren.elem),
        Type::Path(path) => {
            let last = path.path.segments.last_mut();
            let last = last.filter(|last| last.ident == "Result")?;
            let PathArguments::AngleBracketed(arguments) = &mut last.arguments else {
                return None;
            };
            match arguments.args.get_mut(1)? {
                GenericArgument::Type(error) => Some(error),
                _ => None,
            }
        }
        _ => None,
    }
}
