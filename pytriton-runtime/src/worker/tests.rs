use std::path::PathBuf;
use std::time::Duration;

use pytriton_backend::Code;
use pytriton_backend::channel::{
    ChannelError, Door, Guest, TensorNames, Token, Welcome, data_start,
};
use pytriton_backend::wire::{AnswerReader, BatchWriter, Outcome, Region};
use pytriton_backend::{SOCKET_VARIABLE, TOKEN_VARIABLE};
use tempfile::TempDir;
use tokio::task::spawn_blocking;
use tokio::time::Instant;

use super::*;
use crate::model::{ModelDeclaration, Registry};
use crate::testing::{IDENTITY, fp32};

async fn start(declarations: &[&ModelDeclaration]) -> (Worker, TempDir) {
    let folder = TempDir::new().unwrap();
    let registry = Registry::new(declarations).unwrap();
    let worker = Worker::start(&registry, folder.path()).await.unwrap();
    (worker, folder)
}

fn variable(worker: &Worker, name: &str) -> String {
    let mut variables = worker.environment();
    variables.find(|(known, _)| *known == name).unwrap().1
}

async fn knock(worker: &Worker, model: &str, token: Option<Token>) -> Result<Door, ChannelError> {
    let path = PathBuf::from(variable(worker, SOCKET_VARIABLE));
    let own = Token::from_text(&variable(worker, TOKEN_VARIABLE)).unwrap();
    let guest = Guest {
        token: token.unwrap_or(own),
        model: model.to_owned(),
        version: 1,
    };
    let (door, Welcome { names, .. }) = spawn_blocking(move || Door::knock(&path, &guest))
        .await
        .unwrap()?;
    let expected = TensorNames {
        batching: true,
        inputs: vec![c"INPUT_1".into()],
        outputs: vec![(c"OUTPUT_1".into(), 11)],
    };
    assert_eq!(names, expected);
    Ok(door)
}

/// One outcome for each request: the values of its output, or its failure.
type Outcomes = Vec<Result<Vec<u8>, (Code, String)>>;

/// Asks a batch with one request for each value, of one row.
async fn ask(mut door: Door, values: &'static [f32]) -> (Result<Outcomes, ChannelError>, Door) {
    spawn_blocking(move || (batch(&mut door, values), door))
        .await
        .unwrap()
}

fn batch(door: &mut Door, values: &[f32]) -> Result<Outcomes, ChannelError> {
    let mut description = Vec::new();
    let mut writer = BatchWriter::new(&mut description, 1, values.len());
    for _ in values {
        writer.request("", 0);
        writer.count(0);
        writer.count(0);
        writer.count(1);
        writer.input(0, 4, &[1, 1]);
    }
    let data = fp32(values);
    let len = data.len();
    writer.region(0, Region { offset: 0, len });
    let start = data_start(description.len()).unwrap();
    let input = door.input(start + len)?;
    input.write(0, &description)?;
    input.write(start, &data)?;
    let answered = door.ask(description.len(), len)?;
    let mut reader = AnswerReader::new(answered.description, answered.data.len(), 1);
    let outcomes = values.iter().map(|_| match reader.outcome().unwrap() {
        Outcome::Failed(failure) => Err((failure.code, failure.message)),
        Outcome::Outputs(count) => {
            assert_eq!(count, 1);
            let Region { offset, len } = reader.output(&mut Vec::new()).unwrap().region;
            Ok(answered.data[offset..offset + len].to_vec())
        }
    });
    Ok(outcomes.collect())
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(5)
}

#[tokio::test]
async fn batches_are_answered_row_by_row() {
    let (worker, _folder) = start(&[&IDENTITY]).await;
    assert!(worker.ready());
    let door = knock(&worker, "Identity", None).await.unwrap();
    let (outcomes, door) = ask(door, &[1.0, 2.0, 3.0]).await;
    let expected = [1.0_f32, 2.0, 3.0].map(|value| Ok(value.to_le_bytes().to_vec()));
    assert_eq!(outcomes.unwrap(), expected);
    drop(door);
    assert!(worker.stop(soon()).await);
}

