use std::ffi::OsStr;

use thiserror::Error;

/// The latency metrics that `--metrics-config` enables.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricsConfig {
    /// Sums of durations.
    pub counter_latencies: bool,
    /// Histograms of durations.
    pub histogram_latencies: bool,
    /// Quantiles of the durations of the last minute.
    pub summary_latencies: bool,
    /// The quantiles.
    pub summary_quantiles: Vec<f64>,
}

impl Default for MetricsConfig {
    /// Source: `MetricReporterConfig` of Triton 2.51.
    fn default() -> Self {
        Self {
            counter_latencies: true,
            histogram_latencies: false,
            summary_latencies: false,
            summary_quantiles: vec![0.5, 0.9, 0.95, 0.99, 0.999],
        }
    }
}

/// An invalid value of `--metrics-config`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MetricsConfigError {
    /// The value is not a setting.
    #[error("--metrics-config option format is <setting>=<value>. Got {got}")]
    Form {
        /// The value.
        got: String,
    },
    /// The setting does not exist; Triton ignores those silently.
    #[error(
        "option --metrics-config: expected `counter_latencies`, `histogram_latencies`, `summary_latencies` or \
         `summary_quantiles`, found `{setting}`"
    )]
    Setting {
        /// The value.
        setting: String,
    },
    /// The value is neither true nor false.
    #[error(
        "option --metrics-config: expected `{setting}=true` or `{setting}=false`, found `{got}`"
    )]
    Bool {
        /// The setting.
        setting: String,
        /// The value.
        got: String,
    },
    /// The value is not a quantile with its error.
    #[error(
        "option --metrics-config: expected `summary_quantiles=<quantile>:<error>,…` with quantiles and errors from 0 to 1, \
         found `{got}`"
    )]
    Quantile {
        /// The value.
        got: String,
    },
}

impl MetricsConfig {
    /// Parses the values of `--metrics-config`; later ones override earlier ones.
    ///
    /// # Errors
    ///
    /// [`MetricsConfigError`] with the invalid value.
    ///
    /// # Examples
    ///
    /// ```
    /// # use std::ffi::OsStr;
    /// # use pytriton_embedded::metrics::MetricsConfig;
    /// let config = MetricsConfig::new([OsStr::new("histogram_latencies=true")]).unwrap();
    /// assert!(config.histogram_latencies && config.counter_latencies);
    /// ```
    pub fn new<'a>(
        values: impl IntoIterator<Item = &'a OsStr>,
    ) -> Result<Self, MetricsConfigError> {
        let mut config = Self::default();
        for value in values {
            config.set(&value.to_string_lossy())?;
        }
        Ok(config)
    }

    fn set(&mut self, text: &str) -> Result<(), MetricsConfigError> {
        let parts = text.split_once('=');
        let parts = parts.filter(|(setting, value)| {
            !setting.is_empty() && !value.is_empty() && !setting.contains(',')
        });
        let Some((setting, value)) = parts else {
            return Err(MetricsConfigError::Form {
                got: text.to_owned(),
            });
        };
        let which = match setting {
            "counter_latencies" => &mut self.counter_latencies,
            "histogram_latencies" => &mut self.histogram_latencies,
            "summary_latencies" => &mut self.summary_latencies,
            "summary_quantiles" => {
                self.summary_quantiles =
                    value.split(',').map(quantile).collect::<Result<_, _>>()?;
                return Ok(());
            }
            _ => {
                return Err(MetricsConfigError::Setting {
                    setting: setting.to_owned(),
                });
            }
        };
        *which = value.parse().map_err(|_| MetricsConfigError::Bool {
            setting: setting.to_owned(),
            got: value.to_owned(),
        })?;
        Ok(())
    }
}

/// Parses a quantile. Its error is ignored: all of ours have the same error, relative to the value.
/// As in Triton, text after the number of the error is ignored, too.
fn quantile(pair: &str) -> Result<f64, MetricsConfigError> {
    let fraction = |number: &f64| (0.0..=1.0).contains(number);
    let numbers = pair.split_once(':').and_then(|(quantile, error)| {
        let ends = (1..=error.len()).rev();
        let mut starts = ends.filter_map(|end| error.get(..end));
        let error = starts.find_map(|start| start.parse().ok());
        error.filter(fraction)?;
        quantile.parse().ok().filter(fraction)
    });
    numbers.ok_or_else(|| MetricsConfigError::Quantile {
        got: pair.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_settings_are_refused() {
        let table = [
            (
                "x",
                "--metrics-config option format is <setting>=<value>. Got x",
            ),
            ("a,counter_latencies=true", "option format"),
            ("counter_latencies=", "option format"),
            ("counter_latencies=no", "found `no`"),
            ("bucket_latencies=true", "found `bucket_latencies`"),
            ("summary_quantiles=0.5", "found `0.5`"),
            ("summary_quantiles=0.5:0.1,0.9:x", "found `0.9:x`"),
            ("summary_quantiles=1.5:0.1", "found `1.5:0.1`"),
            ("summary_quantiles=0.1.5:0.1", "found `0.1.5:0.1`"),
            ("summary_quantiles=0.1:", "found `0.1:`"),
            ("summary_quantiles=0.1:1.5.1", "found `0.1:1.5.1`"),
        ];
        for (text, expected) in table {
            let error = MetricsConfig::new([OsStr::new(text)]).unwrap_err();
            assert!(error.to_string().contains(expected), "{error}");
        }
        let config = MetricsConfig::new(
            [
                "counter_latencies=false",
                "summary_latencies=true",
                "summary_quantiles=0.2:0.0.1,0.8:0.05",
            ]
            .map(OsStr::new),
        )
        .unwrap();
        assert_eq!(
            config,
            MetricsConfig {
                counter_latencies: false,
                histogram_latencies: false,
                summary_latencies: true,
                summary_quantiles: vec![0.2, 0.8],
            }
        );
    }
}
