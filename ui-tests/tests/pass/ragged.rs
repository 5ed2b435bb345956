#![deny(warnings)]
use pytriton::prelude::*;
use pytriton_ui_tests::{Answer, infer, spec, tensor};

/// Returns the sum of each row, and the number of rows in the call.
#[pytriton::model(name = "RaggedSums", max_batch_size = 8, max_batch_cost = 6, client = Sums)]
#[batch]
#[cost(tokens)]
fn sums(
    /// The tokens of a text.
    tokens: Ragged<i64>,
) -> (Array2<i64>, Array2<u32>) {
    let sums: Array1<i64> = tokens.rows().map(|row| row.sum()).collect();
    let calls = Array2::from_elem((tokens.len(), 1), tokens.len() as u32);
    (sums.insert_axis(Axis(1)), calls)
}

/// Texts, an optional ragged input, and an array with its own rules.
#[pytriton::model(name = "RaggedTexts", max_batch_size = 8)]
#[fill_optionals(key = 7)]
#[batch]
#[group_by_values(key)]
#[pad_batch]
async fn texts(
    #[input(name = "WORDS", shape = [-1])] words: pytriton::Ragged<'_, String>,
    weights: Option<Ragged<f32>>,
    key: ArrayView2<i32>,
) -> Array2<String> {
    let keys = key.column(0).to_vec();
    let weight = |row| match &weights {
        Some(weights) => weights.row(row).sum(),
        None => 1.0,
    };
    let rows = words.into_iter().enumerate();
    let rows = rows.map(|(row, words)| {
        let words = words.to_vec().join("+");
        format!("{words} {} {}", weight(row), keys[row])
    });
    let rows: Array1<String> = rows.collect();
    rows.insert_axis(Axis(1))
}

/// The type may have another name.
type Rows<'a> = Ragged<'a, f16>;

struct Longest(usize);

#[pytriton::model(name = "RaggedState", max_batch_size = 4)]
impl Longest {
    #[load]
    fn load() -> Self {
        Self(2)
    }

    #[infer]
    #[batch]
    fn infer(&self, x: Rows<'_>) -> Array2<bool> {
        let longer: Array1<bool> = x.lengths().map(|length| length > self.0).collect();
        longer.insert_axis(Axis(1))
    }
}

pub(crate) fn main() {
    let sums = spec("RaggedSums");
    assert_eq!(
        (&sums.ragged_inputs[..], sums.cost_input),
        (&[0][..], Some(0))
    );
    assert_eq!(sums.inputs[0].dims, [-1]);
    assert_eq!(spec("RaggedTexts").ragged_inputs, [0, 1]);

    let tokens = |rows: usize, values: Vec<i64>| {
        let shape = [rows, values.len() / rows];
        [("tokens", tensor::<i64>(&shape, values))]
    };
    let sent = [
        tokens(1, vec![1, 2]),
        tokens(1, vec![]),
        tokens(2, vec![3, 4, 5, 6]),
        tokens(1, vec![7]),
    ];
    let sent = sent.each_ref().map(|inputs| &inputs[..]);
    let expected = |sums: Vec<i64>, calls: u32| -> Answer {
        let rows = sums.len();
        let calls = tensor::<u32>(&[rows, 1], vec![calls; rows]);
        Ok(vec![tensor::<i64>(&[rows, 1], sums), calls])
    };
    // The last request exceeds the maximum cost.
    let all = [
        expected(vec![3], 4),
        expected(vec![0], 4),
        expected(vec![7, 11], 4),
        expected(vec![7], 1),
    ];
    assert_eq!(infer("RaggedSums", &sent), all);

    let words = |words: &[&str]| {
        let elements: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        ("WORDS", tensor::<String>(&[1, words.len()], elements))
    };
    let weights = |weights: &[f32]| ("weights", tensor::<f32>(&[1, weights.len()], weights));
    let key = |key| ("key", tensor::<i32>(&[1, 1], [key]));
    let rows = |text: &str| Ok(vec![tensor::<String>(&[1, 1], [text.to_owned()])]);
    let responses = infer(
        "RaggedTexts",
        &[
            &[words(&["a", "b"])],
            &[words(&[])],
            &[words(&["c"]), weights(&[2.0, 0.5]), key(1)],
            &[words(&["d", "e", "f"]), weights(&[]), key(2)],
            &[words(&["g"]), weights(&[4.0]), key(1)],
        ],
    );
    let expected = ["a+b 1 7", " 1 7", "c 2.5 1", "d+e+f 0 2", "g 4 1"];
    assert_eq!(responses, expected.map(rows));

    let halves = |length: usize| [("x", tensor::<f16>(&[1, length], vec![f16::ZERO; length]))];
    let responses = infer("RaggedState", &[&halves(3), &halves(0), &halves(2)]);
    let expected = [true, false, false];
    assert_eq!(
        responses,
        expected.map(|longer| Ok(vec![tensor::<bool>(&[1, 1], [longer])]))
    );
}
