use std::slice;

use pytriton_core::model::{InstanceGroup, InstanceGroups};
use pytriton_core::text::excerpt;
use serde_json::Value;

use super::config_value::{is_empty, number};

/// The maximum number of instances. More are assumed to be a mistake.
const MAX_INSTANCES: u32 = 1 << 10;

/// Parses the field `instance_group`.
pub(super) fn instances(value: &Value) -> Result<InstanceGroups, String> {
    let wrong = |what: &str| format!("'instance_group' with {what} is not supported");
    let mut groups = Vec::new();
    let mut left = MAX_INSTANCES;
    // In protobuf JSON, one element may replace a list.
    let list = match value {
        Value::Array(groups) => groups.as_slice(),
        Value::Object(_) => slice::from_ref(value),
        _ => return Err(wrong("no list")),
    };
    for group in list {
        let members = group.as_object().ok_or_else(|| wrong("no object"))?;
        let extra = members.iter().find(|(name, value)| {
            let known = ["name", "count", "kind", "gpus"].contains(&name.as_str());
            !known && !is_empty(value)
        });
        if let Some((name, _)) = extra {
            return Err(wrong(&format!("'{}'", excerpt(name))));
        }
        let count = members.get("count").map_or(Some(1), number);
        let count = count.and_then(|count| u32::try_from(count).ok());
        let count = count.filter(|count| *count > 0);
        let count = count.ok_or_else(|| wrong("this count"))?;
        let mut take = || {
            let rest = left.checked_sub(count);
            left = rest.ok_or_else(|| wrong("this many instances"))?;
            Ok::<_, String>(())
        };
        match members.get("kind").and_then(Value::as_str) {
            None | Some("KIND_AUTO" | "KIND_CPU") => {
                take()?;
                groups.push(InstanceGroup::cpu(count));
            }
            Some("KIND_GPU") => {
                let gpus = members.get("gpus").and_then(Value::as_array);
                let gpus = gpus.into_iter().flatten().map(|gpu| {
                    let gpu = number(gpu).and_then(|gpu| u32::try_from(gpu).ok());
                    gpu.ok_or_else(|| wrong("such GPUs"))
                });
                for gpu in gpus {
                    let gpu = gpu?;
                    take()?;
                    groups.extend((0..count).map(|_| InstanceGroup::gpu(gpu)));
                }
            }
            Some(_) => return Err(wrong("that kind")),
        }
    }
    match groups.is_empty() {
        true => Ok(1.into()),
        false => Ok(groups.into()),
    }
}
