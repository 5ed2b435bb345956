use crate::triton::{Endpoints, Flags, Version};

/// Returns a warning if a server with known vulnerabilities is reachable from other machines.
///
/// A server of unknown version counts as old: its log, which has the version, may go elsewhere.
pub(super) fn exposure_warning(
    version: Option<Version>,
    endpoints: &Endpoints,
    flags: &Flags,
) -> Option<String> {
    if version.is_some_and(|version| version >= Version::SAFE) {
        return None;
    }
    let open = public_address(endpoints, flags)?;
    let version = version.map_or("of unknown version".to_owned(), |version| {
        version.to_string()
    });
    Some(format!(
        "tritonserver {version} listens on {open}: versions before {} (26.07) have published vulnerabilities, and a single request from any client can crash them; versions before {} (24.12) also crash on a few gRPC calls that are cancelled within milliseconds; use {} (26.11) or later (--tritonserver PATH), or listen on 127.0.0.1 behind a proxy that checks requests, or use the embedded engine (--engine embedded)",
        Version::SAFE,
        Version::SAFE_CANCELLATION,
        Version::RECOMMENDED
    ))
}

/// Returns an address that is reachable from other machines.
fn public_address(endpoints: &Endpoints, flags: &Flags) -> Option<String> {
    let open = endpoints.all().find(|address| !address.ip().is_loopback());
    if let Some(open) = open {
        return Some(open.to_string());
    }
    // The addresses of these endpoints are fixed.
    let platforms = [
        ("allow-sagemaker", "SageMaker"),
        ("allow-vertex-ai", "Vertex AI"),
    ];
    let (_, name) = platforms
        .into_iter()
        .find(|(flag, _)| flags.values(flag).any(|value| value == "true"))?;
    Some(format!("0.0.0.0 for {name}"))
}

#[cfg(test)]
mod tests {
    use clap::{Args, FromArgMatches};
    use pytriton_engine::Arguments;

    use super::*;

    #[test]
    fn warning_lists_the_requests_that_crash_a_server() {
        let anybody = Endpoints {
            grpc: Some(([0, 0, 0, 0], 1).into()),
            ..Endpoints::default()
        };
        let warning = exposure_warning("2.51.0".parse().ok(), &anybody, &Flags::default()).unwrap();
        for part in [
            "tritonserver 2.51.0 listens on 0.0.0.0:1",
            "before 2.71.0 (26.07)",
            "before 2.53.0 (24.12)",
            "use 2.75.0 (26.11) or later",
        ] {
            assert!(warning.contains(part), "{warning}");
        }
    }

    #[test]
    fn exposed_old_server_causes_a_warning() {
        let at = |text: &str| Some(text.parse().unwrap());
        let here = Endpoints {
            http: at("127.0.0.1:1"),
            grpc: at("[::1]:2"),
            metrics: None,
        };
        let table = [
            (here, "2.51.0", false),
            (
                Endpoints {
                    http: at("0.0.0.0:1"),
                    ..here
                },
                "2.51.0",
                true,
            ),
            (
                Endpoints {
                    grpc: at("10.0.0.1:1"),
                    ..here
                },
                "2.70.0",
                true,
            ),
            (
                Endpoints {
                    metrics: at("[::]:1"),
                    ..here
                },
                "2.70.0",
                true,
            ),
            (
                Endpoints {
                    http: at("0.0.0.0:1"),
                    ..here
                },
                "2.71.0",
                false,
            ),
            (
                Endpoints {
                    http: at("0.0.0.0:1"),
                    ..here
                },
                "2.71.0dev",
                true,
            ),
        ];
        let flags = |arguments: &[&str]| {
            let command = clap::Command::new("test").no_binary_name(true);
            let command = Arguments::<Flags>::augment_args(command);
            let matches = command.get_matches_from(arguments);
            Arguments::<Flags>::from_arg_matches(&matches).unwrap().0
        };
        for (endpoints, version, expected) in table {
            let warning = exposure_warning(version.parse().ok(), &endpoints, &flags(&[]));
            assert_eq!(warning.is_some(), expected, "{version} {endpoints:?}");
            let unknown = exposure_warning(None, &endpoints, &flags(&[]));
            assert_eq!(unknown.is_some(), endpoints != here, "{endpoints:?}");
        }
        for flag in ["--allow-sagemaker=true", "--allow-vertex-ai=true"] {
            let warning = exposure_warning("2.51.0".parse().ok(), &here, &flags(&[flag])).unwrap();
            assert!(warning.contains("0.0.0.0 for "), "{warning}");
        }
        let flags = flags(&["--allow-sagemaker=false"]);
        assert_eq!(exposure_warning("2.51.0".parse().ok(), &here, &flags), None);
    }
}
