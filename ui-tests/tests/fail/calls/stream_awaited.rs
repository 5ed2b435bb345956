use pytriton::prelude::*;
use pytriton::Error;

#[pytriton::model(name = "Count", client = Count)]
#[batch]
fn count(to: ArrayView2<i32>) -> impl Iterator<Item = Array2<i32>> {
    let to = to.to_owned();
    (0..3).map(move |step| &to - step)
}

#[pytriton::model(name = "Caller")]
#[batch]
async fn caller(x: ArrayView2<'_, i32>, count: &Call<Count>) -> Result<Array2<i32>, Error> {
    Ok(count.call(x).await?)
}

fn main() {}
//~ 14:     count.call(x).next().await.map_or_else(|| Ok(x.to_owned()), |first| Ok(first?))
