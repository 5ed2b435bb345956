//! Replaces the runtime in a program without one.

use std::path::Path;

use pytriton_protocol::signature::onnx::Graph;
use pytriton_protocol::tensor::Tensor;

use crate::{Error, Input};

#[derive(Debug)]
pub(crate) enum Plan {}

impl Plan {
    pub(crate) fn load(_: &Graph, _: &[u8], _: Option<&Path>) -> Result<Self, Error> {
        Err(Error::NoRuntime)
    }

    pub(crate) fn set_batch(&mut self) -> Result<(), Error> {
        match *self {}
    }

    pub(crate) fn run(&self, _: &[Input<'_>]) -> Result<Vec<Tensor>, Error> {
        match *self {}
    }
}
