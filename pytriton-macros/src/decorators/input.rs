//! `#[input]`: an input's name and dimensions; a complete input on a function that takes
//! `&[Request]`.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

use super::{Decoration, Decorator, Input, Place};
use crate::did_you_mean::closest;
use crate::element::ELEMENTS;
use crate::enum_option::to_variant;
use crate::errors::Errors;
use crate::example::Example;
use crate::options::Options;
use crate::tensor::{Dims, TensorName, optional};
use crate::value::{Form, Value};

pub(crate) const DECORATOR: Decorator = Decorator {
    name: "input",
    places: &[Place::Function, Place::Parameter],
    belongs: "a parameter: `#[input(name = \"INPUT_1\")] x: ArrayView2<f32>`",
    options: &["name", "shape", "example"],
    ..Decorator::NONE
};

/// The options on a parameter.
#[derive(Debug, Default)]
pub(crate) struct Named {
    pub(crate) name: Option<TensorName>,
    pub(crate) shape: Option<Dims>,
    pub(crate) example: Option<Example>,
}

impl Named {
    pub(crate) fn read(decoration: &Decoration, errors: &mut Errors) -> Self {
        let options = decoration.required_options("name = \"INPUT_1\"", errors);
        Self {
            name: TensorName::take(&options, errors),
            shape: Dims::take(&options, errors),
            example: Example::take(&options, errors),
        }
    }
}

/// An input of a function that takes `&[Request]`.
#[derive(Debug)]
pub(crate) struct Declared {
    pub(crate) decoration: Decoration,
    pub(crate) name: TensorName,
    pub(crate) shape: Dims,
    pub(crate) example: Option<Example>,
    datatype: Ident,
    optional: Option<Value>,
}

impl Declared {
    /// Parses the options. Without a datatype it is misplaced, unless the function is known to take
    /// raw requests.
    pub(crate) fn read(decoration: &Decoration, raw: bool, errors: &mut Errors) -> Option<Self> {
        let known = ["name", "datatype", "shape", "optional", "example"];
        let options = decoration.options_of(&known, errors);
        if !raw && options.lacks("datatype") {
            decoration.misplaced(errors);
            return None;
        }
        for example in ["name = \"INPUT_1\"", "datatype = FP32", "shape = [-1]"] {
            options.need(example, decoration, errors);
        }
        let name = TensorName::take(&options, errors);
        let datatype = datatype(&options, errors);
        let shape = Dims::take(&options, errors);
        let optional = Value::take(&options, "optional", Form::Boolean, errors);
        let example = Example::take(&options, errors);
        Some(Self {
            decoration: decoration.clone(),
            name: name?,
            shape: shape?,
            example,
            datatype: datatype?,
            optional,
        })
    }

    /// Returns the input as other decorators refer to it.
    pub(crate) fn to_input(&self) -> Input {
        let name = &self.name;
        Input {
            parameter: name.text.clone(),
            name: quote!(#name),
            element: TokenStream::new(),
        }
    }

    pub(crate) fn to_declaration(&self) -> TokenStream {
        let Self {
            name,
            shape,
            datatype,
            ..
        } = self;
        let shape = optional(Some(shape));
        let none = optional(None::<TokenStream>);
        let optional = Value::or(self.optional.as_ref(), false);
        let example = self.example.as_ref();
        let example = example.map_or_else(|| quote!(&[]), Example::to_token_stream);
        quote! {
            __private::TensorDeclaration {
                name: #name,
                datatype: __private::DataType::#datatype,
                rank: #none,
                shape: #shape,
                optional: #optional,
                description: "",
                example: #example,
                labels: "",
            }
        }
    }
}

/// Returns the variant of `DataType` that the option names.
fn datatype(options: &Options, errors: &mut Errors) -> Option<Ident> {
    let value = options.value("datatype")?;
    let text = value.to_string();
    let names = ELEMENTS.map(|(_, name)| name);
    if let Ok(known) = syn::parse2(value.clone())
        && names.contains(&&*text)
    {
        return Some(to_variant(&known));
    }
    let meant = match ELEMENTS.iter().find(|(element, _)| *element == text) {
        Some((_, name)) => Some(*name),
        None => closest(&text.trim_matches('"').to_uppercase(), &names),
    };
    let message = match meant {
        Some(meant) => format!("unknown datatype `{text}`; did you mean `{meant}`?"),
        None => format!(
            "unknown datatype `{text}`\nhelp: the datatypes are `{}`",
            names.join("`, `")
        ),
    };
    errors.push(value, message);
    None
}
