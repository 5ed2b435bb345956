use std::ffi::OsString;
use std::fs;
use std::time::{Duration, Instant};

use clap::{Args, Command};

use crate::Arguments;
use crate::options::Options;

use super::keys::Keys;
use super::*;

fn command() -> Command {
    Arguments::<Options>::augment_args(Command::new("test").no_binary_name(true))
}

/// The name, values and place of an entry.
type Row = (String, Vec<String>, String);

/// Parses a text as `p.toml`. Returns its entries and mistakes.
fn read(text: &str) -> (Vec<Row>, Vec<String>) {
    let file = File::parse("p.toml", text, &Keys::new(&command()));
    let entries = file.entries.into_iter();
    let mut entries: Vec<_> = entries
        .map(|entry| (entry.name, entry.values, entry.place))
        .collect();
    entries.sort();
    let mistakes = file.mistakes.iter().map(ToString::to_string).collect();
    (entries, mistakes)
}

#[test]
fn keys_are_option_names_with_or_without_sections() {
    let text = "http-port = 8_080\nrestart = true\ncache-config = [\"local,size=1\", \"b\"]\n\
                [grpc]\naddress = \"::1\" # ours\nkeepalive-time = -1\nhttp2.max-ping-strikes = 0x10\n\n[allow]\nhttp = false\n\
                [log]\nformat = \"json\"";
    let row = |name: &str, values: &[&str], line: usize| {
        let values = values.iter().map(|&value| value.to_owned()).collect();
        (name.to_owned(), values, format!("p.toml:{line}"))
    };
    let expected = vec![
        row("allow-http", &["false"], 10),
        row("cache-config", &["local,size=1", "b"], 3),
        row("grpc-address", &["::1"], 5),
        row("grpc-http2-max-ping-strikes", &["16"], 7),
        row("grpc-keepalive-time", &["-1"], 6),
        row("http-port", &["8080"], 1),
        row("log-format", &["json"], 12),
        row("restart", &["true"], 2),
    ];
    assert_eq!(read(text), (expected, vec![]));
}

#[test]
fn tables_of_models_are_options_of_models() {
    let text = "[model]\ncontrol-mode = \"explicit\"\n[model.Linear]\nmax_batch_size = 0x20\n\
                instances = [\"cpu(2)\", \"gpu(0)\"]\n[model.\"a.b\"]\npreferred_batch_size = [2, 4]\n\
                dynamic_batching = true\n";
    let values = [
        "Linear.instances=[cpu(2), gpu(0)]",
        "Linear.max_batch_size=32",
        "a.b.dynamic_batching=true",
        "a.b.preferred_batch_size=[2, 4]",
    ];
    let (mut entries, mistakes) = read(text);
    entries[0].1.sort();
    let row = |name: &str, values: &[&str], line: usize| {
        let values = values.iter().map(|&value| value.to_owned()).collect();
        (name.to_owned(), values, format!("p.toml:{line}"))
    };
    let expected = [
        row("model", &values, 3),
        row("model-control-mode", &["explicit"], 2),
    ];
    assert_eq!(entries, expected);
    assert_eq!(mistakes, Vec::<String>::new());
    let (_, mistakes) = read("[model.Linear]\nmax_batch_size = 1979-05-27\n");
    let expected =
        "p.toml:1: `model.Linear`: expected a number, a boolean, a string or a list of them";
    assert_eq!(mistakes, [expected]);
}

#[test]
fn errors_are_reported_together_with_their_positions() {
    let text = "http-prot = 1\nhttp-port = \"8000\"\ngrpc-port = 65536\nallow-http = 1\nhttp-address = true\nid = 5\n\
                cache-config = \"local,size=1\"\ntrace-config = [1]\nlog-format = \"xml\"\nconfig = \"b.toml\"\nzzz = {}\n\
                http-restricted-api = [1]\n[http]\nport = 5\nprot = 5\nmetrics-port = 1\n[restart]\nx = 1\n";
    let (_, mistakes) = read(text);
    let expected = [
        "p.toml:1: unknown key `http-prot`: did you mean `http-port`?",
        "p.toml:2: `http-port`: expected a number, found a string",
        "p.toml:3: `grpc-port`: invalid value '65536' for '--grpc-port <PORT>': 65536 is not in 0..=65535",
        "p.toml:4: `allow-http`: expected `true` or `false`, found a number",
        "p.toml:5: `http-address`: expected a string, found a boolean",
        "p.toml:6: `id`: expected a string, found a number",
        "p.toml:7: `cache-config`: expected a list of strings, such as [\"…\"], found a string",
        "p.toml:8: `trace-config`: expected a list of strings, such as [\"…\"], found a number in the list",
        "p.toml:9: `log-format`: invalid value 'xml' for '--log-format <LOG_FORMAT>' [possible values: human, ISO8601, json]",
        "p.toml:10: unknown key `config`: did you mean `model-config-name`?",
        "p.toml:12: `http-restricted-api`: expected a list of strings, such as [\"…\"], found a number in the list",
        "p.toml:15: unknown key `http.prot`: did you mean `port`?",
        "p.toml:16: unknown key `http.metrics-port`: did you mean `metrics-port`, outside of a section?",
        "p.toml:17: `restart`: expected `true` or `false`, found a table",
    ];
    assert_eq!(mistakes, expected);
    let (_, twice) = read("http-port = 1\n[http]\nport = 2");
    assert_eq!(twice, ["p.toml:3: `http.port` is already set at p.toml:1"]);
    let (entries, syntax) = read("http-port = \n[grpc\nport = 1 2\n");
    assert_eq!(entries, []);
    assert!(syntax.len() > 1, "{syntax:?}");
    assert!(syntax[0].starts_with("p.toml:1: "), "{syntax:?}");
}

