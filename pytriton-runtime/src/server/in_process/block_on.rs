use crate::server::{ServerError, Triton};

impl Triton {
    /// Blocks this thread on a future in the runtime of the embedded engine, whose timers and tasks
    /// the future may use. If the models are not served yet, loads them and opens no port.
    ///
    /// # Errors
    ///
    /// As [`router`](Self::router).
    ///
    /// # Panics
    ///
    /// Panics in `async` code, whose thread must not block.
    pub fn block_on<F: Future>(&self, future: F) -> Result<F::Output, ServerError> {
        let (_, workers) = self.loaded("a call to `block_on`")?;
        Ok(workers.block_on(future))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::sleep;

    use crate::engine::EngineChoice;
    use crate::registry::Registry;
    use crate::server::Options;
    use crate::testing::IDENTITY;

    use super::*;

    #[test]
    fn future_uses_the_timers_of_the_engine() {
        let mut options = Options::parse::<&str>([]).unwrap();
        options.triton.engine = EngineChoice::Embedded;
        let triton = Triton::with(options, Registry::new(&[&IDENTITY]).unwrap());
        let value = triton.block_on(async {
            sleep(Duration::from_millis(1)).await;
            7
        });
        assert_eq!(value.unwrap(), 7);
    }
}
