use proc_macro2::TokenStream;
use syn::LitStr;

use super::priorities::{NESTED, Priorities};
use super::queue_policy::{QUEUE_POLICY, QueuePolicy};
use crate::errors::Errors;
use crate::options::Options;
use crate::output::BatchAxis;
use crate::path::CratePath;

/// The largest number that Triton's 32-bit fields hold.
pub(super) const MOST: u32 = i32::MAX.unsigned_abs();
/// What there is room for on the rings between tritonserver and an instance.
const MOST_BATCHES_IN_FLIGHT: u32 = 4096;
/// PyTriton's default.
const DEFAULT_MAX_BATCH_SIZE: u32 = 4;
/// The options that configure the dynamic batcher.
const DYNAMIC_BATCHING: [&str; 11] = [
    "dynamic_batching",
    "preferred_batch_size",
    "max_queue_delay_microseconds",
    "preserve_ordering",
    QUEUE_POLICY[0],
    QUEUE_POLICY[1],
    QUEUE_POLICY[2],
    QUEUE_POLICY[3],
    "priority_levels",
    "default_priority_level",
    NESTED,
];
const KNOWN: [&str; 21] = [
    "name",
    "version",
    "max_batch_size",
    "batching",
    "instances",
    "batches_in_flight",
    "max_call_microseconds",
    DYNAMIC_BATCHING[0],
    DYNAMIC_BATCHING[1],
    DYNAMIC_BATCHING[2],
    DYNAMIC_BATCHING[3],
    DYNAMIC_BATCHING[4],
    DYNAMIC_BATCHING[5],
    DYNAMIC_BATCHING[6],
    DYNAMIC_BATCHING[7],
    DYNAMIC_BATCHING[8],
    DYNAMIC_BATCHING[9],
    DYNAMIC_BATCHING[10],
    "response_cache",
    "parameters",
    "crate",
];

/// What stands between the parentheses of `#[model(…)]`, with every default filled in.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(super) root: CratePath,
    pub(super) name: String,
    pub(super) version: u32,
    /// 0 for a model whose tensors have no batch axis.
    pub(super) max_batch_size: u32,
    pub(super) instances: u32,
    pub(super) batches_in_flight: u32,
    /// 0 for any time.
    pub(super) max_call_microseconds: u64,
    pub(super) dynamic_batching: Option<DynamicBatching>,
    pub(super) response_cache: bool,
    /// Names and values.
    pub(super) parameters: Vec<(String, String)>,
}

/// The options of the dynamic batcher.
#[derive(Debug)]
pub(super) struct DynamicBatching {
    pub(super) preferred_batch_size: Vec<u32>,
    pub(super) max_queue_delay_microseconds: u64,
    pub(super) preserve_ordering: bool,
    pub(super) queue_policy: QueuePolicy,
    pub(super) priorities: Option<Priorities>,
}

impl Settings {
    pub(crate) fn parse(tokens: TokenStream, errors: &mut Errors) -> Self {
        let options =
            Options::parse_nested("#[pytriton::model]", tokens, &KNOWN, &[NESTED], errors);
        let max_batch_size = max_batch_size(&options, errors);
        // In the order in which their mistakes are reported.
        let root = CratePath::take(&options, errors);
        let name = name(&options, errors).unwrap_or_default();
        let version = options.integer("version", &(1..=MOST), errors);
        let instances = options.integer("instances", &(1..=MOST), errors);
        let in_flight = 1..=MOST_BATCHES_IN_FLIGHT;
        let in_flight = options.integer("batches_in_flight", &in_flight, errors);
        let max_call = options.integer("max_call_microseconds", &(1..=u64::MAX), errors);
        let dynamic_batching = DynamicBatching::parse(&options, max_batch_size, errors);
        Self {
            root,
            name,
            version: version.unwrap_or(1),
            max_batch_size,
            instances: instances.unwrap_or(1),
            batches_in_flight: in_flight.unwrap_or(1),
            max_call_microseconds: max_call.unwrap_or(0),
            response_cache: response_cache(&options, dynamic_batching.as_ref(), errors),
            dynamic_batching,
            parameters: options.texts("parameters", errors),
        }
    }

