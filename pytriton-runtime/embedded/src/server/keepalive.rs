use std::time::Duration;

use pytriton_engine::options::{Options, OptionsError};
use pytriton_net::ConnectionLimits;

/// The options for the interval and the timeout of pings.
pub(super) const KEEPALIVE: [&str; 2] = ["grpc-keepalive-time", "grpc-keepalive-timeout"];

/// Returns the limits of the connections of the gRPC port, with the keepalive options applied.
///
/// # Errors
///
/// Returns [`OptionsError::Arguments`] for a time that is not positive.
pub(super) fn keepalive(
    options: &Options,
    limits: ConnectionLimits,
) -> Result<ConnectionLimits, OptionsError> {
    let time = |name: &str, default| {
        let Some(value) = options.triton.flags.values(name).last() else {
            return Ok(default);
        };
        let milliseconds = value.to_str().and_then(|value| value.parse().ok());
        let milliseconds = milliseconds.filter(|milliseconds| *milliseconds > 0);
        milliseconds.map(Duration::from_millis).ok_or_else(|| {
            let value = value.to_string_lossy();
            OptionsError::Arguments(format!(
                "--{name}: the embedded engine expects at least 1 millisecond, found {value}"
            ))
        })
    };
    Ok(ConnectionLimits {
        ping_interval: time(KEEPALIVE[0], limits.ping_interval)?,
        ping_timeout: time(KEEPALIVE[1], limits.ping_timeout)?,
        ..limits
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keepalive_times_are_positive_milliseconds() {
        let with = |arguments: &[&str]| {
            let options = Options::parse(arguments.iter().copied()).unwrap();
            keepalive(&options, ConnectionLimits::default())
        };
        let default = ConnectionLimits::default();
        assert_eq!(with(&[]).unwrap(), default);
        let expected = ConnectionLimits {
            ping_interval: Duration::from_millis(1500),
            ping_timeout: Duration::from_millis(7),
            ..default
        };
        let arguments = ["--grpc-keepalive-time=1500", "--grpc-keepalive-timeout=7"];
        assert_eq!(with(&arguments).unwrap(), expected);
        for value in ["0", "-1"] {
            let argument = format!("--grpc-keepalive-time={value}");
            let error = with(&[&argument]).unwrap_err().to_string();
            assert!(error.contains("--grpc-keepalive-time: "), "{error}");
        }
    }
}
