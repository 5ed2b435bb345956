use std::ops::RangeInclusive;

use proc_macro2::Ident;
use quote::format_ident;
use syn::{Expr, ExprCall};

use crate::expression::peeled;

/// The name of a runtime enum variant with its arguments: `all`, `latest(2)`.
#[derive(Debug)]
pub(crate) struct EnumOption<'ast> {
    pub(crate) ident: &'ast Ident,
    pub(crate) arguments: Vec<&'ast Expr>,
}

impl<'ast> EnumOption<'ast> {
    pub(crate) fn read(expression: &'ast Expr) -> Option<Self> {
        let (option, arguments): (&Expr, Vec<_>) = match peeled(expression) {
            Expr::Call(ExprCall { func, args, .. }) => (func, args.iter().collect()),
            option => (option, Vec::new()),
        };
        let Expr::Path(path) = option else {
            return None;
        };
        let ident = path.path.get_ident()?;
        Some(Self { ident, arguments })
    }

    /// Returns whether it has this name and number of arguments.
    pub(crate) fn is(&self, option: &str, arguments: RangeInclusive<usize>) -> bool {
        self.ident == option && arguments.contains(&self.arguments.len())
    }

    /// Returns the variant.
    pub(crate) fn to_variant(&self) -> Ident {
        to_variant(self.ident)
    }
}

/// Returns the variant of that name: `zero` is `Zero`, `FP32` is `Fp32`.
pub(crate) fn to_variant(option: &Ident) -> Ident {
    let text = option.to_string();
    let (first, rest) = text.split_at(1);
    let name = format!("{}{}", first.to_uppercase(), rest.to_lowercase());
    format_ident!("{name}", span = option.span())
}
