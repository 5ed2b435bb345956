use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use pytriton_protocol::tensor::{BytesElements, DataType, Tensor, element_count};

use crate::config::{ModelConfig, TensorConfig};
use crate::{ClientError, InferOptions};

use super::place::Places;
use super::{Place, Pool, Region};

/// Smaller tensors are sent over the network, which is as fast.
const LARGE: usize = 64 << 10;

/// A region that a request uses, and the location of its tensors.
#[derive(Debug)]
pub(crate) struct Lent {
    pool: Arc<Pool>,
    region: Arc<Region>,
    /// The inputs, in the order of the request.
    inputs: Vec<Option<Place>>,
    /// The requested outputs.
    outputs: Vec<(String, Option<Place>)>,
    /// Whether no server is using the region.
    ended: AtomicBool,
}

impl Lent {
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
        let mut places = Places::default();
        let mut place = |bytes: Option<usize>| bytes.and_then(|bytes| places.next(bytes));
        let placed = inputs.iter().map(|(_, tensor)| {
            let bytes = tensor.data().len();
            place((bytes >= LARGE).then_some(bytes))
        });
        let placed: Vec<_> = placed.collect();
        let names: Vec<&str> = match options.outputs.as_slice() {
            [] => model.outputs.iter().map(|it| it.name.as_str()).collect(),
            names => names.iter().map(String::as_str).collect(),
        };
        said_in_vain(&names, options, decoupled)?;
        let outputs = names.into_iter().map(|name| {
            let output = model.outputs.iter().find(|it| it.name == name);
            let bytes = match decoupled {
                true => None,
                false => output_bytes(output, rows, options),
            };
            (name.to_owned(), place(bytes))
        });
        let outputs: Vec<_> = outputs.collect();
        if places.end() == 0 {
            return Ok(None);
        }
        let Some(region) = pool.take(places.end()).await? else {
            return Ok(None);
        };
        let lent = Self {
            pool: Arc::clone(pool),
            region,
            inputs: placed,
            outputs,
            ended: AtomicBool::new(true),
        };
        for ((name, tensor), place) in inputs.iter().zip(&lent.inputs) {
            if let Some(place) = place {
                let written = lent.region.write(*place, tensor.data());
                written.map_err(|error| inaccessible(name, &error))?;
            }
        }
        Ok(Some(lent))
    }

    pub(crate) fn region(&self) -> &Region {
        &self.region
    }

    /// Returns the location of an input; `None` if it is sent over the network.
    pub(crate) fn input(&self, index: usize) -> Option<Place> {
        self.inputs.get(index).copied().flatten()
    }

    /// Returns the requested outputs with their locations.
    pub(crate) fn outputs(&self) -> impl Iterator<Item = (&str, Option<Place>)> {
        let outputs = self.outputs.iter();
        outputs.map(|(name, place)| (name.as_str(), *place))
    }

    /// Returns the elements of an output in the region; `None` for another output.
    pub(crate) fn output(
        &self,
        name: &str,
        datatype: DataType,
        shape: &[usize],
    ) -> Result<Option<Tensor>, ClientError> {
        let mut outputs = self.outputs();
        let Some((_, Some(place))) = outputs.find(|(other, _)| *other == name) else {
            return Ok(None);
        };
        let len = match datatype {
            // Each element contains its length.
            DataType::Bytes => Some(place.len),
            _ => bytes_of(datatype, shape.iter().copied()),
        };
        let read = |len| self.region.read(Place { len, ..place });
        let data = len.filter(|len| *len <= place.len).map(read).transpose();
        let data = data.map_err(|error| inaccessible(name, &error))?;
        let data = data.and_then(|data| match datatype {
            DataType::Bytes => texts(&data, shape),
            _ => Some(data),
        });
        let Some(data) = data else {
            return Err(ClientError::protocol(format!(
                "output `{name}` of {datatype} and shape {shape:?} cannot be in the {} bytes that it was asked into",
                place.len
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

impl Drop for Lent {
    fn drop(&mut self) {
        let ended = self.ended.load(Ordering::Relaxed);
        self.pool.give(Arc::clone(&self.region), ended);
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
    let mut said = options.shared_outputs.iter();
    if let Some((_, bytes)) = said.find(|(name, _)| *name == output.name) {
        return Some(*bytes);
    }
    let dims = output.dims.iter().map(|dim| usize::try_from(*dim).ok());
    let dims: Option<Vec<usize>> = dims.collect();
    let bytes = bytes_of(output.datatype, dims?.into_iter().chain([rows]))?;
    (bytes >= LARGE).then_some(bytes)
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
fn said_in_vain(
    names: &[&str],
    options: &InferOptions,
    decoupled: bool,
) -> Result<(), ClientError> {
    for (name, _) in &options.shared_outputs {
        let why = match (decoupled, names.contains(&name.as_str())) {
            (true, _) => {
                "a model that answers any number of times would put each in the place of another"
            }
            (false, false) => "it is no output of the model, or not asked for",
            (false, true) => continue,
        };
        return Err(ClientError::inputs(format!(
            "output `{name}` cannot come through shared memory: {why}"
        )));
    }
    Ok(())
}

fn inaccessible(name: &str, error: &std::io::Error) -> ClientError {
    ClientError::SharedMemory {
        message: format!("tensor `{name}` cannot be written or read: {error}"),
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
    fn places_are_for_outputs_whose_size_is_known() {
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
        let told = InferOptions::new().shared_output("y", 7);
        let bytes = |datatype| output_bytes(Some(&output(&[-1], datatype)), 1, &told);
        assert_eq!(
            (bytes(DataType::Fp32), bytes(DataType::Bytes)),
            (Some(7), Some(7))
        );
    }

    #[tokio::test]
    async fn what_is_large_is_in_the_region() {
        let pool = Arc::new(Pool::new(8 << 20));
        let model = ModelConfig {
            name: "m".to_owned(),
            max_batch_size: 0,
            decoupled: false,
            inputs: Vec::new(),
            outputs: vec![output(&[LARGE as i64], DataType::Uint8)],
            from_metadata: false,
            as_json: false,
        };
        let tensor = |len: usize| Tensor::from_elements(vec![len], vec![7_u8; len]).unwrap();
        let inputs = [("a".to_owned(), tensor(3)), ("b".to_owned(), tensor(LARGE))];
        let options = InferOptions::new();
        let lent = Lent::new(&pool, &model, &inputs, &options, false).await;
        let lent = lent.unwrap().unwrap();
        assert_eq!(
            (lent.input(0), lent.input(1).map(|it| it.len)),
            (None, Some(LARGE))
        );
        let (name, place) = lent.outputs().next().unwrap();
        assert_eq!((name, place.unwrap().offset), ("y", LARGE));
        let read = |shape: &[usize]| lent.output("y", DataType::Uint8, shape);
        assert_eq!(read(&[2, 3]).unwrap().unwrap().data().len(), 6);
        assert!(read(&[LARGE + 1]).is_err());
        assert_eq!(lent.output("z", DataType::Uint8, &[1]), Ok(None));
        let texts = |shape: &[usize]| lent.output("y", DataType::Bytes, shape);
        lent.region
            .write(place.unwrap(), b"\x02\0\0\0ab\0\0\0\0")
            .unwrap();
        assert_eq!(texts(&[2]).unwrap().unwrap().data().len(), 10);
        assert_eq!(texts(&[1, 1]).unwrap().unwrap().data().len(), 6);
        lent.region.write(place.unwrap(), &[255; 4]).unwrap();
        assert!(texts(&[1]).is_err());
        let many = Lent::new(&pool, &model, &inputs, &options, true).await;
        let outputs = many.unwrap().unwrap();
        assert_eq!(outputs.outputs().next(), Some(("y", None)));
        let x = options.output("x");
        let none = Lent::new(&pool, &model, &inputs[..1], &x, false).await;
        assert!(none.unwrap().is_none());
        for (name, decoupled) in [("y", false), ("x", true)] {
            let options = x.clone().shared_output(name, 9);
            let refused = Lent::new(&pool, &model, &inputs, &options, decoupled).await;
            assert!(matches!(refused, Err(ClientError::Inputs { .. })));
        }
    }
}
