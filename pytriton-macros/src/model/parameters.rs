use proc_macro2::{Ident, Span};
use quote::{format_ident, quote};
use syn::spanned::Spanned;
use syn::{Field, FnArg, Pat, PatType, Token, Type, parse_quote};

use super::function::is_cfg;
use super::hint::{self, HintContext};
use super::lifetime::{check_static, nameable};
use crate::array::ArrayType;
use crate::decorators::first_value::{self, FirstValue};
use crate::decorators::input::{self, Named};
use crate::decorators::{Decoration, Input, sequence};
use crate::docs::docs;
use crate::errors::Errors;
use crate::example::Example;
use crate::ident::plain_name;
use crate::tensor::{Dims, TensorName};
use crate::types::{argument_of, named, peeled, present};

/// A parameter of the function. Its type determines its kind.
#[derive(Debug)]
pub(crate) struct Parameter {
    /// The type as generated code can name it.
    pub(super) ty: Type,
    /// The type as the user wrote it.
    pub(super) shown: Type,
    /// The location of the compiler's errors about the type.
    pub(super) span: Span,
    /// The name that decorators use.
    pub(super) parameter: Option<String>,
    /// The name of the input, if it is one.
    pub(crate) name: Option<TensorName>,
    pub(super) shape: Option<Dims>,
    pub(super) example: Option<Example>,
    pub(super) docs: String,
    pub(super) given: Option<Decoration>,
    pub(super) kind: Kind,
    /// Whether `#[fill_optionals]` sets a value for it.
    pub(super) filled: bool,
    /// Whether an error in it has been reported.
    pub(super) flawed: bool,
}

/// The kind that decorators assign to a parameter.
#[derive(Debug)]
pub(super) enum Kind {
    /// Determined by its type.
    Own,
    FirstValue(Box<FirstValue>),
    /// The state of a sequence.
    State,
    /// A member of OpenAI requests.
    Text,
}

impl Kind {
    /// Returns the prefix of the trait that the type must implement, and of the function that reads
    /// the argument.
    fn name(&self) -> &'static str {
        match self {
            Self::Own => "",
            Self::FirstValue(_) => "FirstValue",
            Self::State => "Sequence",
            Self::Text => "Text",
        }
    }

    pub(super) fn to_trait(&self) -> Ident {
        format_ident!("{}Parameter", self.name())
    }

    pub(super) fn to_reader(&self) -> Ident {
        format_ident!("{}Reader", self.name())
    }
}

impl Parameter {
    /// Parses a parameter of a function; `None` for `self`.
    pub(super) fn read(
        parameter: &FnArg,
        decorations: &[Decoration],
        state: Option<&Type>,
        context: HintContext,
        errors: &mut Errors,
    ) -> Option<Self> {
        match parameter {
            FnArg::Typed(typed) => Some(Self::typed(typed, decorations, state, context, errors)),
            FnArg::Receiver(_) => {
                for decoration in decorations {
                    let name = decoration.name();
                    let message = format!("`self` is not an input: remove `#[{name}]`");
                    errors.push(decoration, message);
                }
                None
            }
        }
    }

