//! What inputs and outputs of functions and fields of structs have in common: a name and dims.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{Expr, LitStr};

use crate::attribute::plain_name;
use crate::errors::Errors;
use crate::options::Options;
use crate::output::BatchAxis;

/// The name of an input or output, and the token that gave it.
#[derive(Debug, Clone)]
pub(crate) struct TensorName {
    pub(crate) text: String,
    pub(crate) span: Span,
    /// Whether it is a parameter's or field's own name.
    pub(crate) own: bool,
}

impl TensorName {
    /// The option `name`, checked.
    pub(crate) fn take(options: &Options, errors: &mut Errors) -> Option<Self> {
        let name = options.string("name", errors)?;
        let name = Self {
            text: name.value(),
            span: name.span(),
            own: false,
        };
        Some(name.checked(errors))
    }

    /// The name of a parameter or field, checked.
    pub(crate) fn own(ident: &Ident, errors: &mut Errors) -> Self {
        let (text, span) = plain_name(ident);
        let own = true;
        Self { text, span, own }.checked(errors)
    }

    fn checked(self, errors: &mut Errors) -> Self {
        if let Some(reason) = self.flaw() {
            let text = &self.text;
            let message = format!("`{text}` cannot be the name of a tensor: {reason}");
            errors.push_error(syn::Error::new(self.span, message));
        }
        self
    }

    fn flaw(&self) -> Option<&'static str> {
        let odd = |c: char| c.is_whitespace() || c.is_control() || c == '"' || c == '\\';
        if self.text.is_empty() {
            Some("write a name such as `name = \"INPUT_1\"`")
        } else if self.text.starts_with("__") || self.text.starts_with("triton_") {
            Some("names that start with `__` or `triton_` are reserved; write `name = \"INPUT_1\"`")
        } else if self.text.contains(odd) {
            Some("spaces, quotes, backslashes and control characters are not allowed")
        } else {
            None
        }
    }
}

impl ToTokens for TensorName {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        LitStr::new(&self.text, Span::call_site()).to_tokens(tokens);
    }
}

/// Reports each name that another one has already.
pub(crate) fn check_distinct<'a>(
    kind: &str,
    names: impl IntoIterator<Item = &'a TensorName>,
    errors: &mut Errors,
) {
    let mut seen: Vec<&TensorName> = Vec::new();
    for name in names {
        let text = &name.text;
        let mut same = seen.iter().filter(|other| other.text == *text);
        // Two parameters or fields of one name are the compiler's to report.
        if same.any(|other| !(other.own && name.own)) {
            let message = format!("two {kind}s are named `{text}`: write another `name = \"…\"`");
            errors.push_error(syn::Error::new(name.span, message));
        }
        seen.push(name);
    }
}

/// The dims of an input or output without the batch axis, each with its tokens.
#[derive(Debug, Clone)]
pub(crate) struct Dims {
    dims: Vec<(i64, Expr)>,
    tokens: TokenStream,
}

impl Dims {
    /// The option `shape`, checked.
    pub(crate) fn take(options: &Options, errors: &mut Errors) -> Option<Self> {
        let dims = options.integers("shape", errors)?;
        let tokens = options.value("shape")?.clone();
        if dims.is_empty() {
            errors.push(
                &tokens,
                "a tensor needs at least one dimension: write `shape = [-1]`",
            );
        }
        for (dim, token) in &dims {
            if *dim != -1 && *dim < 1 {
                errors.push(token, "a dimension must be at least 1, or -1 for any size");
            }
        }
        Some(Self { dims, tokens })
    }

    /// Compares the number of dims with that of an array type.
    pub(crate) fn check_rank(
        &self,
        array: &str,
        rank: usize,
        axis: BatchAxis,
        errors: &mut Errors,
    ) {
        let found = self.dims.len();
        let without = rank.saturating_sub(1);
        let (expected, beside, fits) = match axis {
            BatchAxis::None => (rank, "", found == rank),
            BatchAxis::First => (
                without,
                " beside the batch axis, which does not count in `shape`",
                found == without,
            ),
            BatchAxis::Unknown => (
                rank,
                ", one of which may be the batch axis, which does not count in `shape`",
                found == rank || found == without,
            ),
        };
        if fits || found == 0 {
            return;
        }
        let dimensions = if expected == 1 {
            "dimension"
        } else {
            "dimensions"
        };
        let message =
            format!("`{array}` has {expected} {dimensions}{beside}, but `shape` has {found}");
        errors.push(&self.tokens, message);
    }

    /// Reports dims other than 1: a single value has no others.
    pub(crate) fn check_scalar(&self, errors: &mut Errors) {
        for (_, token) in self.dims.iter().filter(|(dim, _)| *dim != 1) {
            errors.push(
                token,
                "every dimension of a single value is 1: write `shape = [1]`, or take an array",
            );
        }
    }
}

impl ToTokens for Dims {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let dims = self
            .dims
            .iter()
            .map(|(dim, _)| proc_macro2::Literal::i64_unsuffixed(*dim));
        tokens.extend(quote!(&[#(#dims),*]));
    }
}

/// An `Option` in generated code.
pub(crate) fn optional(value: Option<impl ToTokens>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}
