use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Expr, ExprUnary, Lit, UnOp};

use crate::errors::Errors;
use crate::expression::{literal, peeled};
use crate::options::Options;

/// The option `example`: sample values for one row of an input.
#[derive(Debug, Clone)]
pub(crate) struct Example {
    pub(crate) expression: Expr,
    elements: Vec<String>,
}

impl Example {
    /// Parses the option: one element or a list of them, each a literal.
    pub(crate) fn take(options: &Options, errors: &mut Errors) -> Option<Self> {
        let tokens = options.value("example")?;
        let expression = syn::parse2::<Expr>(tokens.clone()).ok();
        let expression = expression.filter(|_| !options.is_list("example"));
        let read = expression.and_then(|expression| {
            let elements = texts(&expression)?;
            Some(Self {
                expression,
                elements,
            })
        });
        if read.is_none() {
            let message = "expected a literal or a list of literals: write `example = 0.5`, `example = \"…\"` or `example = [1, 2]`";
            errors.push(tokens, message);
        }
        read
    }
}

/// A constant of slices.
impl ToTokens for Example {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let elements = &self.elements;
        tokens.extend(quote!(&[#(#elements),*]));
    }
}

fn texts(expression: &Expr) -> Option<Vec<String>> {
    match peeled(expression) {
        Expr::Array(list) => list.elems.iter().map(text).collect(),
        one => Some(vec![text(one)?]),
    }
}

fn text(expression: &Expr) -> Option<String> {
    if let Expr::Unary(ExprUnary {
        op: UnOp::Neg(_),
        expr,
        ..
    }) = peeled(expression)
    {
        return Some(format!("-{}", number(literal(expr)?)?));
    }
    match literal(expression)? {
        Lit::Str(text) => Some(text.value()),
        Lit::Bool(boolean) => Some(boolean.value.to_string()),
        literal => Some(number(literal)?.to_owned()),
    }
}

fn number(literal: &Lit) -> Option<&str> {
    match literal {
        Lit::Int(number) => Some(number.base10_digits()),
        Lit::Float(number) => Some(number.base10_digits()),
        _ => None,
    }
}
