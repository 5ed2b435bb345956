use std::path::Path;

use pytriton_net::tls::{TlsFile, TlsFiles};

use crate::flags::Flags;
use crate::port::{Port, PortMap};

use super::{TlsError, TlsFlags, TlsOptions};

/// A port and its options, followed by the ports whose files it uses if it has none.
type PortFlags<'a> = (Port, &'a TlsFlags);

/// Returns the TLS files of the HTTP, gRPC, metrics and OpenAI ports that use TLS. HTTP uses the
/// files of gRPC by default, and the other ports those of HTTP.
///
/// # Errors
///
/// [`TlsError`] with the missing or unused option.
pub fn plan(options: &TlsOptions, flags: &Flags) -> Result<PortMap<TlsFiles>, TlsError> {
    let grpc = TlsFlags::of_grpc(flags);
    let TlsOptions {
        http,
        metrics,
        openai,
    } = options;
    let ports = [
        (Port::Grpc, &grpc),
        (Port::Http, http),
        (Port::Metrics, metrics),
        (Port::OpenAi, openai),
    ];
    let [grpc, http, metrics, openai] = ports;
    // By default, the OpenAI port has the options of HTTP.
    let switch = match (openai.1.use_ssl, openai.1.mutual) {
        (None, None) => http.1.clone(),
        // If HTTP requires client certificates, the OpenAI port must not be a way around it.
        (Some(true), None) => TlsFlags {
            mutual: http.1.mutual,
            ..openai.1.clone()
        },
        _ => openai.1.clone(),
    };
    let mut taken = Taken::default();
    let mut plan = PortMap::default();
    for (switch, ports) in [
        (grpc.1, &[grpc][..]),
        (http.1, &[http, grpc]),
        (metrics.1, &[metrics, http, grpc]),
        (&switch, &[openai, http, grpc]),
    ] {
        if let Some(files) = files(switch, ports, &mut taken)? {
            plan.insert(ports[0].0, files);
        }
    }
    for (port, flags) in ports {
        let pair = flags.certificate.is_some() || flags.key.is_some();
        if pair && !taken.pairs.contains(&port) {
            return Err(TlsError::Off { port: port.name() });
        }
        if flags.roots.is_some() && !taken.roots.contains(&port) {
            return Err(TlsError::NotMutual { port: port.name() });
        }
    }
    Ok(plan)
}

/// Returns whether the flags for tritonserver enable TLS for gRPC.
pub fn grpc_uses_tls(flags: &Flags) -> bool {
    TlsFlags::of_grpc(flags).is_on()
}

/// The ports whose files are in use.
#[derive(Default)]
struct Taken {
    /// The ports whose certificate and key are in use.
    pairs: Vec<Port>,
    /// The ports whose root certificates are in use.
    roots: Vec<Port>,
}

