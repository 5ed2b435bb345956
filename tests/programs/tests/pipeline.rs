//! Three models and a function that calls them, with a branch that ensembles cannot express.

use futures_util::future::try_join;
use pytriton::error::CallError;
use pytriton::prelude::*;
use pytriton::{Error, ErrorKind};

/// The number of each word, or 0 for an unknown one.
#[pytriton::model(name = "Tokens", client = Tokens, max_batch_size = 16)]
fn tokens(text: Array2<String>) -> Array2<i64> {
    let known = ["good", "bad", "film"];
    let words = text[[0, 0]].split_whitespace().map(|word| {
        known
            .iter()
            .position(|known| *known == word)
            .map_or(0, |number| number as i64 + 1)
    });
    Array::from_iter(words).insert_axis(Axis(0))
}

#[pytriton::model(name = "Mood", client = Mood, max_batch_size = 16)]
#[batch]
fn mood(tokens: ArrayView2<i64>) -> Array2<f32> {
    let value = |token: &i64| match token {
        1 => 1.0,
        2 => -1.0,
        _ => 0.0,
    };
    tokens.map(value).sum_axis(Axis(1)).insert_axis(Axis(1))
}

#[pytriton::model(name = "Topic", client = Topic, max_batch_size = 16)]
#[batch]
fn topic(tokens: ArrayView2<i64>) -> Array2<bool> {
    let film = tokens.map(|token| *token == 3);
    film.fold_axis(Axis(1), false, |any, film| *any || *film)
        .insert_axis(Axis(1))
}

#[pytriton::model(name = "Review", client = Review, batching = false)]
async fn review(
    text: Array1<String>,
    tokens: &Call<Tokens>,
    mood: &Call<Mood>,
    topic: &Call<Topic>,
) -> Result<Array1<f32>, Error> {
    let text = text[0].clone();
    if text.trim().is_empty() {
        return Err(Error::invalid_argument("the text is empty"));
    }
    let tokens = tokens.call(array![[text]]).await?;
    let (mood, film) = try_join(mood.call(&tokens), topic.call(&tokens)).await?;
    match film[[0, 0]] {
        true => Ok(array![mood[[0, 0]]]),
        false => Err(Error::not_found("the text is not about a film")),
    }
}

#[pytriton::test]
async fn texts_about_films_have_a_mood(review: Call<Review>) -> Result<(), CallError> {
    let text = |text: &str| array![text.to_owned()];
    assert_eq!(review.call(text("good good film")).await?, array![2.0]);
    assert_eq!(review.call(text("bad film")).await?, array![-1.0]);
    for (other, kind) in [
        ("good weather", ErrorKind::NotFound),
        (" ", ErrorKind::InvalidArgument),
    ] {
        assert_eq!(review.call(text(other)).await.unwrap_err().kind(), kind);
    }
    Ok(())
}
