use pytriton::prelude::*;

/// A table of vectors. Each of the two instances loads its own copy and runs on its own thread.
struct Embedding {
    table: Array2<f32>,
}

#[pytriton::model(name = "Embedding", max_batch_size = 32, instances = 2)]
impl Embedding {
    #[load]
    fn load(context: &Context) -> Self {
        tracing::info!(parent: context.logger(), "loading the table");
        let table = Array::from_shape_fn((1000, 8), |(id, column)| (id * 8 + column) as f32);
        Self { table }
    }

    #[infer]
    #[batch]
    fn infer(&self, ids: ArrayView2<i64>) -> Result<Array3<f32>, String> {
        let (rows, columns) = ids.dim();
        let mut vectors = Array3::zeros((rows, columns, 8));
        for ((row, column), &id) in ids.indexed_iter() {
            let found = usize::try_from(id)
                .ok()
                .filter(|&id| id < self.table.nrows());
            let id = found.ok_or_else(|| format!("there is no vector of id {id}"))?;
            vectors
                .slice_mut(s![row, column, ..])
                .assign(&self.table.row(id));
        }
        Ok(vectors)
    }
}

pytriton::main!();
