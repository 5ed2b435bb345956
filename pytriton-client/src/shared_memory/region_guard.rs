use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use pytriton_protocol::tensor::{BytesElements, DataType, Tensor, element_count};

use crate::config::{ModelConfig, TensorConfig};
use crate::{ClientError, InferOptions};

use super::location::LocationAllocator;
use super::{Location, Pool, Region};

/// Smaller tensors are sent over the network, which is as fast.
const MIN_SHARED_BYTES: usize = 64 << 10;

/// A region that a request uses, and the location of its tensors.
#[derive(Debug)]
pub(crate) struct RegionGuard {
    pool: Arc<Pool>,
    region: Arc<Region>,
    /// The inputs, in the order of the request.
    inputs: Vec<Option<Location>>,
    /// The requested outputs.
    outputs: Vec<(String, Option<Location>)>,
    /// Whether no server is using the region.
    ended: AtomicBool,
}

impl RegionGuard {
    /// Acquires a region for the large inputs of a request, and for the large outputs of a unary
    /// one. Returns `None` if there are no such tensors, or if there is no space.
    pub(crate) async fn new(
        pool: &Arc<Pool>,
        model: &ModelConfig,
        inputs: &[(String, Tensor)],
        options: &InferOptions,
        decoupled: bool,
    ) -> Result<Option<Self>, ClientError> {
        let rows = match (model.is_batching_supported(), inputs.first()) {
            (true, Some((_, tensor))) => tensor.shape().first().copied().unwrap_or_default(),
            _ => 1,
        };
        let mut allocator = LocationAllocator::default();
        let mut location = |bytes: Option<usize>| bytes.and_then(|bytes| allocator.next(bytes));
        let locations = inputs.iter().map(|(_, tensor)| {
            let bytes = tensor.data().len();
            location((bytes >= MIN_SHARED_BYTES).then_some(bytes))
        });
        let locations: Vec<_> = locations.collect();
        let names: Vec<&str> = match options.outputs.as_slice() {
            [] => model.outputs.iter().map(|it| it.name.as_str()).collect(),
            names => names.iter().map(String::as_str).collect(),
        };
        check_shared_outputs(&names, options, decoupled)?;
        let outputs = names.into_iter().map(|name| {
            let output = model.outputs.iter().find(|it| it.name == name);
            let bytes = match decoupled {
                true => None,
                false => output_bytes(output, rows, options),
            };
            (name.to_owned(), location(bytes))
        });
        let outputs: Vec<_> = outputs.collect();
        if allocator.end() == 0 {
            return Ok(None);
        }
        let Some(region) = pool.take(allocator.end()).await? else {
            return Ok(None);
        };
        let guard = Self {
            pool: Arc::clone(pool),
            region,
            inputs: locations,
            outputs,
            ended: AtomicBool::new(true),
        };
        for ((name, tensor), location) in inputs.iter().zip(&guard.inputs) {
            if let Some(location) = location {
                let written = guard.region.write(*location, tensor.data());
                written.map_err(|error| inaccessible(name, &error))?;
            }
        }
        Ok(Some(guard))
    }

    pub(crate) fn region(&self) -> &Region {
        &self.region
    }

    /// Returns the location of an input; `None` if it is sent over the network.
    pub(crate) fn input(&self, index: usize) -> Option<Location> {
        self.inputs.get(index).copied().flatten()
    }

    /// Returns the requested outputs with their locations.
    pub(crate) fn outputs(&self) -> impl Iterator<Item = (&str, Option<Location>)> {
        let outputs = self.outputs.iter();
        outputs.map(|(name, location)| (name.as_str(), *location))
    }

    /// Returns the elements of an output in the region; `None` for another output.
    pub(crate) fn output(
        &self,
        name: &str,
        datatype: DataType,
        shape: &[usize],
    ) -> Result<Option<Tensor>, ClientError> {
        let mut outputs = self.outputs();
        let Some((_, Some(location))) = outputs.find(|(other, _)| *other == name) else {
            return Ok(None);
        };
        let len = match datatype {
            // Each element contains its length.
            DataType::Bytes => Some(location.len),
            _ => bytes_of(datatype, shape.iter().copied()),
        };
        let read = |len| self.region.read(Location { len, ..location });
        let data = len.filter(|len| *len <= location.len).map(read).transpose();
        let data = data.map_err(|error| inaccessible(name, &error))?;
        let data = data.and_then(|data| match datatype {
            DataType::Bytes => texts(&data, shape),
            _ => Some(data),
        });
        let Some(data) = data else {
            return Err(ClientError::protocol(format!(
                "output `{name}` of {datatype} and shape {shape:?} does not fit the {} bytes that were requested for it",
                location.len
            )));
        };
        let tensor = Tensor::new(datatype, shape.to_vec(), data);
        tensor.map(Some).map_err(ClientError::tensor(name))
    }

    /// Records that a server uses the region from now on.
    pub(crate) fn begin(&self) {
        self.ended.store(false, Ordering::Relaxed);
    }

    /// Records that the server no longer uses the region.
    pub(crate) fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }
}

impl Drop for RegionGuard {
    fn drop(&mut self) {
        let ended = self.ended.load(Ordering::Relaxed);
        self.pool.release(Arc::clone(&self.region), ended);
    }
}

/// Returns the space for an output: the size in the request, or the size from the model's
/// configuration if it is large.
fn output_bytes(
    output: Option<&TensorConfig>,
    rows: usize,
    options: &InferOptions,
) -> Option<usize> {
    let output = output?;
    let mut sizes = options.shared_outputs.iter();
    if let Some((_, bytes)) = sizes.find(|(name, _)| *name == output.name) {
        return Some(*bytes);
    }
    let dims = output.dims.iter().map(|dim| usize::try_from(*dim).ok());
    let dims: Option<Vec<usize>> = dims.collect();
    let bytes = bytes_of(output.datatype, dims?.into_iter().chain([rows]))?;
    (bytes >= MIN_SHARED_BYTES).then_some(bytes)
}

