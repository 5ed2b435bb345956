//! The signature file: the output of `list`, typed clients from it, and the result of `check`.

use std::fs;
use std::process::Command;
use std::time::Duration;

use pytriton::client::ndarray::{Array2, array};
use pytriton::client::{AsyncTyped, InferOptions, SequenceStep, Typed};
use pytriton_tests::{Finished, Server, finish};

use crate::{Result, SERVED, each};

each! {
    the_types_of_the_file, streams_of_the_file,
}

/// As in a crate that contains only the file.
mod models {
    pytriton::client!("models.lock", "Versioned" = Third);
}

const LOCK: &str = include_str!("../../models.lock");

fn run(arguments: &[&str]) -> Result<Finished> {
    let deadline = Duration::from_secs(20);
    Ok(finish(Command::new(SERVED).args(arguments), deadline)?)
}

#[test]
fn signature_file_equals_the_output_of_list() -> Result {
    let listed = run(&["list", "--format", "json"])?.success("list")?;
    if std::env::var_os("UPDATE").is_some() {
        fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/models.lock"), &listed)?;
    }
    assert_eq!(listed, LOCK, "run with UPDATE=1 and look at the difference");
    Ok(())
}

async fn the_types_of_the_file(_: &Server, url: &str) -> Result {
    let client = Typed::<models::Linear>::connect(url)?;
    let x = Array2::<f32>::ones((3, 20));
    let y: Array2<f32> = client.call(&x, 2.0)?;
    assert_eq!(y[[2, 1]], 420.0);
    let both = AsyncTyped::<models::Both>::connect(url).await?;
    let (sum, difference) = both.call(array![5, 6], array![1, 2]).await?;
    assert_eq!((sum, difference), (array![6, 8], array![4, 4]));
    let text = |text: &str| text.to_owned();
    let words = array![[text("a"), text("bc")], [text("def"), text("g")]];
    let describe = Typed::<models::Describe>::connect(url)?;
    let (longest, length) = describe.call(&words, None, "-", array![0.5])?;
    assert_eq!(longest, array![[b"bc".to_vec()], [b"def".to_vec()]]);
    assert_eq!(length, array![[2], [3]]);
    assert_eq!(
        Typed::<models::Third>::connect(url)?
            .call(array![1])?
            .shape(),
        [1]
    );
    let mean = Typed::<models::Mean>::connect(url)?;
    assert_eq!(mean.call(array![[4.0]])?, (array![[4.0]], None));
    let total = Typed::<models::Total>::connect(url)?;
    let step = SequenceStep::new(format!("locked {url}")).start().end();
    let total = total.with(InferOptions::new().sequence(step));
    assert_eq!(total.call(array![[4, 5]])?, array![[9]]);
    Ok(())
}

async fn streams_of_the_file(_: &Server, url: &str) -> Result {
    if url.starts_with("http") {
        return Ok(());
    }
    let client = Typed::<models::Down>::connect(url)?;
    let answers: Vec<Array2<i32>> = client
        .call(array![[1]])
        .collect::<std::result::Result<_, _>>()?;
    assert_eq!(answers, [array![[1]], array![[0]]]);
    Ok(())
}

