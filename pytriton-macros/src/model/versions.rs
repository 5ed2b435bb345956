//! The option `version_policy`: which versions of the model are served.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{Expr, ExprCall};

use crate::errors::Errors;
use crate::path::CratePath;
use crate::value::{Form, Value};

/// One of Triton's choices.
enum Choice<'ast> {
    Latest(&'ast Expr),
    All,
    Specific(Value),
}

/// Whether it is one of the choices; what is none is reported.
pub(super) fn check(name: &str, value: &Value, errors: &mut Errors) -> bool {
    let is_one = choice(value).is_some();
    if !is_one {
        errors.push(&value.expression, Form::Versions.expected(name));
    }
    is_one
}

/// The choice as the runtime has it.
pub(super) fn to_policy(value: &Value, root: &CratePath) -> TokenStream {
    let policy = match choice(value) {
        Some(Choice::Latest(count)) => quote!(Latest(#count)),
        Some(Choice::Specific(versions)) => quote!(Specific(#versions)),
        Some(Choice::All) | None => quote!(All),
    };
    quote!(::core::option::Option::Some(#root::VersionPolicy::#policy))
}

fn choice(value: &Value) -> Option<Choice<'_>> {
    match value.peeled() {
        Expr::Path(path) => (named(path)? == "all").then_some(Choice::All),
        Expr::Call(ExprCall { func, args, .. }) => {
            let Expr::Path(path) = &**func else {
                return None;
            };
            let argument = args.first().filter(|_| args.len() == 1)?;
            let name = named(path)?;
            if name == "latest" {
                return Some(Choice::Latest(argument));
            }
            let versions = Value {
                expression: argument.clone(),
            };
            (name == "specific").then_some(Choice::Specific(versions))
        }
        _ => None,
    }
}

fn named(path: &syn::ExprPath) -> Option<&Ident> {
    path.path.get_ident()
}
