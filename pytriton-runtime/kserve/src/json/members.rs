use std::collections::HashSet;
use std::fmt;

use pytriton_core::memory_budget::MemoryPermit;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{Bounded, Bounds, Limit, ReadError, parse, twice};

/// The memory of a name in a set, in addition to its bytes.
const NAME_BYTES: usize = 96;

/// The members of an object in order. The values are JSON text.
pub(crate) type Members<'a> = Vec<(String, &'a RawValue)>;

/// Whether member names must be unique.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Names {
    Any,
    Unique,
}

/// Parses an object with arbitrary members. `noun` names it in messages.
///
/// # Errors
///
/// Returns a [`ReadError`], also if there are more members than a [`Limit`] allows.
pub(crate) fn members<'a>(
    text: &'a str,
    noun: &'static str,
    names: Names,
    permit: &mut MemoryPermit,
) -> Result<Members<'a>, ReadError> {
    let mut bounds = Bounds::new(text, permit)?;
    let seed = MembersSeed {
        noun,
        names,
        bounds: &mut bounds,
    };
    parse(text, seed).map_err(|error| bounds.error(error))
}

struct MembersSeed<'b, 'p> {
    noun: &'static str,
    names: Names,
    bounds: &'b mut Bounds<'p>,
}

impl<'de> DeserializeSeed<'de> for MembersSeed<'_, '_> {
    type Value = Members<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for MembersSeed<'_, '_> {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.noun)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut known = HashSet::new();
        let mut members = Bounded::<Vec<_>>::new(Limit::of("members"));
        // The longest name is reserved already.
        while let Some((name, value)) = map.next_entry::<String, &RawValue>()? {
            self.bounds.reserve(name.len())?;
            if self.names == Names::Unique {
                self.bounds.reserve(NAME_BYTES + name.len())?;
                if !known.insert(name.clone()) {
                    return Err(twice(&name));
                }
            }
            self.bounds.push(&mut members, (name, value))?;
        }
        Ok(members.into_items())
    }
}

#[cfg(test)]
mod tests {
    use pytriton_core::memory_budget::MemoryBudget;

    use super::*;

    fn text(members: usize) -> String {
        let members: Vec<String> = (0..members).map(|name| format!(r#""{name}":0"#)).collect();
        format!("{{{}}}", members.join(","))
    }

    #[test]
    fn the_number_of_members_is_bounded() {
        for names in [Names::Any, Names::Unique] {
            for (count, fits) in [(0, true), (1, true), (65_536, true), (65_537, false)] {
                let mut permit = MemoryPermit::unlimited();
                let text = text(count);
                match members(&text, "an object", names, &mut permit) {
                    Ok(members) => assert!(fits && members.len() == count),
                    Err(error) => {
                        assert!(!fits);
                        let error = error.to_string();
                        assert!(error.starts_with("more than 65536 members"), "{error}");
                    }
                }
            }
        }
    }

    #[test]
    fn members_are_reserved_before_they_are_kept() {
        let text = text(10_000);
        for (limit, fits) in [(100 << 10, false), (4 << 20, true)] {
            let budget = MemoryBudget::new(limit);
            let mut permit = budget.empty_permit();
            let read = members(&text, "an object", Names::Unique, &mut permit);
            match read {
                Ok(members) => {
                    assert!(fits);
                    let member_bytes = members.capacity() * size_of::<(String, &RawValue)>();
                    assert!(budget.reserved() > member_bytes + members.len() * NAME_BYTES);
                }
                Err(error) => assert!(!fits && matches!(error, ReadError::Budget(_))),
            }
            drop(permit);
            assert_eq!(budget.reserved(), 0);
        }
        let mut permit = MemoryPermit::unlimited();
        let again = members(r#"{"a":1,"a":2}"#, "an object", Names::Unique, &mut permit);
        let again = again.unwrap_err().to_string();
        assert!(again.starts_with("member 'a' occurs twice"), "{again}");
    }
}