/// Returns the size of a tensor; `None` for datatypes of variable length, or if the size overflows.
fn bytes_of(datatype: DataType, dims: impl Iterator<Item = usize>) -> Option<usize> {
    let mut dims = dims;
    dims.try_fold(datatype.size()?, usize::checked_mul)
}

/// Returns the bytes of the `BYTES` elements of a shape at the start of `data`; `None` if they are
/// malformed.
fn texts(data: &Bytes, shape: &[usize]) -> Option<Bytes> {
    let mut elements = BytesElements::new(data);
    for _ in 0..element_count(shape).ok()? {
        elements.next()?.ok()?;
    }
    let end = data.len() - elements.rest().len();
    Some(data.slice(..end))
}

/// Refuses sizes of outputs that cannot use shared memory.
fn check_shared_outputs(
    names: &[&str],
    options: &InferOptions,
    decoupled: bool,
) -> Result<(), ClientError> {
    for (name, _) in &options.shared_outputs {
        let why = match (decoupled, names.contains(&name.as_str())) {
            (true, _) => "a decoupled model would overwrite each response with the next",
            (false, false) => "it is not an output of the model, or was not requested",
            (false, true) => continue,
        };
        return Err(ClientError::inputs(format!(
            "output `{name}` cannot be received through shared memory: {why}"
        )));
    }
    Ok(())
}

fn inaccessible(name: &str, error: &std::io::Error) -> ClientError {
    ClientError::SharedMemory {
        message: format!("cannot write or read tensor `{name}`: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(dims: &[i64], datatype: DataType) -> TensorConfig {
        TensorConfig {
            name: "y".to_owned(),
            datatype,
            dims: dims.to_vec(),
            optional: false,
        }
    }

    #[test]
    fn shared_outputs_need_a_known_size() {
        let table = [
            (&[1000, 10][..], DataType::Fp32, 2, Some(80_000)),
            (&[1000, 10], DataType::Fp32, 1, None),
            (&[-1, 10], DataType::Fp32, 9, None),
            (&[1 << 20], DataType::Bytes, 1, None),
            (&[i64::MAX, 4], DataType::Fp32, 1, None),
        ];
        for (dims, datatype, rows, expected) in table {
            let bytes = output_bytes(Some(&output(dims, datatype)), rows, &InferOptions::new());
            assert_eq!(bytes, expected, "{dims:?}");
        }
        let options = InferOptions::new().shared_output("y", 7);
        let bytes = |datatype| output_bytes(Some(&output(&[-1], datatype)), 1, &options);
        assert_eq!(
            (bytes(DataType::Fp32), bytes(DataType::Bytes)),
            (Some(7), Some(7))
        );
    }

    #[tokio::test]
    async fn large_tensors_use_the_region() {
        let pool = Arc::new(Pool::new(8 << 20));
        let model = ModelConfig {
            name: "m".to_owned(),
            max_batch_size: 0,
            decoupled: false,
            inputs: Vec::new(),
            outputs: vec![output(&[MIN_SHARED_BYTES as i64], DataType::Uint8)],
            from_metadata: false,
            as_json: false,
        };
        let tensor = |len: usize| Tensor::from_elements(vec![len], vec![7_u8; len]).unwrap();
        let inputs = [
            ("a".to_owned(), tensor(3)),
            ("b".to_owned(), tensor(MIN_SHARED_BYTES)),
        ];
        let options = InferOptions::new();
        let guard = RegionGuard::new(&pool, &model, &inputs, &options, false).await;
        let guard = guard.unwrap().unwrap();
        assert_eq!(
            (guard.input(0), guard.input(1).map(|it| it.len)),
            (None, Some(MIN_SHARED_BYTES))
        );
        let (name, location) = guard.outputs().next().unwrap();
        assert_eq!((name, location.unwrap().offset), ("y", MIN_SHARED_BYTES));
        let read = |shape: &[usize]| guard.output("y", DataType::Uint8, shape);
        assert_eq!(read(&[2, 3]).unwrap().unwrap().data().len(), 6);
        assert!(read(&[MIN_SHARED_BYTES + 1]).is_err());
        assert_eq!(guard.output("z", DataType::Uint8, &[1]), Ok(None));
        let texts = |shape: &[usize]| guard.output("y", DataType::Bytes, shape);
        guard
            .region
            .write(location.unwrap(), b"\x02\0\0\0ab\0\0\0\0")
            .unwrap();
        assert_eq!(texts(&[2]).unwrap().unwrap().data().len(), 10);
        assert_eq!(texts(&[1, 1]).unwrap().unwrap().data().len(), 6);
        guard.region.write(location.unwrap(), &[255; 4]).unwrap();
        assert!(texts(&[1]).is_err());
        let many = RegionGuard::new(&pool, &model, &inputs, &options, true).await;
        let outputs = many.unwrap().unwrap();
        assert_eq!(outputs.outputs().next(), Some(("y", None)));
        let x = options.output("x");
        let none = RegionGuard::new(&pool, &model, &inputs[..1], &x, false).await;
        assert!(none.unwrap().is_none());
        for (name, decoupled) in [("y", false), ("x", true)] {
            let options = x.clone().shared_output(name, 9);
            let refused = RegionGuard::new(&pool, &model, &inputs, &options, decoupled).await;
            assert!(matches!(refused, Err(ClientError::Inputs { .. })));
        }
    }
}
