use std::ops::RangeInclusive;

use proc_macro2::Ident;
use quote::format_ident;
use syn::{Expr, ExprCall};

use crate::value::peeled;

/// The name of a runtime enum variant with its arguments: `all`, `latest(2)`.
#[derive(Debug)]
pub(crate) struct Word<'ast> {
    pub(crate) ident: &'ast Ident,
    pub(crate) arguments: Vec<&'ast Expr>,
}

impl<'ast> Word<'ast> {
    pub(crate) fn read(expression: &'ast Expr) -> Option<Self> {
        let (word, arguments): (&Expr, Vec<_>) = match peeled(expression) {
            Expr::Call(ExprCall { func, args, .. }) => (func, args.iter().collect()),
            word => (word, Vec::new()),
        };
        let Expr::Path(path) = word else { return None };
        let ident = path.path.get_ident()?;
        Some(Self { ident, arguments })
    }

    /// Returns whether it has this name and number of arguments.
    pub(crate) fn is(&self, word: &str, arguments: RangeInclusive<usize>) -> bool {
        self.ident == word && arguments.contains(&self.arguments.len())
    }

    /// Returns the variant.
    pub(crate) fn to_variant(&self) -> Ident {
        to_variant(self.ident)
    }
}

/// Returns the variant of that name: `zero` is `Zero`, `FP32` is `Fp32`.
pub(crate) fn to_variant(word: &Ident) -> Ident {
    let text = word.to_string();
    let (first, rest) = text.split_at(1);
    let name = format!("{}{}", first.to_uppercase(), rest.to_lowercase());
    format_ident!("{name}", span = word.span())
}