/// The files of the first port, from the first of the given ports that has any.
fn files(
    switch: &TlsFlags,
    ports: &[PortFlags<'_>],
    taken: &mut Taken,
) -> Result<Option<TlsFiles>, TlsError> {
    let &[(port, _), ..] = ports else {
        return Ok(None);
    };
    if !switch.is_on() {
        return Ok(None);
    }
    let given = ports
        .iter()
        .find(|(_, flags)| flags.certificate.is_some() || flags.key.is_some());
    let Some(&(from, given)) = given else {
        return Err(TlsError::NoCertificate { port: port.name() });
    };
    let (Some(certificate), Some(key)) = (&given.certificate, &given.key) else {
        return Err(TlsError::NoCertificate { port: from.name() });
    };
    taken.pairs.push(from);
    let roots = match switch.mutual {
        Some(true) => {
            let roots = ports
                .iter()
                .find_map(|(from, flags)| Some((*from, flags.roots.as_deref()?)));
            let (from, roots) = roots.ok_or(TlsError::NoRoots { port: port.name() })?;
            taken.roots.push(from);
            Some(file(from, "root-cert", roots))
        }
        _ => None,
    };
    Ok(Some(TlsFiles {
        certificate: file(from, "server-cert", certificate),
        key: file(from, "server-key", key),
        roots,
    }))
}

fn file(port: Port, ending: &str, path: &Path) -> TlsFile {
    TlsFile {
        name: format!("--{}-{ending}", port.name()),
        path: path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args, Command, FromArgMatches};
    use pytriton_net::tls::inspect;

    use crate::Arguments;
    use crate::options::TritonOptions;

    use super::*;

    /// The files of gRPC, HTTP, metrics and OpenAI, or the error.
    fn plan(arguments: &str) -> Result<[String; 4], String> {
        let command = Command::new("test").no_binary_name(true);
        let command = Arguments::<TritonOptions>::augment_args(command);
        let command = Arguments::<TlsOptions>::augment_args(command);
        let arguments = arguments.split_whitespace();
        let matches = command.get_matches_from(arguments.map(|name| format!("--{name}")));
        let Arguments(options) = Arguments::from_arg_matches(&matches).unwrap();
        let triton = Arguments::<TritonOptions>::from_arg_matches(&matches);
        let flags = triton.unwrap().0.flags;
        let word = |files: Option<&TlsFiles>| match files {
            None => "-".to_owned(),
            Some(TlsFiles {
                certificate,
                key,
                roots,
            }) => {
                let mut word = format!("{}{}", certificate.path.display(), key.path.display());
                let roots = roots.iter();
                word.extend(roots.map(|roots| format!("+{}", roots.path.display())));
                word
            }
        };
        let plan = super::plan(&options, &flags).map_err(|error| error.to_string())?;
        let ports = [Port::Grpc, Port::Http, Port::Metrics, Port::OpenAi];
        Ok(ports.map(|port| word(plan.get(port))))
    }

    #[test]
    fn ports_use_their_own_files_or_inherit_them() {
        let table = [
            ("", ["-", "-", "-", "-"]),
            ("grpc-use-ssl=false http-use-ssl=no", ["-", "-", "-", "-"]),
            (
                "grpc-use-ssl=true grpc-server-cert=c grpc-server-key=k",
                ["ck", "-", "-", "-"],
            ),
            (
                "grpc-use-ssl=1 http-use-ssl=1 metrics-use-ssl=1 grpc-server-cert=c grpc-server-key=k",
                ["ck", "ck", "ck", "ck"],
            ),
            (
                "http-use-ssl=1 openai-use-ssl=0 http-server-cert=c http-server-key=k",
                ["-", "ck", "-", "-"],
            ),
            (
                "openai-use-ssl=1 openai-server-cert=c openai-server-key=k",
                ["-", "-", "-", "ck"],
            ),
            (
                "grpc-use-ssl-mutual=false grpc-server-cert=c grpc-server-key=k",
                ["ck", "-", "-", "-"],
            ),
            (
                "http-use-ssl-mutual=1 http-server-cert=c http-server-key=k http-root-cert=r openai-use-ssl=1",
                ["-", "ck+r", "-", "ck+r"],
            ),
            (
                "http-use-ssl-mutual=1 http-server-cert=c http-server-key=k http-root-cert=r openai-use-ssl-mutual=0",
                ["-", "ck+r", "-", "ck"],
            ),
            (
                "http-use-ssl-mutual=1 http-server-cert=c http-server-key=k http-root-cert=r openai-use-ssl=0",
                ["-", "ck+r", "-", "-"],
            ),
            (
                "grpc-use-ssl-mutual=true grpc-server-cert=c grpc-server-key=k grpc-root-cert=r \
                 http-use-ssl-mutual=true http-server-cert=d http-server-key=l metrics-use-ssl-mutual=1 \
                 metrics-root-cert=s",
                ["ck+r", "dl+r", "dl+s", "dl+r"],
            ),
        ];
        for (arguments, expected) in table {
            assert_eq!(
                plan(arguments),
                Ok(expected.map(str::to_owned)),
                "{arguments}"
            );
        }
    }

    #[test]
    fn file_errors_name_the_option() {
        let flags = TlsFlags {
            mutual: Some(true),
            roots: Some("/nowhere/roots.pem".into()),
            ..TlsFlags::default()
        };
        let http = TlsFlags {
            certificate: Some("/nowhere/cert.pem".into()),
            key: Some("/nowhere/key.pem".into()),
            ..TlsFlags::default()
        };
        let options = TlsOptions {
            http: TlsFlags {
                mutual: Some(false),
                ..http
            },
            metrics: flags,
            ..TlsOptions::default()
        };
        let mut plan = super::plan(&options, &Flags::default()).unwrap();
        let files = plan.remove(Port::Metrics).unwrap();
        let listed = [
            &files.certificate,
            &files.key,
            files.roots.as_ref().unwrap(),
        ];
        let expected = [
            "--http-server-cert /nowhere/cert.pem",
            "--http-server-key /nowhere/key.pem",
            "--metrics-root-cert /nowhere/roots.pem",
        ];
        assert_eq!(listed.map(ToString::to_string), expected);
        let Err(error) = inspect("metrics", &files) else {
            panic!("there is no such file");
        };
        let expected =
            "cannot read --http-server-cert /nowhere/cert.pem: No such file or directory";
        assert!(error.to_string().starts_with(expected), "{error}");
    }

    #[test]
    fn missing_or_superfluous_options_are_named() {
        let table = [
            (
                "grpc-use-ssl=true",
                "--grpc-server-cert and --grpc-server-key",
            ),
            ("metrics-use-ssl=true", "--metrics-server-cert and"),
            (
                "http-use-ssl=true http-server-cert=c",
                "--http-server-cert and",
            ),
            (
                "http-use-ssl=true grpc-server-key=k",
                "--grpc-server-cert and",
            ),
            (
                "http-use-ssl-mutual=true http-server-cert=c http-server-key=k",
                "set --http-root-cert",
            ),
            (
                "grpc-server-cert=c grpc-server-key=k",
                "set --grpc-use-ssl=true",
            ),
            (
                "grpc-use-ssl=1 grpc-server-cert=c grpc-server-key=k http-server-cert=d http-server-key=l",
                "set --http-use-ssl=true",
            ),
            (
                "grpc-use-ssl=1 grpc-server-cert=c grpc-server-key=k http-server-cert=c http-server-key=k",
                "set --http-use-ssl=true",
            ),
            (
                "grpc-use-ssl=1 grpc-server-cert=c grpc-server-key=k metrics-server-key=k",
                "set --metrics-use-ssl=true",
            ),
            (
                "http-use-ssl=1 http-server-cert=c http-server-key=k http-root-cert=r",
                "set --http-use-ssl-mutual=true",
            ),
            ("openai-root-cert=r", "set --openai-use-ssl-mutual=true"),
        ];
        for (arguments, expected) in table {
            let error = plan(arguments).unwrap_err();
            assert!(error.contains(expected), "{arguments}: {error}");
        }
    }
}
