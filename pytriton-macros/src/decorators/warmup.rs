//! `#[warmup(name = "…", batch_size = …, count = …, inputs(x = zero, y = random([128]), z =
//! file("…")))]`: calls that each instance makes before it accepts requests.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::{Expr, LitStr};

use super::{Decoration, Decorator, Input, Inputs, Place};
use crate::entry::values;
use crate::enum_option::EnumOption;
use crate::errors::Errors;
use crate::ident::plain_name;
use crate::options::Options;
use crate::tensor::{optional, refusal};
use crate::value::{Form, Value};

pub(crate) const DECORATOR: Decorator = Decorator {
    name: "warmup",
    places: &[Place::Function],
    belongs: "the function itself: `#[warmup(name = \"one\", inputs(x = zero))]`",
    options: &["name", "batch_size", "count", "inputs"],
    ..Decorator::NONE
};

const EXPECTED: &str = "expected `zero`, `random` or `file(\"…\")`, with dims if the input's are variable: `zero([128])`, `file(\"…\", [128])`";

/// The options of the decorator.
#[derive(Debug)]
pub(crate) struct Warmup {
    decoration: Decoration,
    /// `None` if it is missing or invalid.
    name: Option<LitStr>,
    batch_size: Option<Value>,
    count: Option<Value>,
    inputs: Vec<(Ident, Expr)>,
}

/// `zero`, `random([128])`, `file("…", [128])`.
#[derive(Debug)]
struct Data<'ast> {
    kind: Ident,
    path: Option<&'ast Expr>,
    dims: Option<&'ast Expr>,
}

impl Warmup {
    pub(crate) fn read(decoration: &Decoration, errors: &mut Errors) -> Self {
        let inside = decoration.inside(errors).unwrap_or_default();
        let known = DECORATOR.options;
        let options = Options::parse_nested("#[warmup]", inside, known, &["inputs"], errors);
        for example in ["name = \"one\"", "inputs(x = zero)"] {
            options.need(example, decoration, errors);
        }
        let name = options.string("name", errors);
        let mut number = |name| Value::take(&options, name, Form::Number, errors);
        let (batch_size, count) = (number("batch_size"), number("count"));
        let inside = options.nested("inputs").map(|(_, inside)| inside);
        let given = "expected an input and its data: write `x = zero`";
        let mut inputs = values(inside.collect(), given, EXPECTED, errors);
        inputs.retain(|(_, data)| {
            let known = Data::read(data).is_some();
            if !known {
                errors.push(data, EXPECTED);
            }
            known
        });
        Self {
            decoration: decoration.clone(),
            name,
            batch_size,
            count,
            inputs,
        }
    }

    /// Returns the expression that constructs the warm-up.
    pub(crate) fn to_tokens(&self, inputs: &Inputs, errors: &mut Errors) -> TokenStream {
        let given = self.inputs.iter().filter_map(|(key, data)| {
            let name = &inputs.find(key, errors)?.name;
            let Data { kind, path, dims } = Data::read(data)?;
            let path = path.map(|path| borrowed(&quote!(#path)));
            let path = path.iter();
            let dims = optional(dims.map(|dims| quote!(const { &#dims })));
            Some(quote! {
                __private::WarmupInput::declared(#name, __private::WarmupData::#kind #((#path))*, #dims)
            })
        });
        // A reference to a temporary in an argument would not be `'static`.
        let given = quote!(const { &[#(#given),*] });
        let name = self.name.as_ref();
        let name = name.map_or_else(|| quote!(""), ToTokens::to_token_stream);
        let batch_size = Value::or(self.batch_size.as_ref(), 1_u32);
        let count = Value::or(self.count.as_ref(), 1_u32);
        quote! {
            __private::Warmup::declared(#name, #batch_size, #count, #given)
        }
    }

    /// Compile-time checks of the warm-up with this index against the function's inputs.
    pub(crate) fn to_checks(&self, index: usize, known: &Inputs) -> TokenStream {
        let numbers = [("batch_size", &self.batch_size), ("count", &self.count)];
        let numbers = numbers.into_iter().filter_map(|(option, value)| {
            let flaw = quote!(__OPTIONS.warmup_flaw(&__WARMUPS[#index], #option));
            Some(refusal(&value.as_ref()?.expression, &flaw))
        });
        let inputs = self.inputs.iter().enumerate().map(|(input, (_, data))| {
            let warmup = quote!(&__WARMUPS[#index], #input);
            let flaw = quote!(__SIGNATURE.warmup_input_flaw(#warmup, &__OPTIONS));
            refusal(data, &flaw)
        });
        let given = |parameter: &str| {
            self.inputs
                .iter()
                .any(|(key, _)| plain_name(key) == parameter)
        };
        let lacking = known.0.iter().filter(|input| !given(&input.parameter));
        let lacking = lacking.map(|Input { parameter, name, .. }| {
            let message = format!("the function requires the input `{parameter}`: write `{parameter} = …` in `inputs(…)`");
            let flaw = quote!(__SIGNATURE.warmup_lacking_flaw(#name, #message));
            refusal(&self.decoration, &flaw)
        });
        quote!(#(#numbers)* #(#inputs)* #(#lacking)*)
    }

    /// The check of a function whose parameters may be structs of inputs.
    pub(crate) fn to_fields_check(&self) -> TokenStream {
        let flaw = quote!(__private::warmup_fields_flaw(__PARAMETERS));
        refusal(&self.decoration, &flaw)
    }
}

fn borrowed(value: &TokenStream) -> TokenStream {
    quote!(::std::borrow::Cow::Borrowed(#value))
}

impl<'ast> Data<'ast> {
    fn read(data: &'ast Expr) -> Option<Self> {
        let word = EnumOption::read(data)?;
        let file = word.is("file", 1..=2);
        let known = file || word.is("zero", 0..=1) || word.is("random", 0..=1);
        let kind = known.then(|| word.to_variant())?;
        let mut values = word.arguments.into_iter();
        let path = file.then(|| values.next()).flatten();
        let dims = values.next();
        let listed = matches!(dims, None | Some(Expr::Array(_)));
        listed.then_some(Self { kind, path, dims })
    }
}
