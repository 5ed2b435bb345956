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
    /// Whether this is the release, and not a build from before it, which sorts first.
    pub is_release: bool,
}

impl Version {
    /// Creates the version of a release.
    const fn release(major: u32, minor: u32, patch: u32) -> Self {
        Self {
            major,
            minor,
            patch,
            is_release: true,
        }
    }

    /// The first version without published vulnerabilities, of Triton 26.07. It fixes
    /// CVE-2026-16497.
    pub const SAFE: Self = Self::release(2, 71, 0);

    /// The recommended version, of Triton 26.11.
    pub const RECOMMENDED: Self = Self::release(2, 75, 0);

    /// The first version that cancelled gRPC calls cannot crash, of Triton 24.12.
    pub const SAFE_CANCELLATION: Self = Self::release(2, 53, 0);

    /// The first version with latency histograms, of Triton 24.11.
    pub const HISTOGRAMS: Self = Self::release(2, 52, 0);

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
            is_release,
        } = self;
        let suffix = if *is_release { "" } else { "dev" };
        write!(f, "{major}.{minor}.{patch}{suffix}")
    }
}

impl FromStr for Version {
    type Err = ();

    /// Parses `2.51.0`. A suffix (`2.51.0dev`) is that of a build from before the release, which
    /// may lack its fixes. The exceptions are `+` with the name of a build, and a fourth number.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut parts = text.splitn(3, '.');
        let mut next = || parts.next().ok_or(());
        let (major, minor, rest) = (next()?, next()?, next()?);
        let end = rest.find(|letter: char| !letter.is_ascii_digit());
        let (patch, suffix) = rest.split_at(end.unwrap_or(rest.len()));
        let number = |digits: &str| digits.parse().map_err(|_| ());
        Ok(Self {
            major: number(major)?,
            minor: number(minor)?,
            patch: number(patch)?,
            is_release: suffix.is_empty() || suffix.starts_with(['+', '.']),
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
        let version = Version::release;
        let dev = Version {
            is_release: false,
            ..Version::SAFE
        };
        let table = [
            (
                "| server_version                   | 2.51.0       |",
                Some(version(2, 51, 0)),
            ),
            ("| server_version | 2.71.0dev |", Some(dev)),
            ("| server_version | 2.71.0-rc.1 |", Some(dev)),
            ("| server_version | 2.71.0+local |", Some(Version::SAFE)),
            ("| server_version | 2.71.0.1 |", Some(Version::SAFE)),
            ("| server_version | 2.71dev.0 |", None),
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
            version(2, 70, 9) < dev
                && dev < Version::SAFE
                && version(2, 71, 0) >= Version::SAFE
                && Version::RECOMMENDED > Version::SAFE
                && version(3, 0, 0) > Version::SAFE
        );
        assert_eq!(Version::SAFE.to_string(), "2.71.0");
        assert_eq!(dev.to_string(), "2.71.0dev");
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
            // A line may end within the text.
            let content = content.split_whitespace().collect::<Vec<_>>().join(" ");
            for text in texts {
                assert!(content.contains(text), "{file} lacks {text:?}");
            }
        }
    }
}
