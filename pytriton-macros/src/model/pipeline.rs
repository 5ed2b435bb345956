//! The helpers on the function: which stages there are, and whether they go together.

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
    let mut stages: Vec<Helper> = Vec::new();
    for attribute in helpers {
        match attribute.helper {
            // Read where inputs and outputs are.
            Helper::Input | Helper::Output => {}
            stage @ (Helper::Batch | Helper::Sample) => {
                check_stage(settings, attribute, &stages, raw, errors);
                stages.push(stage);
            }
            stray @ (Helper::FirstValue | Helper::Load | Helper::Infer) => {
                let (name, place) = (stray.name(), stray.place());
                errors.push(attribute, format!("`#[{name}]` belongs on {place}"));
            }
        }
    }
    match raw {
        true => CallMode::Raw,
        false if stages.contains(&Helper::Batch) => CallMode::Batch,
        false => CallMode::Request,
    }
}

/// Compares a stage with the ones above it and with the model.
fn check_stage(
    settings: &Settings,
    attribute: &HelperAttribute,
    above: &[Helper],
    raw: bool,
    errors: &mut Errors,
) {
    attribute.options(&[], errors);
    let stage = attribute.helper;
    let name = stage.name();
    if above.contains(&stage) {
        errors.push(attribute, format!("`#[{name}]` stands twice: remove one"));
    } else if let Some(other) = above.iter().find(|other| exclude(stage, **other)) {
        let other = other.name();
        let message = format!("`#[{name}]` and `#[{other}]` exclude each other: remove one");
        errors.push(attribute, message);
    } else if let Some(later) = above.iter().find(|other| **other > stage) {
        let message = format!("`#[{name}]` must stand above `#[{}]`", later.name());
        errors.push(attribute, message);
    } else if raw {
        let message = format!("`&[Request]` takes the requests as they are: remove `#[{name}]`");
        errors.push(attribute, message);
    } else if stage == Helper::Batch && !settings.batching() {
        let message =
            "`#[batch]` needs a batch axis: write `#[sample]`, or remove `batching = false`";
        errors.push(attribute, message);
    } else if stage == Helper::Sample && settings.batching() {
        let message = "`#[sample]` takes a request without a batch axis: write `batching = false` in `#[pytriton::model(…)]`, or `#[batch]`";
        errors.push(attribute, message);
    }
}

/// Whether two stages cannot be of one pipeline.
fn exclude(one: Helper, two: Helper) -> bool {
    matches!(
        (one, two),
        (Helper::Batch, Helper::Sample) | (Helper::Sample, Helper::Batch)
    )
}
