use std::sync::Arc;

use pytriton_core::request::RequestError;
use pytriton_core::text::excerpt;

use crate::repository::Model;

use super::{AppState, Error};

impl AppState {
    /// Returns the model with this name and version. The default is the latest version.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Version`] or [`Error::NegativeVersion`] if the version is invalid, and
    /// [`RequestError::UnknownModel`] or [`RequestError::UnloadedModel`] if the model is not
    /// loaded.
    pub fn model(&self, name: &str, version: Option<&str>) -> Result<Arc<Model>, Error> {
        let version = version.map(number).transpose()?;
        Ok(self.models.model(name, version)?)
    }

    /// Returns the model and the versions for its metadata: the requested version, or all.
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

    /// Returns whether a model is loaded and ready.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Version`] or [`Error::NegativeVersion`] if the version is invalid.
    pub fn model_ready(&self, name: &str, version: Option<&str>) -> Result<bool, Error> {
        match self.model(name, version) {
            Ok(model) => Ok(model.ready()),
            Err(Error::Request(
                RequestError::UnknownModel { .. } | RequestError::UnloadedModel { .. },
            )) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Returns the models for a statistics request: one version, all versions of a name, or all
    /// models.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Version`] or [`Error::NegativeVersion`] if the version is invalid, and
    /// [`Error::NoStatistics`] or [`Error::NoStatisticsOfVersion`] if the model is not loaded.
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

/// Parses a version. Triton parses signed 64-bit numbers.
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
    fn versions_are_parsed() {
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
