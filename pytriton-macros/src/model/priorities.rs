use std::ops::RangeInclusive;

use super::queue_policy::{QUEUE_POLICY, QueuePolicy};
use crate::errors::Errors;
use crate::options::Options;

/// Each level is a queue.
const MOST_LEVELS: u32 = 1024;
/// The option that gives a level a policy of its own.
pub(super) const NESTED: &str = "priority_queue_policy";
/// The options of [`NESTED`].
const KNOWN: [&str; 5] = [
    "level",
    QUEUE_POLICY[0],
    QUEUE_POLICY[1],
    QUEUE_POLICY[2],
    QUEUE_POLICY[3],
];

/// The priority levels of a model's requests.
#[derive(Debug)]
pub(super) struct Priorities {
    pub(super) levels: u32,
    pub(super) default_level: u32,
    /// The levels that have a policy of their own.
    pub(super) queue_policies: Vec<(u32, QueuePolicy)>,
}

impl Priorities {
    /// The levels of a model, if it has any; with `ordered` responses there can be but one.
    pub(super) fn parse(options: &Options, ordered: bool, errors: &mut Errors) -> Option<Self> {
        let levels = options.integer("priority_levels", &(1..=MOST_LEVELS), errors);
        if options.lacks("priority_levels") {
            for option in ["default_priority_level", NESTED] {
                if let Some(key) = options.key(option) {
                    errors.push(
                        key,
                        format!(
                            "`{option}` needs levels: write `priority_levels = …` too, or remove it"
                        ),
                    );
                }
            }
        } else if ordered && levels.is_some_and(|levels| levels > 1) {
            errors.push(
                options.key("preserve_ordering"),
                "requests of several priority levels overtake each other: remove `preserve_ordering`, or `priority_levels`",
            );
        }
        let range = 1..=levels.unwrap_or(MOST_LEVELS);
        let default_level = options.integer("default_priority_level", &range, errors);
        let queue_policies = policies(options, &range, ordered, errors);
        let levels = levels?;
        Some(Self {
            levels,
            // Whoever names a level goes before whoever does not.
            default_level: default_level.unwrap_or(levels),
            queue_policies,
        })
    }
}

fn policies(
    options: &Options,
    range: &RangeInclusive<u32>,
    ordered: bool,
    errors: &mut Errors,
) -> Vec<(u32, QueuePolicy)> {
    let mut policies: Vec<(u32, QueuePolicy)> = Vec::new();
    for (key, inside) in options.nested(NESTED) {
        let attribute = format!("{NESTED}(…)");
        let options = Options::parse(&attribute, inside, &KNOWN, errors);
        if options.lacks("level") {
            errors.push(key, "`level` is missing: write `level = 1`");
        }
        let level = options.integer("level", range, errors);
        let policy = QueuePolicy::parse(&options, errors);
        if ordered {
            policy.check_ordering(&options, errors);
        }
        let Some(level) = level else { continue };
        if policies.iter().any(|(other, _)| *other == level) {
            errors.push(
                options.value("level"),
                format!("level {level} has a policy already: remove one"),
            );
        }
        policies.push((level, policy));
    }
    policies.sort_by_key(|(level, _)| *level);
    policies
}
