use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Expr, ExprLit, Lit, UnOp};

use crate::enum_option::EnumOption;
use crate::errors::Errors;
use crate::expression::{literal, peeled};
use crate::options::Options;

/// The form of an option's value if it is a literal. The compiler checks other expressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Text,
    /// A string that the runtime parses.
    Action,
    Boolean,
    Number,
    /// `0.5`.
    Fraction,
    /// `direct` or `oldest`.
    Strategy,
    /// `[4, 8]`.
    Numbers,
    /// `2`, `[cpu(2), gpu(0)]` or an expression that is evaluated at start.
    Instances,
    /// `latest(2)`, `all` or `specific([1, 3])`.
    Versions,
}

/// The value of an option: a constant expression, except for [`Form::Instances`].
#[derive(Debug, Clone)]
pub(crate) struct Value {
    pub(crate) expression: Expr,
}

impl Value {
    /// Parses the value of an option, if present. Reports a literal of another form.
    pub(crate) fn take(
        options: &Options,
        name: &str,
        form: Form,
        errors: &mut Errors,
    ) -> Option<Self> {
        let tokens = options.value(name)?;
        let expression = syn::parse2::<Expr>(tokens.clone()).ok();
        let expression = expression.filter(|_| !options.is_list(name));
        match expression.filter(|expression| form.takes(expression)) {
            Some(expression) => Some(Self { expression }),
            None => {
                errors.push(tokens, form.expected(name));
                None
            }
        }
    }

    /// Returns the value, or a placeholder if it is missing.
    pub(crate) fn or(value: Option<&Self>, default: impl ToTokens) -> TokenStream {
        value.map_or_else(|| default.to_token_stream(), Self::to_token_stream)
    }

    /// Returns the value if it is the literal `true` or `false`.
    pub(crate) fn boolean(&self) -> Option<bool> {
        match literal(&self.expression)? {
            Lit::Bool(boolean) => Some(boolean.value),
            _ => None,
        }
    }

    /// Returns whether it is a common value, which a rule almost never rejects.
    pub(crate) fn is_usual(&self) -> bool {
        match literal(&self.expression) {
            Some(Lit::Str(text)) => {
                let text = text.value();
                let usual = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
                (1..=64).contains(&text.len()) && text.bytes().all(usual)
            }
            Some(Lit::Int(number)) => matches!(number.base10_parse(), Ok(1_u32..=1000)),
            Some(Lit::Bool(_)) => true,
            _ => false,
        }
    }

    /// Returns whether it is a list.
    pub(crate) fn is_list(&self) -> bool {
        matches!(peeled(&self.expression), Expr::Array(_))
    }

    /// Returns the elements of a list.
    pub(crate) fn elements(&self) -> Vec<&Expr> {
        match peeled(&self.expression) {
            Expr::Array(list) => list.elems.iter().collect(),
            _ => Vec::new(),
        }
    }
}

/// A list is borrowed. Any other constant must already be a slice.
impl ToTokens for Value {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let expression = &self.expression;
        tokens.extend(match peeled(expression) {
            Expr::Array(_) => quote!(&#expression),
            _ => quote!(#expression),
        });
    }
}

impl Form {
    fn takes(self, expression: &Expr) -> bool {
        match (self, peeled(expression)) {
            (Self::Strategy, Expr::Path(path)) => path.path.get_ident().is_some(),
            (Self::Strategy, _) => false,
            (Self::Versions, expression) => is_policy(expression),
            (form, Expr::Lit(ExprLit { lit, .. })) => match lit {
                Lit::Str(_) => matches!(form, Self::Text | Self::Action),
                Lit::Bool(_) => form == Self::Boolean,
                Lit::Int(_) => matches!(form, Self::Number | Self::Instances),
                Lit::Float(_) => form == Self::Fraction,
                _ => false,
            },
            (Self::Instances, Expr::Array(_)) => true,
            (Self::Numbers, Expr::Array(list)) => list.elems.iter().all(is_number),
            (Self::Instances, Expr::Call(_)) => !is_device(expression),
            (_, Expr::Unary(unary)) => !matches!(unary.op, UnOp::Neg(_)),
            (_, Expr::Array(_) | Expr::Tuple(_) | Expr::Closure(_) | Expr::Range(_)) => false,
            _ => true,
        }
    }

    fn expected(self, name: &str) -> String {
        let expected = match self {
            Self::Text | Self::Action => "expected a string: write `{} = \"…\"`",
            Self::Boolean => "expected `{} = true` or `{} = false`",
            Self::Number => "expected a number: write `{} = 1`",
            Self::Fraction => "expected a fraction: write `{} = 0.5`",
            Self::Numbers => "expected a list of numbers: write `{} = [4, 8]`",
            Self::Strategy => "expected a strategy: write `{} = direct` or `{} = oldest`",
            Self::Versions => {
                "expected a version policy: write `{} = latest(1)`, `{} = all` or `{} = specific([1, 3])`"
            }
            Self::Instances => {
                "expected a number, or a list of devices: write `{} = 2` or `{} = [cpu(2), gpu(0)]`"
            }
        };
        expected.replace("{}", name)
    }
}

fn is_number(expression: &Expr) -> bool {
    match peeled(expression) {
        Expr::Unary(unary) => is_number(&unary.expr),
        expression => literal(expression).is_none_or(|literal| matches!(literal, Lit::Int(_))),
    }
}

/// Returns whether it is a device without its list.
fn is_device(expression: &Expr) -> bool {
    EnumOption::read(expression).is_some_and(|word| word.ident == "cpu" || word.ident == "gpu")
}

/// Returns whether it is one of Triton's version policies.
fn is_policy(value: &Expr) -> bool {
    let known = |policy: EnumOption<'_>| {
        policy.is("all", 0..=0) || policy.is("latest", 1..=1) || policy.is("specific", 1..=1)
    };
    EnumOption::read(value).is_some_and(known)
}
