//! The helpers on the function: which steps there are, and whether they go together.

use super::args::Settings;
use super::ast::CallMode;
use crate::attribute::{Helper, HelperAttribute};
use crate::errors::Errors;

/// What one call sees, as the helpers say; `raw` for a function that takes `&[Request]`.
pub(super) fn call_mode(
    settings: &Settings,
    helpers: &[HelperAttribute],
    raw: bool,
    errors: &mut Errors,
) -> CallMode {
    let mut steps: Vec<Helper> = Vec::new();
    for attribute in helpers {
        match attribute.helper {
            // Read where inputs and outputs are.
            Helper::Input | Helper::Output => {}
            step @ (Helper::Batch | Helper::Sample) => {
                check_step(settings, attribute, &steps, raw, errors);
                steps.push(step);
            }
            stray @ (Helper::FirstValue | Helper::Load | Helper::Infer) => {
                let (name, place) = (stray.name(), stray.place());
                errors.push(attribute, format!("`#[{name}]` belongs on {place}"));
            }
        }
    }
    match raw {
        true => CallMode::Raw,
        false if steps.contains(&Helper::Batch) => CallMode::Batch,
        false => CallMode::Request,
    }
}

/// Compares a step with the ones above it and with the model.
fn check_step(
    settings: &Settings,
    attribute: &HelperAttribute,
    above: &[Helper],
    raw: bool,
    errors: &mut Errors,
) {
    attribute.options(&[], errors);
    let step = attribute.helper;
    let name = step.name();
    if above.contains(&step) {
        errors.push(attribute, format!("`#[{name}]` stands twice: remove one"));
    } else if let Some(other) = above.first() {
        let other = other.name();
        let message = format!("`#[{name}]` and `#[{other}]` exclude each other: remove one");
        errors.push(attribute, message);
    } else if raw {
        let message = format!("`&[Request]` takes the requests as they are: remove `#[{name}]`");
        errors.push(attribute, message);
    } else if step == Helper::Batch && !settings.batching() {
        let message =
            "`#[batch]` needs a batch axis: write `#[sample]`, or remove `batching = false`";
        errors.push(attribute, message);
    } else if step == Helper::Sample && settings.batching() {
        let message = "`#[sample]` takes a request without a batch axis: write `batching = false` in `#[pytriton::model(…)]`, or `#[batch]`";
        errors.push(attribute, message);
    }
}
