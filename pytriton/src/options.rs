//! [`Options`], with which a program configures a server, and the types of its fields.
//!
//! [`Triton::builder`](crate::Triton::builder) reads the options and passes them to a function of
//! the program, which changes some of them. [`Options::parse`] reads them from arguments.
//!
//! ```
//! use pytriton::Triton;
//! use pytriton::options::{
//!     AccessLogFormat, AccessOptions, Endpoints, Group, HeaderForward, LimitOptions, LogFormat,
//!     Options,
//! };
//!
//! /// Requires the access token for these groups of routes only.
//! fn restrict(access: &mut AccessOptions, groups: Vec<Group>) {
//!     access.restricted_endpoints = Endpoints(groups);
//! }
//!
//! fn limit(limits: &mut LimitOptions) {
//!     limits.max_connections = Some(64);
//!     limits.header_timeout_secs = Some(5);
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let forward = HeaderForward::new("x-.*")?;
//! let triton = Triton::builder()
//!     .options(move |options: &mut Options| {
//!         restrict(&mut options.access, vec![Group::ModelRepository]);
//!         limit(&mut options.limits);
//!         options.http_header_forward_pattern = forward;
//!         options.log_format = LogFormat::Json;
//!         options.access_log = Some(AccessLogFormat::Json);
//!         options.overrides.model.push("Linear.max_batch_size=32".parse().unwrap());
//!     })
//!     .build()?;
//! # drop(triton);
//! # Ok(())
//! # }
//! ```

pub use pytriton_runtime::access::{AccessOptions, Endpoints, Group, IdentityHeader};
pub use pytriton_runtime::engine::{ControlMode, ControlOptions, EngineChoice, TritonOptions};
pub use pytriton_runtime::flags::Flags;
pub use pytriton_runtime::net::AllowedHosts;
pub use pytriton_runtime::registry::OptionOverride;
pub use pytriton_runtime::server::{
    AccessLogFormat, LimitOptions, Options, OptionsError, OverrideOptions, ValidationError,
    ValidationErrors,
};
pub use pytriton_runtime::tls::{TlsFlags, TlsOptions};
pub use pytriton_runtime::{HeaderForward, LogFormat, PatternError, TracesExporter};

#[cfg(test)]
mod tests {
    use std::marker::PhantomData;

    use super::*;

    /// A type that may implement a trait of clap. Its own constants, which exist only then, take
    /// precedence over those of [`WithoutClap`].
    struct Probe<T>(PhantomData<T>);

    trait WithoutClap {
        const READS_ARGUMENTS: bool = false;
        const READS_VALUE: bool = false;
    }

    impl<T> WithoutClap for Probe<T> {}

    impl<T: clap::FromArgMatches> Probe<T> {
        const READS_ARGUMENTS: bool = true;
    }

    impl<T: clap::ValueEnum> Probe<T> {
        const READS_VALUE: bool = true;
    }

    macro_rules! assert_without_clap {
        ($($type:ty),* $(,)?) => {
            $(
                const { assert!(!Probe::<$type>::READS_ARGUMENTS) };
                const { assert!(!Probe::<$type>::READS_VALUE) };
            )*
        };
    }

    #[test]
    fn options_do_not_implement_traits_of_clap() {
        const { assert!(Probe::<()>::READS_ARGUMENTS) };
        const { assert!(Probe::<clap::ColorChoice>::READS_VALUE) };
        assert_without_clap!(
            AccessLogFormat,
            AccessOptions,
            ControlMode,
            ControlOptions,
            EngineChoice,
            Flags,
            LimitOptions,
            LogFormat,
            Options,
            OverrideOptions,
            TlsOptions,
            TracesExporter,
            TritonOptions,
        );
    }
}
