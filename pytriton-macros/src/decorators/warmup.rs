//! `#[warmup(name = "…", batch_size = …, count = …, inputs(x = zero, y = random([128]), z = file("…")))]`: calls that each
//! instance makes before it takes requests.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::{Expr, LitStr, Token, parenthesized};

use super::{Decoration, Decorator, Input, Inputs, Place, plain_name};
use crate::entry::{Entry, split};
use crate::errors::Errors;
use crate::options::Options;
use crate::path::CratePath;
use crate::tensor::{optional, refusal};
use crate::value::{Form, Value};

pub(crate) const DECORATOR: Decorator = Decorator {
    name: "warmup",
    places: &[Place::Function],
    belongs: "the function itself: `#[warmup(name = \"one\", inputs(x = zero))]`",
    options: &["name", "batch_size", "count", "inputs"],
    ..Decorator::NONE
};

const EXPECTED: &str = "expected `zero`, `random` or `file(\"…\")`, with dims where the input has none of its own: `zero([128])`, `file(\"…\", [128])`";

/// What the decorator says.
#[derive(Debug)]
pub(crate) struct Warmup {
    decoration: Decoration,
    /// `None` where it is missing or wrong.
    name: Option<LitStr>,
    batch_size: Option<Value>,
    count: Option<Value>,
    inputs: Vec<(Ident, Data)>,
}

/// `zero`, `random([128])`, `file("…", [128])`.
#[derive(Debug)]
struct Data {
    tokens: TokenStream,
    kind: Ident,
    path: Option<Expr>,
    dims: Option<Expr>,
}

impl Warmup {
    pub(crate) fn read(decoration: &Decoration, errors: &mut Errors) -> Self {
        let inside = decoration.inside(errors).unwrap_or_default();
        let known = DECORATOR.options;
        let options = Options::parse_nested("#[warmup]", inside, known, &["inputs"], errors);
        for (option, example) in [("name", "name = \"one\""), ("inputs", "inputs(x = zero)")] {
            if options.lacks(option) {
                let message = format!("`{option}` is missing: write `{example}`");
                errors.push(decoration, message);
            }
        }
        let name = options.string("name", errors);
        let mut number = |name| Value::take(&options, name, Form::Number, errors);
        let (batch_size, count) = (number("batch_size"), number("count"));
        let mut inputs: Vec<(Ident, Data)> = Vec::new();
        for part in options
            .nested("inputs")
            .flat_map(|(_, inside)| split(inside))
        {
            let entry = Entry::read(&part).filter(|entry| !entry.list && !entry.value.is_empty());
            let data = entry.map(|entry| (entry.key, syn::parse2::<Data>(entry.value)));
            match data {
                Some((key, _)) if inputs.iter().any(|(other, _)| *other == key) => {
                    errors.push(&key, format!("`{key}` stands twice: remove one"));
                }
                Some((key, Ok(data))) => inputs.push((key, data)),
                Some((_, Err(error))) => errors.push_error(error),
                None => errors.push(
                    TokenStream::from_iter(part),
                    "expected an input and what is in it: write `x = zero`",
                ),
            }
        }
        Self {
            decoration: decoration.clone(),
            name,
            batch_size,
            count,
            inputs,
        }
    }

    /// The warm-up in the runtime's words.
    pub(crate) fn to_tokens(
        &self,
        inputs: &Inputs,
        root: &CratePath,
        errors: &mut Errors,
    ) -> TokenStream {
        let given = self.inputs.iter().filter_map(|(key, data)| {
            let name = &inputs.find(key, errors)?.name;
            let dims = optional(data.dims.as_ref().map(|dims| borrowed(&quote!(&#dims))));
            let kind = Ident::new(variant(&data.kind)?, data.kind.span());
            let path = data.path.iter().map(|path| borrowed(&quote!(#path)));
            let name = borrowed(name);
            Some(quote! {
                #root::WarmupInput { name: #name, data: #root::WarmupData::#kind #((#path))*, dims: #dims }
            })
        });
        let given = borrowed(&quote!(&[#(#given),*]));
        let name = borrowed(&match &self.name {
            Some(name) => quote!(#name),
            None => quote!(""),
        });
        let number = |value: &Option<Value>| match value {
            Some(value) => quote!(#value),
            None => quote!(1),
        };
        let (batch_size, count) = (number(&self.batch_size), number(&self.count));
        quote! {
            #root::Warmup { name: #name, batch_size: #batch_size, count: #count, inputs: #given }
        }
    }

    /// What refuses it as the warm-up of that index of a function with these inputs.
    pub(crate) fn to_checks(&self, index: usize, known: &Inputs) -> TokenStream {
        let numbers = [("batch_size", &self.batch_size), ("count", &self.count)];
        let numbers = numbers.into_iter().filter_map(|(option, value)| {
            let flaw = quote!(__OPTIONS.warmup_flaw(&__WARMUPS[#index], #option));
            Some(refusal(&value.as_ref()?.expression, &flaw))
        });
        let inputs = self.inputs.iter().enumerate().map(|(input, (_, data))| {
            let warmup = quote!(&__WARMUPS[#index], #input);
            let flaw = quote!(__SIGNATURE.warmup_input_flaw(#warmup, &__OPTIONS));
            refusal(&data.tokens, &flaw)
        });
        let given = |parameter: &str| {
            self.inputs
                .iter()
                .any(|(key, _)| plain_name(key).0 == parameter)
        };
        let lacking = known.0.iter().filter(|input| !given(&input.parameter));
        let lacking = lacking.map(|Input { parameter, name, .. }| {
            let message = format!("the function needs the input `{parameter}`: write `{parameter} = …` into `inputs(…)`");
            let flaw = quote!(__SIGNATURE.warmup_lacking_flaw(#name, #message));
            refusal(&self.decoration, &flaw)
        });
        quote!(#(#numbers)* #(#inputs)* #(#lacking)*)
    }
}

fn borrowed(value: &TokenStream) -> TokenStream {
    quote!(::std::borrow::Cow::Borrowed(#value))
}

/// The variant of `WarmupData`.
fn variant(kind: &Ident) -> Option<&'static str> {
    let variants = [("zero", "Zero"), ("random", "Random"), ("file", "File")];
    let found = variants.into_iter().find(|(name, _)| kind == name);
    found.map(|(_, variant)| variant)
}

impl Parse for Data {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let tokens: TokenStream = input.fork().parse()?;
        let wrong = |tokens: &TokenStream| syn::Error::new_spanned(tokens, EXPECTED);
        let Ok(kind) = input.parse::<Ident>() else {
            return Err(wrong(&tokens));
        };
        let mut values = Vec::new();
        if !input.is_empty() {
            let inside;
            parenthesized!(inside in input);
            values.extend(inside.parse_terminated(Expr::parse, Token![,])?);
        }
        let mut values = values.into_iter();
        let file = kind == "file";
        let path = file.then(|| values.next()).flatten();
        let dims = values.next();
        let listed = matches!(dims, None | Some(Expr::Array(_))) && values.next().is_none();
        match variant(&kind).is_some() && listed && path.is_some() == file && input.is_empty() {
            true => Ok(Self {
                tokens,
                kind,
                path,
                dims,
            }),
            false => Err(wrong(&tokens)),
        }
    }
}