#[tokio::test]
async fn a_failing_function_fails_its_batch_and_no_other() {
    let (worker, _folder) = start(&[&IDENTITY]).await;
    let mut door = knock(&worker, "Identity", None).await.unwrap();
    let table: [(&[f32], &str); 3] = [
        (&[-1.0, 1.0], "panicked: asked to panic"),
        (&[-2.0], "rows"),
        (&[-3.0], "asked to fail"),
    ];
    for (values, words) in table {
        let (outcomes, back) = ask(door, values).await;
        door = back;
        for outcome in outcomes.unwrap() {
            let (code, message) = outcome.unwrap_err();
            assert_eq!(code, Code::Internal);
            assert!(message.contains(words), "{message}");
        }
    }
    let (outcomes, _door) = ask(door, &[1.0]).await;
    assert!(outcomes.unwrap()[0].is_ok());
}

#[tokio::test]
async fn strangers_are_refused() {
    let (worker, _folder) = start(&[&IDENTITY]).await;
    let refused = knock(&worker, "Identity", Some(Token([0; 16])))
        .await
        .unwrap_err();
    assert_eq!(refused.to_string(), "the token is another worker's");
    let refused = knock(&worker, "Other", None).await.unwrap_err();
    assert_eq!(refused.to_string(), "there is no model 'Other' version 1");
}

#[tokio::test]
async fn an_instance_is_free_again_when_its_guest_has_gone() {
    let (worker, _folder) = start(&[&IDENTITY]).await;
    for _ in 0..20 {
        let door = knock(&worker, "Identity", None).await.unwrap();
        let (outcomes, _door) = ask(door, &[1.0]).await;
        assert!(outcomes.unwrap()[0].is_ok());
    }
}

#[tokio::test]
async fn guests_are_welcome_while_every_instance_is_busy() {
    let (worker, _folder) = start(&[&IDENTITY]).await;
    let busy = knock(&worker, "Identity", None).await.unwrap();
    // Takes 50 ms.
    let asking = tokio::spawn(ask(busy, &[-4.0]));
    tokio::time::sleep(Duration::from_millis(10)).await;
    let door = knock(&worker, "Identity", None).await.unwrap();
    assert!(!asking.is_finished());
    let waiting = tokio::spawn(ask(door, &[1.0]));
    let (outcomes, busy) = asking.await.unwrap();
    assert!(outcomes.unwrap()[0].is_ok());
    drop(busy);
    assert!(waiting.await.unwrap().0.unwrap()[0].is_ok());
}

#[tokio::test]
async fn stopping_answers_what_is_under_way() {
    let (worker, _folder) = start(&[&IDENTITY]).await;
    let door = knock(&worker, "Identity", None).await.unwrap();
    // Takes 50 ms.
    let asking = tokio::spawn(ask(door, &[-4.0]));
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert!(worker.stop(soon()).await);
    let (outcomes, door) = asking.await.unwrap();
    assert!(outcomes.unwrap()[0].is_ok());
    let (outcomes, _door) = ask(door, &[1.0]).await;
    assert!(matches!(outcomes, Err(ChannelError::HungUp)));
}

#[tokio::test]
async fn an_instance_serves_as_many_guests_as_it_has_batches_in_flight() {
    let three = ModelDeclaration {
        batches_in_flight: 3,
        ..IDENTITY
    };
    let (worker, _folder) = start(&[&three]).await;
    for _ in 0..10 {
        let mut doors = Vec::new();
        for _ in 0..3 {
            doors.push(knock(&worker, "Identity", None).await.unwrap());
        }
        let asking: Vec<_> = doors
            .into_iter()
            .map(|door| tokio::spawn(ask(door, &[1.0, 2.0])))
            .collect();
        for asked in asking {
            let (outcomes, _door) = asked.await.unwrap();
            assert_eq!(outcomes.unwrap().len(), 2);
        }
    }
    let door = knock(&worker, "Identity", None).await.unwrap();
    // Takes 50 ms.
    let asking = tokio::spawn(ask(door, &[-4.0]));
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert!(worker.stop(soon()).await);
    assert!(asking.await.unwrap().0.unwrap()[0].is_ok());
}

#[tokio::test]
async fn a_model_that_cannot_be_loaded_is_named_with_its_place() {
    let broken = ModelDeclaration {
        load: |_| panic!("no weights"),
        ..IDENTITY
    };
    let folder = TempDir::new().unwrap();
    let registry = Registry::new(&[&broken]).unwrap();
    let error = Worker::start(&registry, folder.path()).await.unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("no weights") && text.contains("testing.rs:1"),
        "{text}"
    );
}