    pub(super) fn batch_axis(&self) -> BatchAxis {
        match self.batching() {
            true => BatchAxis::First,
            false => BatchAxis::None,
        }
    }

    /// Whether axis 0 of every tensor is the batch.
    pub(super) fn batching(&self) -> bool {
        self.max_batch_size > 0
    }
}

fn name(options: &Options, errors: &mut Errors) -> Option<String> {
    if options.lacks("name") {
        errors.push_missing(
            "`name` is missing: write `#[pytriton::model(name = \"…\")]` with the model's name",
        );
        return None;
    }
    let name = options.string("name", errors)?;
    check_name(&name, errors);
    Some(name.value())
}

fn check_name(name: &LitStr, errors: &mut Errors) {
    let text = name.value();
    let allowed = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let reason = if text.is_empty() || text.len() > 128 {
        "it must have 1 to 128 characters"
    } else if text == "." || text == ".." {
        "it would be a folder's name"
    } else if !text.chars().all(allowed) {
        "only letters, digits, `.`, `_` and `-` are allowed"
    } else {
        return;
    };
    errors.push(
        name,
        format!("`{text}` cannot be the name of a model: {reason}"),
    );
}

fn max_batch_size(options: &Options, errors: &mut Errors) -> u32 {
    let size = options.integer("max_batch_size", &(1..=MOST), errors);
    if options.boolean("batching", errors) != Some(false) {
        return size.unwrap_or(DEFAULT_MAX_BATCH_SIZE);
    }
    for option in DYNAMIC_BATCHING.iter().chain(&["max_batch_size"]) {
        if let Some(key) = options.key(option) {
            errors.push(
                key,
                format!("`{option}` needs batching: remove it, or remove `batching = false`"),
            );
        }
    }
    0
}

fn response_cache(
    options: &Options,
    batching: Option<&DynamicBatching>,
    errors: &mut Errors,
) -> bool {
    let cached = options.boolean("response_cache", errors) == Some(true);
    if cached && batching.is_some_and(|batching| batching.preserve_ordering) {
        errors.push(
            options.key("response_cache"),
            "`response_cache` and `preserve_ordering` exclude each other: remove one\nnote: once tritonserver has answered a request from its cache, a model that preserves the order answers no other",
        );
    }
    cached
}

impl DynamicBatching {
    fn parse(options: &Options, max_batch_size: u32, errors: &mut Errors) -> Option<Self> {
        let preserve_ordering = options.boolean("preserve_ordering", errors) == Some(true);
        let queue_policy = QueuePolicy::parse(options, errors);
        if preserve_ordering {
            queue_policy.check_ordering(options, errors);
        }
        let batching = Self {
            preferred_batch_size: preferred(options, max_batch_size, errors),
            max_queue_delay_microseconds: options
                .integer("max_queue_delay_microseconds", &(0..=u64::MAX), errors)
                .unwrap_or(0),
            preserve_ordering,
            queue_policy,
            priorities: Priorities::parse(options, preserve_ordering, errors),
        };
        if max_batch_size == 0 {
            return None;
        }
        if options.boolean("dynamic_batching", errors) != Some(false) {
            return Some(batching);
        }
        for option in &DYNAMIC_BATCHING[1..] {
            if let Some(key) = options.key(option) {
                errors.push(
                    key,
                    format!(
                        "`{option}` needs dynamic batching: remove it, or remove `dynamic_batching = false`"
                    ),
                );
            }
        }
        None
    }
}

fn preferred(options: &Options, max_batch_size: u32, errors: &mut Errors) -> Vec<u32> {
    let sizes = options
        .integers("preferred_batch_size", errors)
        .unwrap_or_default();
    let mut preferred = Vec::new();
    for (size, token) in sizes {
        match u32::try_from(size) {
            Ok(size) if (1..=max_batch_size).contains(&size) => preferred.push(size),
            // Without batching the option itself is the mistake.
            _ if max_batch_size == 0 => {}
            _ => errors.push(
                token,
                format!(
                    "a preferred batch size must be from 1 to `max_batch_size`, which is {max_batch_size}"
                ),
            ),
        }
    }
    preferred
}
