use crate::Error;
use crate::request::RequestError;
use crate::text::excerpt;

use super::ProtoError;

/// The version of a model that a message asks for; `None` for an empty text, which leaves it to the server.
///
/// # Errors
///
/// A [`ProtoError`] when the text is no number from 0, [`RequestError::UnknownModel`] when no version can be that large.
pub fn version(model: &str, version: &str) -> Result<Option<u32>, Error> {
    if version.is_empty() {
        return Ok(None);
    }
    let owned = || excerpt(version);
    match version.parse::<i64>() {
        Err(_) => Err(ProtoError::Version { version: owned() }.into()),
        Ok(..0) => Err(ProtoError::NegativeVersion { version: owned() }.into()),
        Ok(number) => match u32::try_from(number) {
            Ok(number) => Ok(Some(number)),
            Err(_) => Err(RequestError::UnknownModel {
                name: excerpt(model),
                version: Some(owned()),
            }
            .into()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_is_a_version() {
        let table = [
            ("", Ok(None)),
            ("1", Ok(Some(1))),
            ("0", Ok(Some(0))),
            (
                "x",
                Err(
                    "failed to get model version from specified version string 'x' (details: stol), version should be an integral value > 0",
                ),
            ),
            (
                "1x",
                Err(
                    "failed to get model version from specified version string '1x' (details: stol), version should be an integral value > 0",
                ),
            ),
            (
                "-1",
                Err(
                    "invalid model version specified '-1' , version should be an integral value > 0",
                ),
            ),
            (
                "4294967296",
                Err("Request for unknown model: 'm' version 4294967296 is not found"),
            ),
        ];
        for (text, expected) in table {
            let got = version("m", text).map_err(|error| error.to_string());
            assert_eq!(got, expected.map_err(str::to_owned), "{text}");
        }
    }
}
