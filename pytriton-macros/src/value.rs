use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Expr, ExprLit, ExprUnary, Lit, UnOp};

use crate::errors::Errors;
use crate::options::Options;

/// What an option's value looks like where it is a literal. Other expressions are left to the compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Text,
    Boolean,
    Number,
    /// `0.5`.
    Fraction,
    /// `direct` or `oldest`.
    Strategy,
    /// `[4, 8]`.
    Numbers,
    /// `2` or `[cpu(2), gpu(0)]`.
    Instances,
    /// `latest(2)`, `all` or `specific([1, 3])`.
    Versions,
}

/// The value of an option: a constant expression.
#[derive(Debug, Clone)]
pub(crate) struct Value {
    pub(crate) expression: Expr,
}

impl Value {
    /// The value of an option that is there; a literal of another form is reported.
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

    /// The value where it is `true` or `false`, and no constant.
    pub(crate) fn boolean(&self) -> Option<bool> {
        match literal(&self.expression)? {
            Lit::Bool(boolean) => Some(boolean.value),
            _ => None,
        }
    }

    /// The expression inside of the groups that `macro_rules!` leaves.
    pub(crate) fn peeled(&self) -> &Expr {
        peeled(&self.expression)
    }

    /// Whether it is what such values mostly are: a rule that refuses it is there, but hardly ever the one that does.
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

    /// Whether it is a list.
    pub(crate) fn is_list(&self) -> bool {
        matches!(peeled(&self.expression), Expr::Array(_))
    }

    /// The elements of a list.
    pub(crate) fn elements(&self) -> Vec<&Expr> {
        match peeled(&self.expression) {
            Expr::Array(list) => list.elems.iter().collect(),
            _ => Vec::new(),
        }
    }
}

/// A list is borrowed; a constant that is no list is one of slices.
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
        match peeled(expression) {
            Expr::Path(path) if self == Self::Strategy => path.path.get_ident().is_some(),
            _ if self == Self::Strategy => false,
            Expr::Path(_) | Expr::Call(_) if self == Self::Versions => true,
            _ if self == Self::Versions => false,
            Expr::Lit(ExprLit { lit, .. }) => match lit {
                Lit::Str(_) => self == Self::Text,
                Lit::Bool(_) => self == Self::Boolean,
                Lit::Int(_) => matches!(self, Self::Number | Self::Instances),
                Lit::Float(_) => self == Self::Fraction,
                _ => false,
            },
            Expr::Unary(ExprUnary {
                op: UnOp::Neg(_), ..
            }) => false,
            Expr::Array(_) if self == Self::Instances => true,
            Expr::Call(_) if self == Self::Instances => false,
            Expr::Array(list) => self == Self::Numbers && list.elems.iter().all(is_number),
            Expr::Tuple(_) | Expr::Closure(_) | Expr::Range(_) => false,
            _ => true,
        }
    }

    pub(crate) fn expected(self, name: &str) -> String {
        match self {
            Self::Text => format!("expected a text: write `{name} = \"…\"`"),
            Self::Boolean => format!("expected `{name} = true` or `{name} = false`"),
            Self::Number => format!("expected a number: write `{name} = 1`"),
            Self::Fraction => format!("expected a fraction: write `{name} = 0.5`"),
            Self::Strategy => {
                format!("expected a strategy: write `{name} = direct` or `{name} = oldest`")
            }
            Self::Versions => {
                format!(
                    "expected which versions are served: write `{name} = latest(1)`, `{name} = all` or `{name} = specific([1, 3])`"
                )
            }
            Self::Instances => {
                format!(
                    "expected a number, or a list of devices: write `{name} = 2` or `{name} = [cpu(2), gpu(0)]`"
                )
            }
            Self::Numbers => format!("expected a list of numbers: write `{name} = [4, 8]`"),
        }
    }
}

fn is_number(expression: &Expr) -> bool {
    match peeled(expression) {
        Expr::Unary(unary) => is_number(&unary.expr),
        expression => literal(expression).is_none_or(|literal| matches!(literal, Lit::Int(_))),
    }
}

fn literal(expression: &Expr) -> Option<&Lit> {
    match peeled(expression) {
        Expr::Lit(ExprLit { lit, .. }) => Some(lit),
        _ => None,
    }
}

/// The expression inside of the groups that `macro_rules!` leaves.
fn peeled(expression: &Expr) -> &Expr {
    match expression {
        Expr::Group(group) => peeled(&group.expr),
        Expr::Paren(paren) => peeled(&paren.expr),
        _ => expression,
    }
}