/// Changes to the file, and the results of `check`.
#[test]
fn check_reports_compatible_and_breaking_changes() -> Result {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("models.lock");
    let check = |lock: &str| -> Result<Finished> {
        fs::write(&file, lock)?;
        run(&["check", "--lock", &file.display().to_string()])
    };
    let same = check(LOCK)?.success("check")?;
    assert_eq!(
        same.trim_end(),
        format!("the models match {}", file.display())
    );
    let linear = r#"{"name": "x", "datatype": "FP32", "shape": [20]}"#;
    let scale = r#"{"name": "scale", "datatype": "FP32", "shape": [1], "first_value": true}"#;
    let (ordered, swapped) = (
        format!("{linear},\n        {scale}"),
        format!("{scale},\n        {linear}"),
    );
    let more = r#"{"name": "more", "datatype": "BYTES", "shape": [-1], "optional": true}"#;
    let table = [
        (
            linear,
            linear.replace("FP32", "FP64"),
            "breaking    Linear 1, input `x`: expected FP64 [-1,20], found FP32 [-1,20]",
        ),
        (
            linear,
            linear.replace("20", "21"),
            "breaking    Linear 1, input `x`: expected FP32 [-1,21], found FP32 [-1,20]",
        ),
        (
            linear,
            linear.replace("\"x\"", "\"X\""),
            "breaking    Linear 1, input `X`: expected FP32 [-1,20], found FP32 [-1,20] named `x`",
        ),
        (
            linear,
            format!("{linear}, {}", linear.replace("\"x\"", "\"w\"")),
            "breaking    Linear 1, input `w`: expected FP32 [-1,20], found none",
        ),
        (
            scale,
            linear.replace("\"x\"", "\"w\""),
            "breaking    Linear 1, input `w`: expected FP32 [-1,20], found none\nbreaking    Linear 1, input `scale`: expected none, found FP32 [-1,1]",
        ),
        (
            ordered.as_str(),
            swapped,
            "breaking    Linear 1, order of inputs: expected `scale` `x`, found `x` `scale`",
        ),
        (
            "      \"sequences\": true,\n",
            String::new(),
            "breaking    Sum 1, requests: expected independent, found in sequences",
        ),
        (
            "\"name\": \"Linear\"",
            "\"name\": \"Gone\"".to_owned(),
            "breaking    Gone 1: expected a model, found none\ncompatible  Linear 1: expected none, found a model",
        ),
        (
            "\"max_batch_size\": 16,\n      \"decoupled\": false,\n      \"inputs\": [\n        {\"name\": \"x\", \"datatype\": \"FP32\", \"shape\": [20]}",
            format!(
                "\"max_batch_size\": 17,\n      \"decoupled\": false,\n      \"inputs\": [\n        {linear}"
            ),
            "breaking    Linear 1, batching: expected up to 17 rows, found up to 16 rows",
        ),
        (
            "\"max_batch_size\": 16,\n      \"decoupled\": false,\n      \"inputs\": [\n        {\"name\": \"x\", \"datatype\": \"FP32\", \"shape\": [20]}",
            format!(
                "\"max_batch_size\": 15,\n      \"decoupled\": false,\n      \"inputs\": [\n        {linear}"
            ),
            "compatible  Linear 1, batching: expected up to 15 rows, found up to 16 rows",
        ),
        (
            more,
            more.replace(", \"optional\": true", ""),
            "compatible  Describe 1, input `more`: expected BYTES [-1,-1], found BYTES [-1,-1], optional",
        ),
        (
            more,
            format!("{more}, {}", more.replace("more", "most")),
            "breaking    Describe 1, input `most`: expected BYTES [-1,-1], optional, found none",
        ),
    ];
    for (old, new, expected) in table {
        assert!(LOCK.contains(old), "{old}");
        let finished = check(&LOCK.replacen(old, &new, 1))?;
        assert_eq!(finished.stdout.trim_end(), expected);
        let breaks = expected.contains("breaking");
        assert_eq!(
            finished.status.code(),
            Some(i32::from(breaks)),
            "{expected}"
        );
        assert_eq!(finished.stderr.contains("break clients"), breaks);
    }
    let malformed = check("{")?;
    assert_eq!(malformed.status.code(), Some(1));
    assert!(
        malformed
            .stderr
            .contains("models.lock: line 1: expected a text"),
        "{}",
        malformed.stderr
    );
    let missing = run(&["check", "--lock", "nowhere.lock"])?;
    assert!(
        missing.stderr.contains("error: nowhere.lock: "),
        "{}",
        missing.stderr
    );
    Ok(())
}