    /// Parses a field of a struct of inputs, as a parameter of a function that allows most.
    pub(crate) fn field(
        field: &Field,
        decorations: &[Decoration],
        errors: &mut Errors,
    ) -> Option<Self> {
        let ident = field.ident.as_ref()?;
        let context = HintContext {
            first_value: false,
            state: false,
            batch: true,
            batching: true,
            openai: false,
        };
        let typed = PatType {
            attrs: field.attrs.clone(),
            pat: Box::new(parse_quote!(#ident)),
            colon_token: <Token![:]>::default(),
            ty: Box::new(field.ty.clone()),
        };
        Some(Self::typed(&typed, decorations, None, context, errors))
    }

    fn typed(
        typed: &PatType,
        decorations: &[Decoration],
        state: Option<&Type>,
        context: HintContext,
        errors: &mut Errors,
    ) -> Self {
        let before = errors.len();
        // The registration cannot evaluate `#[cfg]` on parameters.
        for attribute in typed.attrs.iter().filter(|attribute| is_cfg(attribute)) {
            let message =
                "a parameter of a model cannot depend on `#[cfg]`: put it on the function";
            errors.push(attribute, message);
        }
        let mut named = Named::default();
        let mut given = None;
        let mut first_value = None;
        let mut state_of = None;
        for (index, decoration) in decorations.iter().enumerate() {
            if decorations[..index]
                .iter()
                .any(|other| other.is(decoration.decorator))
            {
                decoration.twice(errors);
            } else if decoration.is(&input::DECORATOR) {
                named = Named::read(decoration, errors);
                given = Some(decoration.clone());
            } else if decoration.is(&first_value::DECORATOR) {
                let first_value_options = FirstValue::read(decoration, errors);
                if context.openai {
                    let message =
                        "`#[openai]` processes each request separately: remove `#[first_value]`";
                    errors.push(decoration, message);
                } else {
                    first_value = Some(Box::new(first_value_options));
                }
            } else if decoration.is(&sequence::DECORATOR) {
                decoration.options(errors);
                state_of = Some(decoration);
            } else {
                decoration.misplaced(errors);
            }
        }
        if let (Some(_), Some(sequence)) = (&first_value, state_of) {
            let message = "`#[first_value]` and `#[sequence]` exclude each other: remove one";
            let later = decorations
                .iter()
                .rfind(|found| found.is(&first_value::DECORATOR));
            errors.push(later.unwrap_or(sequence), message);
        }
        let ident = match &*typed.pat {
            Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => Some(&name.ident),
            _ => None,
        };
        let context = HintContext {
            first_value: first_value.is_some(),
            state: state_of.is_some(),
            ..context
        };
        check_static(&typed.ty, errors);
        hint::check(&typed.ty, context, errors);
        let element = match ArrayType::parse(present(&typed.ty)) {
            Some(array) => Some(array.element),
            None => argument_of("Ragged", present(&typed.ty)),
        };
        let span = element.unwrap_or(&typed.ty).span();
        Self {
            ty: nameable(&typed.ty, state),
            shown: (*typed.ty).clone(),
            span,
            parameter: ident.map(plain_name),
            name: named.name.or_else(|| ident.map(TensorName::own)),
            shape: named.shape,
            example: named.example,
            docs: docs(&typed.attrs),
            given,
            kind: match first_value {
                _ if context.state => Kind::State,
                Some(first_value_options) => Kind::FirstValue(first_value_options),
                None if context.openai => Kind::Text,
                None => Kind::Own,
            },
            filled: false,
            flawed: errors.len() > before,
        }
    }

    /// Returns whether another parameter has the same name, which the compiler reports.
    pub(super) fn has_name_of(&self, others: &[Self]) -> bool {
        let mut others = others.iter();
        self.parameter.is_some() && others.any(|other| other.parameter == self.parameter)
    }

    /// Returns whether it is the state of a sequence.
    pub(super) fn is_state(&self) -> bool {
        matches!(self.kind, Kind::State)
    }

    /// Returns whether decorators use this name for it.
    pub(super) fn is(&self, ident: &Ident) -> bool {
        self.parameter.as_ref() == Some(&plain_name(ident))
    }

    /// Returns whether its type is an array by name.
    pub(super) fn is_surely_input(&self) -> bool {
        let ty = present(&self.shown);
        ArrayType::parse(ty).is_some() || argument_of("Ragged", ty).is_some()
    }

    /// Returns whether it may be a struct of inputs: its type is not known by its name.
    pub(super) fn may_be_fields(&self) -> bool {
        let known = ["Option", "Vec"];
        matches!(peeled(&self.shown), Type::Path(_))
            && matches!(self.kind, Kind::Own)
            && !self.is_surely_input()
            && known.iter().all(|name| named(name, &self.shown).is_none())
    }

    /// Returns whether it is an input by the name of its type and its rank, so that only an alias
    /// could be wrong.
    pub(super) fn is_plain(&self) -> bool {
        let array = ArrayType::parse(present(&self.shown));
        let ranked = array.is_some_and(|array| array.rank >= Some(2));
        ranked && self.name.is_some() && matches!(self.kind, Kind::Own)
    }

    pub(super) fn first_value(&self) -> Option<&FirstValue> {
        match &self.kind {
            Kind::FirstValue(first_value_options) => Some(first_value_options),
            _ => None,
        }
    }

    /// Returns the input that decorators may refer to.
    pub(super) fn to_input(&self) -> Option<Input> {
        let (ty, name) = (&self.ty, self.name.as_ref().filter(|_| !self.is_state())?);
        let parameter = self.kind.to_trait();
        Some(Input {
            parameter: self.parameter.clone()?,
            name: quote!(#name),
            element: quote!(<#ty as __private::#parameter>::Element),
        })
    }
}
