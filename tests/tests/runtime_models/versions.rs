//! The served versions of a model, on both engines.

use std::thread::sleep;
use std::time::{Duration, Instant};

use pytriton::config::VersionPolicy;
use pytriton::ndarray::Ix2;
use pytriton::runtime_models::{Function, PerBatch};
use pytriton_tests::Engine;
use serde_json::{Value, json};

use crate::http::{begin, get, infer, send};
use crate::{DEADLINE, Result, builder, model, triton};

fn times(by: f32) -> Function {
    Function::new(PerBatch, move |call| Ok(&call.array::<f32, Ix2>("x")? * by))
}

fn served(policy: Option<VersionPolicy>, engine: Engine) -> Result<(Vec<u32>, Value, Value)> {
    let open = builder(engine)?.options(|options| options.access.restricted_endpoints.0.clear());
    let triton = open.build()?;
    for version in [1, 2, 10] {
        let mut model = model("many").version(version);
        if let Some(policy) = &policy {
            model = model.version_policy(policy.clone());
        }
        triton.bind(model, times(version as f32))?;
    }
    let at = triton.run()?.http().ok_or("no HTTP")?;
    assert!(triton.is_alive());
    assert_eq!(get(at, "/v2/health/ready")?.status, 200);
    let mut answering = Vec::new();
    for version in [1, 2, 10] {
        let path = format!("many/versions/{version}");
        let answer = begin(at, &path, &[&[1.0]])?.answer()?;
        let ready = get(at, &format!("/v2/models/{path}/ready"))?.status;
        match answer.status {
            200 => {
                let expected = json!([version as f32]);
                assert_eq!(answer.body["outputs"][0]["data"], expected);
                assert_eq!(ready, 200);
                answering.push(version);
            }
            status => {
                let text =
                    format!("Request for unknown model: 'many' version {version} is not found");
                assert_eq!((status, &answer.body["error"]), (404, &json!(text)));
                assert_eq!(ready, 400);
            }
        }
    }
    let latest = answering.last().map(|&version| version as f32);
    assert_eq!(infer(at, "many", &[&[1.0]])?, json!([latest]));
    let config = get(at, "/v2/models/many/config")?.body["version_policy"].clone();
    let index = send(at, "POST", "/v2/repository/index", "")?.answer()?.body;
    Ok((answering, config, index))
}

#[test]
fn version_policy_selects_served_versions() -> Result<()> {
    let table = [
        (None, vec![1, 2, 10], json!({"all": {}})),
        (Some(VersionPolicy::All), vec![1, 2, 10], json!({"all": {}})),
        (
            Some(VersionPolicy::Latest(1)),
            vec![10],
            json!({"latest": {"num_versions": 1}}),
        ),
        (
            Some(VersionPolicy::Latest(2)),
            vec![2, 10],
            json!({"latest": {"num_versions": 2}}),
        ),
        (
            Some(VersionPolicy::Specific(vec![1, 10, 7])),
            vec![1, 10],
            json!({"specific": {"versions": [1, 10, 7]}}),
        ),
    ];
    for (policy, versions, config) in table {
        let lines = versions.iter().map(
            |version| json!({"name": "many", "version": version.to_string(), "state": "READY"}),
        );
        let index = Value::Array(lines.collect());
        for engine in [Engine::Embedded, Engine::Tritonserver] {
            let found = served(policy.clone(), engine)?;
            let expected = (versions.clone(), config.clone(), index.clone());
            assert_eq!(found, expected, "{policy:?} {engine:?}");
        }
    }
    Ok(())
}

#[test]
fn policy_that_excludes_all_versions_fails_the_start() -> Result<()> {
    for engine in [Engine::Embedded, Engine::Tritonserver] {
        let triton = triton(engine)?;
        let absent = VersionPolicy::Specific(vec![7]);
        triton.bind(model("none").version_policy(absent), times(1.0))?;
        let error = triton.run().unwrap_err().to_string();
        let expected = "`version_policy` selects none of the versions [1]";
        assert!(error.contains(expected), "{engine:?}: {error}");
    }
    Ok(())
}

#[test]
fn latest_version_changes_while_the_server_runs() -> Result<()> {
    let triton = triton(Engine::Embedded)?;
    let latest = || model("one").version_policy(VersionPolicy::Latest(1));
    triton.bind(latest(), times(2.0))?;
    let at = triton.run()?.http().ok_or("no HTTP")?;
    let other = model("one").version(2).version_policy(VersionPolicy::All);
    let error = triton.bind(other, times(9.0)).unwrap_err().to_string();
    assert!(
        error.contains("must have the same `version_policy`"),
        "{error}"
    );
    triton.bind(latest().version(2), times(3.0))?;
    assert_eq!(infer(at, "one", &[&[1.0]])?, json!([3.0]));
    assert_eq!(get(at, "/v2/models/one/versions/1/ready")?.status, 400);
    let begun = Instant::now();
    while get(at, "/v2/health/ready")?.status != 200 {
        assert!(begun.elapsed() < DEADLINE);
        sleep(Duration::from_millis(5));
    }
    triton.unbind("one", 2)?;
    assert_eq!(infer(at, "one", &[&[1.0]])?, json!([2.0]));
    Ok(())
}
