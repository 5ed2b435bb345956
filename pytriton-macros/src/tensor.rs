//! Names and dimensions, shared by inputs, outputs and fields.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Expr, LitStr};

use crate::errors::Errors;
use crate::ident::plain_name;
use crate::options::Options;
use crate::value::{Form, Value};

/// The name of an input or output, and its token.
#[derive(Debug, Clone)]
pub(crate) struct TensorName {
    pub(crate) text: String,
    pub(crate) span: Span,
    /// Whether it is the name of the parameter or field itself.
    pub(crate) own: bool,
}

impl TensorName {
    /// Parses the option `name`.
    pub(crate) fn take(options: &Options, errors: &mut Errors) -> Option<Self> {
        let name = options.string("name", errors)?;
        Some(Self {
            text: name.value(),
            span: name.span(),
            own: false,
        })
    }

    /// Returns the name of a parameter or field.
    pub(crate) fn own(ident: &Ident) -> Self {
        Self {
            text: plain_name(ident),
            span: ident.span(),
            own: true,
        }
    }

    /// Returns the check of the name.
    pub(crate) fn to_check(&self) -> TokenStream {
        let name = LitStr::new(&self.text, self.span);
        refusal(name, &quote!(__private::tensor_name_flaw(#self)))
    }
}

impl ToTokens for TensorName {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        LitStr::new(&self.text, Span::call_site()).to_tokens(tokens);
    }
}

/// Reports duplicate names.
pub(crate) fn check_distinct<'a>(
    kind: &str,
    names: impl IntoIterator<Item = &'a TensorName>,
    errors: &mut Errors,
) {
    let mut seen: Vec<&TensorName> = Vec::new();
    for name in names {
        let text = &name.text;
        let mut same = seen.iter().filter(|other| other.text == *text);
        // The compiler reports duplicate parameters and fields.
        if same.any(|other| !(other.own && name.own)) {
            let message = format!("two {kind}s are named `{text}`: write another `name = \"…\"`");
            errors.push_error(syn::Error::new(name.span, message));
        }
        seen.push(name);
    }
}

/// The option `shape`: the dimensions of an input or output without the batch axis.
#[derive(Debug, Clone)]
pub(crate) struct Dims(Value);

impl Dims {
    pub(crate) fn take(options: &Options, errors: &mut Errors) -> Option<Self> {
        Value::take(options, "shape", Form::Numbers, errors).map(Self)
    }

    /// Returns the value of the option.
    pub(crate) fn value(&self) -> &Expr {
        &self.0.expression
    }

    /// Returns the check of each dimension.
    pub(crate) fn to_checks(&self) -> TokenStream {
        let checks = self.0.elements().into_iter().map(|dimension| {
            let flaw = quote!(__private::dimension_flaw(#dimension));
            refusal(dimension, &flaw)
        });
        checks.collect()
    }
}

impl ToTokens for Dims {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.0.to_tokens(tokens);
    }
}

/// Returns a constant that raises a compile error on these tokens if there is a flaw.
pub(crate) fn refusal(tokens: impl ToTokens, flaw: &TokenStream) -> TokenStream {
    let refuse = spanned_call(tokens, "refuse", flaw);
    quote!(const _: () = #refuse;)
}

/// Returns a call of a function in `__private`, with these tokens as its span.
pub(crate) fn spanned_call(
    tokens: impl ToTokens,
    function: &str,
    arguments: &TokenStream,
) -> TokenStream {
    let mut tokens = tokens.into_token_stream().into_iter();
    let first = tokens
        .next()
        .map_or_else(Span::call_site, |token| token.span());
    let last = tokens.last().map_or(first, |token| token.span());
    let function = Ident::new(function, first);
    let mut arguments = Group::new(Delimiter::Parenthesis, arguments.clone());
    arguments.set_span(last);
    let path = quote_spanned!(first=> __private::#function);
    quote!(#path #arguments)
}

/// Returns a list in generated code: the name of its constant, or an empty slice.
pub(crate) fn listed<T>(constant: &str, list: &[T]) -> TokenStream {
    match list.is_empty() {
        true => quote!(&[]),
        false => Ident::new(constant, Span::call_site()).into_token_stream(),
    }
}

/// Returns an `Option` in generated code.
pub(crate) fn optional(value: Option<impl ToTokens>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}
