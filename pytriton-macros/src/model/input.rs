use syn::{Ident, Type};

use super::args::Settings;
use super::ast::{CallMode, FirstValue, Input, Source};
use super::kind::unknown;
use crate::array::ArrayType;
use crate::attribute::{Helper, HelperAttribute};
use crate::element::{check_element, meant_element};
use crate::errors::Errors;
use crate::output::{BatchAxis, check_rank};
use crate::tensor::{Dims, TensorName};
use crate::types::type_text;

/// A parameter that is an input: an array or a single value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reader<'a> {
    pub(super) settings: &'a Settings,
    pub(super) call: CallMode,
    /// `None` where a pattern stands instead, which has been reported.
    pub(super) name: Option<&'a Ident>,
    /// The type inside of an `Option`.
    pub(super) ty: &'a Type,
    pub(super) optional: bool,
    pub(super) helpers: &'a [HelperAttribute],
}

/// What the helpers on a parameter say.
#[derive(Debug, Default)]
struct Said {
    name: Option<TensorName>,
    shape: Option<Dims>,
    first_value: Option<FirstValue>,
    /// The option `squeeze` and its tokens.
    squeeze: Option<(bool, Ident)>,
}

impl Reader<'_> {
    pub(super) fn read(self, errors: &mut Errors) -> Option<Input> {
        let mut said = self.said(errors);
        let array = ArrayType::parse(self.ty);
        let source = match &array {
            Some(array) => self.array(array, &said, errors),
            None => self.scalar(&said, errors)?,
        };
        let name = match (said.name.take(), self.name) {
            (Some(name), _) => name,
            (None, ident) => TensorName::own(ident?, errors),
        };
        Some(Input {
            name,
            shape: said.shape,
            optional: self.optional,
            source,
            first_value: said.first_value,
        })
    }

    /// Reads the helpers alone, on a parameter of which the type cannot be read.
    pub(super) fn check_helpers(self, errors: &mut Errors) {
        self.said(errors);
    }

    fn said(self, errors: &mut Errors) -> Said {
        let mut said = Said::default();
        for (index, helper) in self.helpers.iter().enumerate() {
            let kind = helper.helper;
            let name = kind.name();
            if self.helpers[..index]
                .iter()
                .any(|other| other.helper == kind)
            {
                errors.push(helper, format!("`#[{name}]` stands twice: remove one"));
                continue;
            }
            match kind {
                Helper::Input => {
                    let before = errors.len();
                    let options = helper.options(&["name", "shape"], errors);
                    if options.is_empty() && errors.len() == before {
                        let message = "`#[input]` says nothing: write `#[input(name = \"INPUT_1\")]`, or remove it";
                        errors.push(helper, message);
                    }
                    said.name = TensorName::take(&options, errors);
                    said.shape = Dims::take(&options, errors);
                }
                Helper::FirstValue => {
                    let options = helper.options(&["strict", "squeeze"], errors);
                    let strict = options.boolean("strict", errors).unwrap_or(true);
                    said.first_value = Some(FirstValue { strict });
                    let squeeze = options.boolean("squeeze", errors);
                    said.squeeze = squeeze.zip(options.key("squeeze").cloned());
                    self.check_first_value(helper, errors);
                }
                _ => errors.push(helper, format!("`#[{name}]` belongs on {}", kind.place())),
            }
        }
        said
    }

    fn check_first_value(self, helper: &HelperAttribute, errors: &mut Errors) {
        if !self.settings.batching() {
            let message = "`#[first_value]` needs a batch: remove it, or remove `batching = false`";
            errors.push(helper, message);
        } else if self.call != CallMode::Batch {
            let message = "`#[first_value]` needs a batch: write `#[batch]` above the function";
            errors.push(helper, message);
        }
    }

    fn array(self, array: &ArrayType, said: &Said, errors: &mut Errors) -> Source {
        check_element(&array.element, errors);
        if let Some((true, squeeze)) = &said.squeeze {
            let element = type_text(&array.element);
            let message = format!("an array is not squeezed: write `{element}` for a single value");
            errors.push(squeeze, message);
        }
        // The first row of a batch has no batch axis any more.
        let batch_axis = match said.first_value {
            None => self.settings.batch_axis(),
            Some(_) => BatchAxis::None,
        };
        check_rank(array, batch_axis, said.shape.as_ref(), errors);
        if array.rank.is_none() && said.shape.is_none() {
            let text = array.text();
            let message = format!(
                "`{text}` can have any dims: write them as `#[input(shape = [-1])]` before the parameter"
            );
            errors.push(&array.ty, message);
        }
        let added = usize::from(said.first_value.is_some());
        Source::Array {
            rank: array.rank.map(|rank| rank + added),
            array: Box::new(array.clone()),
        }
    }

    fn scalar(self, said: &Said, errors: &mut Errors) -> Option<Source> {
        let text = type_text(self.ty);
        if let Some(name) = ArrayType::lacks_element(self.ty) {
            errors.push(
                name,
                format!("expected an element type: write `{name}<f32>`"),
            );
            return None;
        }
        if said.first_value.is_none() {
            errors.push(self.ty, self.not_an_array(&text));
            return None;
        }
        check_element(self.ty, errors);
        if let Some((false, squeeze)) = &said.squeeze {
            let message = format!(
                "`{text}` is the squeezed value: write `ArrayView1<{text}>`, or remove `squeeze`"
            );
            errors.push(squeeze, message);
        }
        if let Some(shape) = &said.shape {
            shape.check_scalar(errors);
        }
        Some(Source::Scalar {
            element: Box::new(self.ty.clone()),
        })
    }

    fn not_an_array(self, text: &str) -> String {
        let Some(element) = meant_element(self.ty) else {
            return unknown(self.ty);
        };
        if self.call == CallMode::Batch {
            return format!(
                "`{text}` is one value for the whole batch: write `#[first_value]` before it, or take an array such as `ArrayView2<{element}>`"
            );
        }
        let rank = if self.settings.batching() { 2 } else { 1 };
        format!("`{text}` is no array: write `ArrayView{rank}<{element}>`")
    }
}
