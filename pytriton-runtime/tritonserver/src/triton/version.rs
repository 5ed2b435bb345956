use std::fmt;
use std::str::FromStr;

/// The version of a tritonserver, such as 2.51.0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// The major version.
    pub major: u32,
    /// The minor version.
    pub minor: u32,
    /// The patch version.
    pub patch: u32,
}

impl Version {
    /// The first version without published vulnerabilities, of Triton 26.07. It fixes
    /// CVE-2026-16497.
    pub const SAFE: Self = Self {
        major: 2,
        minor: 71,
        patch: 0,
    };

    /// The recommended version, of Triton 26.11.
    pub const RECOMMENDED: Self = Self {
        major: 2,
        minor: 75,
        patch: 0,
    };

    /// The first version that cancelled gRPC calls cannot crash, of Triton 24.12.
    pub const SAFE_CANCELLATION: Self = Self {
        major: 2,
        minor: 53,
        patch: 0,
    };

    /// The first version with latency histograms, of Triton 24.11.
    pub const HISTOGRAMS: Self = Self {
        major: 2,
        minor: 52,
        patch: 0,
    };

    /// Parses the version if a line of a starting server's log reports it.
    ///
    /// No option prints the version.
    pub fn in_log(line: &str) -> Option<Self> {
        let mut cells = line.split('|').map(str::trim).skip(1);
        match cells.next()? {
            "server_version" => cells.next()?.parse().ok(),
            _ => None,
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            major,
            minor,
            patch,
        } = self;
        write!(f, "{major}.{minor}.{patch}")
    }
}

impl FromStr for Version {
    type Err = ();

    /// Parses `2.51.0`. Any suffix (`2.51.0dev`) is ignored.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut numbers = text.splitn(3, '.').map(|part| {
            let end = part.find(|letter: char| !letter.is_ascii_digit());
            part[..end.unwrap_or(part.len())].parse().map_err(|_| ())
        });
        let mut next = || numbers.next().ok_or(())?;
        Ok(Self {
            major: next()?,
            minor: next()?,
            patch: next()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn server_versions_are_parsed() {
        let version = |major, minor, patch| Version {
            major,
            minor,
            patch,
        };
        let table = [
            (
                "| server_version                   | 2.51.0       |",
                Some(version(2, 51, 0)),
            ),
            ("| server_version | 2.71.0dev |", Some(version(2, 71, 0))),
            ("| server_version | new |", None),
            ("| server_id | 2.51.0 |", None),
            ("| server_version | 2.51 |", None),
            ("server_version 2.51.0", None),
            ("", None),
        ];
        for (line, expected) in table {
            assert_eq!(Version::in_log(line), expected, "{line}");
        }
        assert!(
            version(2, 70, 9) < Version::SAFE
                && version(2, 71, 0) >= Version::SAFE
                && Version::RECOMMENDED > Version::SAFE
                && version(3, 0, 0) > Version::SAFE
        );
        assert_eq!(Version::SAFE.to_string(), "2.71.0");
        assert_eq!(Version::RECOMMENDED.to_string(), "2.75.0");
    }

    #[test]
    fn documents_and_images_contain_the_safe_version() {
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for (file, texts) in [
            ("README.md", &["2.71 (26.07)", "2.75 (26.11)"][..]),
            ("docs/operations.md", &["2.71 (26.07)", "2.75 (26.11)"]),
            ("deploy/README.md", &["2.71 (26.07)", "2.75 (26.11)"]),
            ("deploy/images/tritonserver.Dockerfile", &["2.71 (26.07)"]),
            (
                "deploy/images/native.Dockerfile",
                &["before 26.07", "tritonserver:26.11"],
            ),
        ] {
            let content = fs::read_to_string(workspace.join(file)).unwrap();
            for text in texts {
                assert!(content.contains(text), "{file} lacks {text:?}");
            }
        }
    }
}
