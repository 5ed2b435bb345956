use super::{AccessError, Group, Protocol, Secret};

/// A restriction of groups by the user's own header: `<group>,<group>:<key>=<value>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restriction {
    /// The groups.
    pub groups: Vec<Group>,
    /// The key of the header.
    pub key: String,
    /// The required value.
    pub value: Secret,
}

impl Restriction {
    /// Parses all values of a protocol's option. A group may occur in only one of them.
    ///
    /// Source: `TritonParser::ParseRestrictedFeatureOption` of Triton 2.51.
    ///
    /// # Errors
    ///
    /// Returns an [`AccessError`] with tritonserver's message. The exception is a malformed
    /// restriction, whose text may be a secret.
    pub fn parse_all<'a>(
        protocol: Protocol,
        values: impl Iterator<Item = &'a str>,
    ) -> Result<Vec<Self>, AccessError> {
        let mut seen = Vec::new();
        let mut all = Vec::new();
        for (number, value) in (1..).zip(values) {
            let restriction = Self::parse(protocol, number, value)?;
            for group in &restriction.groups {
                if seen.contains(group) {
                    let name = group.name();
                    return Err(AccessError::Twice { protocol, name });
                }
                seen.push(*group);
            }
            all.push(restriction);
        }
        Ok(all)
    }

    fn parse(protocol: Protocol, number: usize, text: &str) -> Result<Self, AccessError> {
        let parts = text.split_once(':').and_then(|(groups, setting)| {
            let (key, value) = setting.split_once('=')?;
            let complete = ![groups, key, value].contains(&"");
            // Arguments and messages between processes end at NUL. A group with `=` may be a
            // misplaced header.
            let well_formed = complete && !groups.contains('=') && !text.contains('\0');
            well_formed.then_some((groups, key, value))
        });
        let Some((groups, key, value)) = parts else {
            return Err(AccessError::Format { protocol, number });
        };
        let groups = groups.split(',').map(|name| {
            let unknown = || AccessError::Unknown {
                protocol,
                name: name.to_owned(),
            };
            Group::named(name).ok_or_else(unknown)
        });
        Ok(Self {
            groups: groups.collect::<Result<_, _>>()?,
            key: key.to_owned(),
            value: Secret::new(value),
        })
    }

    /// Returns the value of tritonserver's option.
    pub(super) fn text(&self) -> String {
        let groups: Vec<&str> = self.groups.iter().map(|group| group.name()).collect();
        format!("{}:{}={}", groups.join(","), self.key, self.value.expose())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(values: &[&str]) -> Result<Vec<Restriction>, String> {
        let parsed = Restriction::parse_all(Protocol::Http, values.iter().copied());
        parsed.map_err(|error| error.to_string())
    }

    #[test]
    fn restriction_is_split_at_the_first_separators() {
        let got = parse(&["logging,model-config:k=a=b:c,d", "trace:K K=v"]).unwrap();
        let expected = [
            (vec![Group::Logging, Group::ModelConfig], "k", "a=b:c,d"),
            (vec![Group::Trace], "K K", "v"),
        ];
        for (restriction, (groups, key, value)) in got.iter().zip(expected) {
            assert_eq!(restriction.groups, groups);
            assert_eq!(restriction.key, key);
            assert_eq!(restriction.value.expose(), value);
        }
        assert!(!format!("{got:?}").contains("a=b"));
    }

    #[test]
    fn the_text_of_a_malformed_restriction_is_never_shown() {
        let parts = ["hunter2", "hunter2:", ":hunter2", "=hunter2", "hunter2="];
        let malformed = ["logging:hunter2", "hunter2=logging", "hunter2=logging:k=v"];
        for text in parts.into_iter().chain(malformed) {
            for protocol in [Protocol::Http, Protocol::Grpc] {
                let error = Restriction::parse_all(protocol, [text].into_iter()).unwrap_err();
                let shown = format!("{error} {error:?}");
                assert!(!shown.contains("hunter2"), "{shown}");
            }
        }
    }

    #[test]
    fn mistakes_have_tritonserver_s_texts() {
        let format = |number: usize| {
            format!(
                "--http-restricted-api option format is '<config name>:<setting>=<value>'. Restriction {number} has another format; its text is not shown, as it may contain a secret"
            )
        };
        let unknown = |name: &str| format!("unknown restricted api '{name}' ");
        let twice =
            "restricted api 'logging' can not be specified in multiple config groups".to_owned();
        let table: [(&[&str], String); 17] = [
            (&["logging"], format(1)),
            (&["logging:k"], format(1)),
            (&[":k=v"], format(1)),
            (&["logging:=v"], format(1)),
            (&["logging:k="], format(1)),
            (&[""], format(1)),
            (&["logging:k=a\0b"], format(1)),
            (&["k=v"], format(1)),
            (&["k=v:logging=x"], format(1)),
            (&["logging:a=b", "trace:k"], format(2)),
            (&["bogus:k=v"], unknown("bogus")),
            (&["Logging:k=v"], unknown("Logging")),
            (&["logging, trace:k=v"], unknown(" trace")),
            (&["logging,,trace:k=v"], unknown("")),
            (&["logging:a=b", "logging:c=d"], twice.clone()),
            (&["logging,logging:a=b"], twice.clone()),
            (&["logging:a=b", "trace,logging:a=b"], twice),
        ];
        for (values, expected) in table {
            let expected = format!("Bad option: \"--http-restricted-api\".\n{expected}");
            assert_eq!(parse(values).unwrap_err(), expected, "{values:?}");
        }
        let error = Restriction::parse_all(Protocol::Grpc, ["x:k=v"].into_iter()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "Bad option: \"--grpc-restricted-protocol\".\nunknown restricted protocol 'x' "
        );
    }
}
