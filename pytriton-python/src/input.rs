use bytes::Bytes;
use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pytriton_runtime::half::bf16;
use pytriton_runtime::model::TensorSpec;
use pytriton_runtime::request::InferInput;
use pytriton_runtime::tensor::{DataType, Element};

use crate::borrow_scope::BorrowToken;
use crate::borrowed_buffer::borrow_bytes;
use crate::datatype::{datatype, typestr};
use crate::validation_error::ValidationError;

/// Converts one input of a request.
pub(crate) fn input(
    name: String,
    declared: Option<&TensorSpec>,
    array: &Bound<'_, PyUntypedArray>,
    token: Option<&BorrowToken>,
) -> PyResult<InferInput> {
    let Some(datatype) = datatype(&array.dtype()) else {
        let dtype = array.dtype().to_string();
        return Err(ValidationError::Elements { input: name, dtype }.into());
    };
    // Same as NVIDIA's client: numpy has no such type.
    let rounds = declared.is_some_and(|input| input.datatype == DataType::Bf16);
    let (datatype, data) = match datatype {
        DataType::Bytes => (datatype, texts(&name, array)?),
        DataType::Fp32 if rounds => (DataType::Bf16, rounded(&elements(array, None)?)?),
        // Not every byte is a valid boolean, so the bytes that were validated must also be the ones
        // that are read.
        DataType::Bool => (datatype, elements(array, None)?),
        _ => (datatype, elements(array, token)?),
    };
    let shape = array.shape().iter();
    let shape = shape.map(|&dim| i64::try_from(dim).unwrap_or(i64::MAX));
    Ok(InferInput {
        name,
        datatype,
        shape: shape.collect(),
        data,
    })
}

/// Converts a value that is not an array to the input's datatype if it fits, otherwise to numpy's
/// choice.
pub(crate) fn plain<'py>(
    value: &Bound<'py, PyAny>,
    name: &str,
    declared: Option<&TensorSpec>,
) -> PyResult<Bound<'py, PyUntypedArray>> {
    let py = value.py();
    let numpy = py.import(intern!(py, "numpy"))?;
    let asarray = numpy.getattr(intern!(py, "asarray"))?;
    let Some(datatype) = declared.map(|input| input.datatype) else {
        return Ok(asarray.call1((value,))?.cast_into()?);
    };
    let wanted = typestr(datatype);
    if datatype == DataType::Bytes {
        return Ok(asarray.call1((value, wanted))?.cast_into()?);
    }
    let found: Bound<'_, PyUntypedArray> = asarray.call1((value,))?.cast_into()?;
    let integers =
        is_integer(crate::datatype::datatype(&found.dtype())) && is_integer(Some(datatype));
    let fits = || numpy.call_method1("can_cast", (found.dtype(), wanted, "same_kind"));
    if !integers {
        return match fits()?.is_truthy()? {
            true => Ok(asarray.call1((value, wanted))?.cast_into()?),
            false => Ok(found),
        };
    }
    let too_large = || {
        PyErr::from(ValidationError::Number {
            input: name.to_owned(),
            value: value.to_string(),
            datatype: datatype.name(),
        })
    };
    let array = match asarray.call1((value, wanted)) {
        Err(error) if error.is_instance_of::<PyOverflowError>(py) => return Err(too_large()),
        array => array?,
    };
    // Older numpy versions and numpy integers keep the low bits.
    match numpy
        .call_method1("array_equal", (&array, found))?
        .is_truthy()?
    {
        true => Ok(array.cast_into()?),
        false => Err(too_large()),
    }
}

fn is_integer(datatype: Option<DataType>) -> bool {
    matches!(
        datatype,
        Some(
            DataType::Uint8
                | DataType::Uint16
                | DataType::Uint32
                | DataType::Uint64
                | DataType::Int8
                | DataType::Int16
                | DataType::Int32
                | DataType::Int64
        )
    )
}

/// Returns the bytes of the elements: borrowed if they are contiguous in native order, otherwise
/// copied.
fn elements(array: &Bound<'_, PyUntypedArray>, token: Option<&BorrowToken>) -> PyResult<Bytes> {
    let py = array.py();
    let little = array
        .dtype()
        .call_method1(intern!(py, "newbyteorder"), ("<",))?;
    let numpy = py.import(intern!(py, "numpy"))?;
    let array = numpy.call_method1(intern!(py, "ascontiguousarray"), (array, little))?;
    let flat = array.call_method1(intern!(py, "reshape"), (-1,))?;
    let bytes = flat.call_method1(intern!(py, "view"), (intern!(py, "uint8"),))?;
    borrow_bytes(bytes.cast()?, token)
}

fn rounded(singles: &Bytes) -> PyResult<Bytes> {
    let singles = f32::decode(singles).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let halves = singles.iter().map(|single| bf16::from_f32(*single));
    bf16::encode(halves.collect()).map_err(|error| PyValueError::new_err(error.to_string()))
}

fn texts(name: &str, array: &Bound<'_, PyUntypedArray>) -> PyResult<Bytes> {
    let elements = array.call_method0("ravel")?.call_method0("tolist")?;
    let mut texts: Vec<Vec<u8>> = Vec::new();
    for (index, element) in elements.try_iter()?.enumerate() {
        let element = element?;
        if let Ok(text) = element.extract::<&str>() {
            texts.push(text.as_bytes().to_vec());
        } else if let Ok(bytes) = element.extract::<&[u8]>() {
            texts.push(bytes.to_vec());
        } else {
            return Err(ValidationError::Text {
                input: name.to_owned(),
                index,
                found: element.get_type().name()?.to_string(),
            }
            .into());
        }
    }
    Vec::<u8>::encode(texts).map_err(|error| PyValueError::new_err(error.to_string()))
}
