//! Options of models that the configuration replaces.

use std::process::Command;

use pytriton_tests::{Engine, Result, finish};

use crate::command_line::{DEADLINE, FREE_PORTS, check, run};
use crate::{MODELS, serve};

const SIZE: &str = "--model=AddSub.max_batch_size=24";

#[test]
fn overridden_options_are_in_the_model_configuration() -> Result<()> {
    for engine in [Engine::Embedded, Engine::Tritonserver] {
        let server = serve(engine, &[SIZE, "--model=AddSub.instances=3"])?;
        let url = format!("http://{}/v2/models/AddSub/config", server.banner().http);
        let mut curl = Command::new("curl");
        curl.args(["-sSf", "--noproxy", "*", &url]);
        let config = finish(&mut curl, DEADLINE)?.success("curl")?;
        let config: serde_json::Value = serde_json::from_str(&config).unwrap();
        assert_eq!(config["max_batch_size"], 24, "{engine:?}: {config}");
        let count = &config["instance_group"][0]["count"];
        assert_eq!(count, 3, "{engine:?}: {config}");
    }
    Ok(())
}

#[test]
fn overridden_options_are_listed_and_checked() -> Result<()> {
    let line = |text: &str| {
        let mut lines = text.lines();
        let found = lines.find(|line| line.trim_start().starts_with("AddSub"));
        found.unwrap_or_default().to_owned()
    };
    let list = run(MODELS, &["list", SIZE])?.success("list")?;
    let words: Vec<String> = line(&list).split_whitespace().map(str::to_owned).collect();
    assert_eq!(words[..3], ["AddSub", "1", "24"], "{list}");
    let mut command = Command::new(MODELS);
    let variable = "PYTRITON_TRITON_CONFIG_MODEL";
    command.env(variable, "AddSub.max_batch_size=24");
    command.env(format!("{variable}_0"), "AddSub.description=a; b");
    command.env(format!("{variable}_1"), "AddSub.instances=3");
    let document = command.args(["list", "--format", "openapi"]);
    let document = finish(document, DEADLINE)?.success("list")?;
    assert!(document.contains("\"instances\": 3"), "{document}");
    assert!(document.contains("\"max_batch_size\": 24"), "{document}");
    assert!(document.contains("a; b"), "{document}");
    let output = run(MODELS, &[&check()[..], &[SIZE]].concat())?.success("check")?;
    assert!(output.contains("--model "), "{output}");
    assert!(output.contains("AddSub.max_batch_size=24"), "{output}");
    Ok(())
}

#[test]
fn invalid_overrides_are_refused_at_start() -> Result<()> {
    let table = [
        (
            "AddSub.max_batch_size=0",
            "`max_batch_size`: expected a number from 1 to 2147483647",
        ),
        (
            "AddSub.instance=2",
            "`instance` is not an option that can be overridden: did you mean `instances`?",
        ),
        (
            "AddSu.instances=2",
            "no model is named 'AddSu', which --model=AddSu.instances=2 overrides: did you mean `AddSub`?",
        ),
        (
            "NoBatch.max_batch_size=2",
            "`max_batch_size`: this option needs batching",
        ),
    ];
    for (option, expected) in table {
        for arguments in [vec!["list"], check(), FREE_PORTS.to_vec()] {
            let refused = run(MODELS, &[&arguments[..], &["--model", option]].concat())?;
            assert_eq!(refused.status.code(), Some(1), "{option}");
            assert!(refused.stderr.contains(expected), "{}", refused.stderr);
        }
    }
    let refused = run(MODELS, &["--model", "instances=2"])?;
    assert_eq!(refused.status.code(), Some(2), "{}", refused.stderr);
    assert!(refused.stderr.contains("expected NAME.OPTION=VALUE"));
    Ok(())
}
