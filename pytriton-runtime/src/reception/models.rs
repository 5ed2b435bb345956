use std::sync::Arc;

use crate::request::RequestError;
use crate::serving::Model;
use crate::text::excerpt;

use super::{Error, Reception};

impl Reception {
    /// The model of that name and of the version that the text says, the latest where there is none.
    ///
    /// # Errors
    ///
    /// [`Error::Version`] and [`Error::NegativeVersion`] for a text that is no version, [`RequestError::UnknownModel`],
    /// [`RequestError::UnloadedModel`].
    pub fn model(&self, name: &str, version: Option<&str>) -> Result<Arc<Model>, Error> {
        let version = version.map(number).transpose()?;
        Ok(self.models.model(name, version)?)
    }

    /// The versions that are told of a model: the one that is asked for, or all.
    ///
    /// # Errors
    ///
    /// As [`model`](Self::model).
    pub fn described(
        &self,
        name: &str,
        version: Option<&str>,
    ) -> Result<(Arc<Model>, Vec<u32>), Error> {
        let model = self.model(name, version)?;
        let versions = match version {
            Some(_) => vec![model.spec().version],
            None => self.models.versions(name),
        };
        Ok((model, versions))
    }

    /// Whether a model is there and takes requests.
    ///
    /// # Errors
    ///
    /// [`Error::Version`] and [`Error::NegativeVersion`] for a text that is no version.
    pub fn model_ready(&self, name: &str, version: Option<&str>) -> Result<bool, Error> {
        match self.model(name, version) {
            Ok(model) => Ok(model.ready()),
            Err(Error::Request(
                RequestError::UnknownModel { .. } | RequestError::UnloadedModel { .. },
            )) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The models whose statistics are asked for: one version, all versions of a name, or all.
    ///
    /// # Errors
    ///
    /// [`Error::Version`] and [`Error::NegativeVersion`] for a text that is no version, [`Error::NoStatistics`] and
    /// [`Error::NoStatisticsOfVersion`] where there is no such model.
    pub fn counted(
        &self,
        name: Option<&str>,
        version: Option<&str>,
    ) -> Result<Vec<Arc<Model>>, Error> {
        let version = version.map(number).transpose()?;
        let mut models = self.models.models();
        let Some(name) = name else {
            return Ok(models);
        };
        models.retain(|model| {
            let spec = model.spec();
            *spec.name == *name && version.is_none_or(|version| version == u64::from(spec.version))
        });
        if !models.is_empty() {
            return Ok(models);
        }
        let model = excerpt(name);
        Err(match self.models.versions(name).is_empty() {
            true => Error::NoStatistics { model },
            false => Error::NoStatisticsOfVersion { model },
        })
    }
}

/// Triton's versions are signed numbers of 64 bits.
fn number(version: &str) -> Result<u64, Error> {
    let owned = || excerpt(version);
    match version.parse::<i64>() {
        Err(_) => Err(Error::Version { version: owned() }),
        Ok(number) => {
            u64::try_from(number).map_err(|_| Error::NegativeVersion { version: owned() })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_is_a_version() {
        let stol = |text| {
            Err(format!(
                "failed to get model version from specified version string '{text}' (details: stol), version should be an \
                 integral value > 0"
            ))
        };
        let negative =
            "invalid model version specified '-1' , version should be an integral value > 0";
        let table = [
            ("1", Ok(1)),
            ("0", Ok(0)),
            ("4294967296", Ok(4_294_967_296)),
            ("", stol("")),
            ("x", stol("x")),
            ("1x", stol("1x")),
            ("9223372036854775808", stol("9223372036854775808")),
            ("-1", Err(negative.to_owned())),
        ];
        for (text, expected) in table {
            let got = number(text).map_err(|error| error.to_string());
            assert_eq!(got, expected, "{text}");
        }
        let error = number(&"9".repeat(100_000)).unwrap_err();
        assert!(format!("{error:?}").len() < 3000);
    }
}
