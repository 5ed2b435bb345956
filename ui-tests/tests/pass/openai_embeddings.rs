#![deny(warnings)]
use pytriton::prelude::*;
use pytriton_ui_tests::spec;

#[derive(pytriton::Outputs)]
struct Counted {
    vectors: Array2<f32>,
    #[output(shape = [1])]
    prompt_tokens: Array2<i64>,
}

#[pytriton::model(name = "plain")]
#[openai(embeddings)]
fn plain(texts: Vec<String>) -> Array2<f32> {
    Array2::zeros((texts.len(), 2))
}

#[pytriton::model(name = "counted", max_batch_size = 16, max_batch_cost = 100)]
#[openai(embeddings)]
#[batch]
#[cost(texts)]
fn counted(
    texts: Vec<String>,
    #[first_value] task: Option<String>,
    #[input(shape = [1])] weight: Option<ArrayView2<f32>>,
    _parameters: &Parameters,
) -> Result<Counted, pytriton::Error> {
    drop((task, weight));
    Ok(Counted {
        vectors: Array2::zeros((texts.len(), 2)),
        prompt_tokens: Array2::zeros((texts.len(), 1)),
    })
}

struct Encoder;

#[pytriton::model(name = "encoder", response_cache = true)]
impl Encoder {
    #[load]
    fn load() -> Self {
        Self
    }

    #[infer]
    #[pytriton::openai(embeddings)]
    #[output(name = "vector", shape = [3])]
    async fn embed(
        &self,
        #[input(shape = [1], example = "A cat.")] sentence: Array2<String>,
    ) -> Array2<f32> {
        Array2::zeros((sentence.nrows(), 3))
    }
}

/// Without a route.
#[pytriton::model(name = "lengths")]
#[batch]
fn lengths(#[input(example = "A cat.")] texts: Vec<String>) -> Array2<i64> {
    Array2::from_shape_fn((texts.len(), 1), |(row, _)| texts[row].len() as i64)
}

pub(crate) fn main() {
    for name in ["plain", "counted", "encoder", "lengths"] {
        let spec = spec(name);
        assert!(spec.batching() && !spec.decoupled, "{name}");
        assert_eq!(
            (&*spec.inputs[0].dims, spec.inputs[0].optional),
            (&[1][..], false)
        );
        let path = spec.openai.map(|surface| surface.path());
        let expected = (name != "lengths").then_some("/v1/embeddings");
        assert_eq!(path, expected, "{name}");
    }
    let encoder = spec("encoder");
    assert_eq!(
        (&*encoder.outputs[0].name, &*encoder.outputs[0].dims),
        ("vector", &[3][..])
    );
    assert_eq!(spec("counted").cost_input, Some(0));
}
