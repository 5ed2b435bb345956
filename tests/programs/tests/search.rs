//! A search over documents that clients add: two models that share an index.

use std::sync::{Arc, Mutex, PoisonError};

use pytriton::prelude::*;
use pytriton::testing;

#[derive(Default)]
struct Index(Mutex<Vec<(String, Array1<f32>)>>);

/// The frequencies of the letters a to z.
fn embedding(text: &str) -> Array1<f32> {
    let mut letters = Array1::zeros(26);
    for byte in text.bytes().filter(u8::is_ascii_lowercase) {
        letters[usize::from(byte - b'a')] += 1.0;
    }
    let length: f32 = letters.dot(&letters);
    letters / length.sqrt().max(1.0)
}

/// Adds documents, and returns their numbers.
#[pytriton::model(name = "Add", client = Add, max_batch_size = 64)]
#[batch]
fn add(#[input(shape = [1])] text: Array2<String>, index: &Arc<Index>) -> Array2<u64> {
    let mut documents = index.0.lock().unwrap_or_else(PoisonError::into_inner);
    text.mapv_into_any(|text| {
        documents.push((text.clone(), embedding(&text)));
        documents.len() as u64 - 1
    })
}

/// Returns the most similar document.
#[pytriton::model(name = "Search", client = Search, max_batch_size = 64)]
#[batch]
fn search(
    #[input(shape = [1])] text: Array2<String>,
    index: &Arc<Index>,
) -> (Array2<String>, Array2<f32>) {
    let documents = index.0.lock().unwrap_or_else(PoisonError::into_inner);
    let best = text.map(|text| {
        let query = embedding(text);
        let scores = documents
            .iter()
            .map(|(text, other)| (text, query.dot(other)));
        let best = scores.max_by(|a, b| a.1.total_cmp(&b.1));
        best.map_or_else(Default::default, |(text, score)| (text.clone(), score))
    });
    (
        best.map(|(text, _)| text.clone()),
        best.map(|(_, score)| *score),
    )
}

#[pytriton::test(server = |server| server.state(Arc::new(Index::default())))]
async fn added_documents_are_found(
    add: Call<Add>,
    search: Call<Search>,
) -> Result<(), pytriton::error::CallError> {
    let text = |text: &str| array![[text.to_owned()]];
    let (found, score) = search.call(text("bees")).await?;
    assert_eq!((&*found[[0, 0]], score[[0, 0]]), ("", 0.0));
    let numbers = add
        .call(array![["bees fly".to_owned()], ["cats jump".to_owned()]])
        .await?;
    assert_eq!(numbers, array![[0], [1]]);
    let (found, _) = search.call(text("jumping cat")).await?;
    assert_eq!(found, text("cats jump"));
    Ok(())
}

#[test]
fn each_server_has_its_own_index() {
    let serve = || {
        testing::serve_registered_with(|server| server.state(Arc::new(Index::default()))).unwrap()
    };
    let (one, other) = (serve(), serve());
    let document = array![["only here".to_owned()]];
    one.client("Add").unwrap().infer_batch([&document]).unwrap();
    let found = other
        .client("Search")
        .unwrap()
        .infer_batch([&document])
        .unwrap();
    assert_eq!(
        found.array::<String, Ix2>("OUTPUT_1").unwrap(),
        array![[String::new()]]
    );
}