#[test]
fn flags_override_the_file_and_the_file_overrides_defaults() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.toml");
    fs::write(
        &path,
        "http-port = 5\ngrpc-port = 6\nhttp-restricted-api = [\"health:k=Sesam\"]\ncache-config = [\"redis,password=Sesam\"]",
    )
    .unwrap();
    let mut config = OsString::from("--config=");
    config.push(&path);
    let resolved = resolve(&command(), vec!["--http-port=7".into(), config]).unwrap();
    let find = |name: &str| {
        let mut settings = resolved.settings.iter();
        let found = settings.find(|setting| setting.name == name).unwrap();
        (found.values.join(" "), found.origin.to_string())
    };
    let at = |line: usize| format!("{}:{line}", path.display());
    let rows = [
        ("http-port", "7", "flag".to_owned()),
        ("grpc-port", "6", at(2)),
        ("metrics-port", "8002", "default".to_owned()),
        ("id", "", "default".to_owned()),
        ("http-restricted-api", "(hidden)", at(3)),
        ("cache-config", "(hidden)", at(4)),
    ];
    for (name, value, origin) in rows {
        assert_eq!(find(name), (value.to_owned(), origin), "{name}");
    }
    assert!(!format!("{:?}", resolved.settings).contains("Sesam"));
}

#[test]
fn errors_do_not_contain_secrets() {
    let secret = clap::Arg::new("token")
        .long("token")
        .env("TEST_TOKEN")
        .hide_env_values(true)
        .value_parser(["short"]);
    let keys = Keys::new(&Command::new("test").arg(secret));
    let file = File::parse("p.toml", "token = \"Sesam\"", &keys);
    let text = file.mistakes[0].to_string();
    assert_eq!(text, "p.toml:1: invalid value (hidden) for `token`");
}

#[test]
fn missing_file_is_reported() {
    let error = Options::parse(["--config=/no/such.toml"]).unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with("/no/such.toml: cannot read the file of --config"),
        "{text}"
    );
}

#[test]
fn reporting_many_errors_takes_linear_time() {
    let unknown = |count: usize| -> String {
        let keys = (0..count).map(|number| format!("key-{number} = 1\n"));
        keys.collect()
    };
    let section = |count: usize| format!("[{}]\n{}", "a".repeat(8 * count), unknown(count));
    let syntax = |count: usize| "= 1\n".repeat(count);
    let files: [&dyn Fn(usize) -> String; 3] = [&unknown, &section, &syntax];
    for (index, file) in files.into_iter().enumerate() {
        let mut times = [500, 8000].map(|count| {
            let text = file(count);
            let begun = Instant::now();
            let (entries, mistakes) = read(&text);
            let elapsed = begun.elapsed();
            assert_eq!((entries.len(), mistakes.len()), (0, 101));
            let last = "p.toml: more than 100 mistakes; the rest are not listed";
            assert_eq!(mistakes[100], last);
            elapsed
        });
        // Sixteen times the size, and a large margin for a busy machine. Quadratic time would be a
        // factor of 256.
        times[0] = times[0].max(Duration::from_millis(50));
        assert!(times[1] < 60 * times[0], "{index}: {times:?}");
    }
}

#[test]
fn a_file_may_contain_required_arguments() {
    #[derive(Debug, Args)]
    struct Own {
        #[arg(long, env = "PYTRITON_TEST_ZONE", required = true)]
        zone: Option<String>,
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("p.toml");
    let serve = || Own::augment_args(command().no_binary_name(false).name("serve"));
    let list = Command::new("list").arg(clap::Arg::new("folder").required(true));
    let line = serve().name("test").subcommands([serve(), list]);
    let line = line.subcommand_negates_reqs(true);
    let resolved = |text: &str, arguments: &[&str]| {
        fs::write(&file, text).unwrap();
        let path = file.to_string_lossy();
        let arguments = arguments
            .iter()
            .map(|argument| argument.replace("FILE", &path));
        let arguments = ["test".to_owned()].into_iter().chain(arguments);
        let resolved = resolve(&line, arguments.map(OsString::from).collect());
        resolved.map_err(|error| match error {
            ResolveError::Line(error) => error.to_string(),
            ResolveError::Configuration(mistakes) => mistakes.to_string(),
        })
    };
    for arguments in [&["--config=FILE"][..], &["serve", "--config=FILE"]] {
        let settings = resolved("zone = \"here\"", arguments).unwrap().settings;
        let zone = settings.iter().find(|setting| setting.name == "zone");
        assert_eq!(zone.unwrap().values, ["here"], "{arguments:?}");
        for (text, expected) in [
            ("", "--zone"),
            ("zone = 1", "p.toml:1"),
            ("zon = \"\"", "p.toml:1"),
        ] {
            let error = resolved(text, arguments).unwrap_err();
            assert!(error.contains(expected), "{arguments:?} {text}: {error}");
        }
    }
    let error = resolved("", &["list"]).unwrap_err();
    assert!(error.contains("<folder>"), "{error}");
}
