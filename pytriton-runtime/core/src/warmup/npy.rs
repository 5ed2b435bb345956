use crate::tensor::DataType;

/// An array in NumPy's file format.
///
/// Source: `numpy.lib.format`, versions 1 to 3.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Npy<'a> {
    pub(super) datatype: DataType,
    /// The size of an element in the file, in bytes.
    pub(super) size: usize,
    pub(super) shape: Vec<usize>,
    pub(super) data: &'a [u8],
}

impl<'a> Npy<'a> {
    /// Parses the bytes of a file.
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, String> {
        let (header, data) = split(bytes).ok_or("it is not a .npy file")?;
        let header = str::from_utf8(header).map_err(|error| error.to_string())?;
        let member = |name| value(header, name).ok_or(format!("its header has no `{name}`"));
        let descr = member("descr")?;
        let descr = descr.trim_matches('\'');
        let (datatype, size) = element(descr)
            .ok_or_else(|| format!("numpy's element type `{descr}` is not supported"))?;
        if member("fortran_order")? != "False" {
            return Err(
                "it is in column-major order: convert it with `numpy.ascontiguousarray`".to_owned(),
            );
        }
        let shape = member("shape")?;
        let dims = shape.trim_matches(['(', ')']).split(',').map(str::trim);
        let dims = dims.filter(|dim| !dim.is_empty()).map(str::parse::<usize>);
        let shape: Vec<usize> = dims
            .collect::<Result<_, _>>()
            .map_err(|_| format!("its shape {shape} is invalid"))?;
        let count = shape
            .iter()
            .try_fold(size, |bytes, &dim| bytes.checked_mul(dim));
        if count != Some(data.len()) {
            return Err(format!(
                "{} bytes do not match an array of shape {shape:?}",
                data.len()
            ));
        }
        Ok(Self {
            datatype,
            size,
            shape,
            data,
        })
    }
}

/// Splits the file into the header and the elements.
fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (version, rest) = bytes.strip_prefix(b"\x93NUMPY")?.split_first_chunk::<2>()?;
    let (length, rest) = match version[0] {
        1 => {
            let (length, rest) = rest.split_first_chunk()?;
            (usize::from(u16::from_le_bytes(*length)), rest)
        }
        2 | 3 => {
            let (length, rest) = rest.split_first_chunk()?;
            (usize::try_from(u32::from_le_bytes(*length)).ok()?, rest)
        }
        _ => return None,
    };
    rest.split_at_checked(length)
}

/// Returns a member of the header, which is a Python literal: `{'descr': '<f4', 'fortran_order':
/// False, 'shape': (3, 4), }`.
fn value<'a>(header: &'a str, name: &str) -> Option<&'a str> {
    let (_, value) = header.split_once(&format!("'{name}':"))?;
    let value = value.trim_start();
    let end = match value.starts_with('(') {
        true => value.find(')')? + 1,
        false => value.find(',')?,
    };
    value.get(..end)
}

/// Returns the datatype of the elements, and their size.
fn element(descr: &str) -> Option<(DataType, usize)> {
    let datatype = match descr {
        "|b1" => DataType::Bool,
        "|u1" => DataType::Uint8,
        "<u2" => DataType::Uint16,
        "<u4" => DataType::Uint32,
        "<u8" => DataType::Uint64,
        "|i1" => DataType::Int8,
        "<i2" => DataType::Int16,
        "<i4" => DataType::Int32,
        "<i8" => DataType::Int64,
        "<f2" => DataType::Fp16,
        "<f4" => DataType::Fp32,
        "<f8" => DataType::Fp64,
        texts => {
            let size = texts.strip_prefix("|S")?.parse().ok()?;
            return Some((DataType::Bytes, size));
        }
    };
    Some((datatype, datatype.size()?))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::warmup) fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let length = u16::try_from(header.len()).unwrap().to_le_bytes();
        [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), data].concat()
    }

    #[test]
    fn npy_files_are_read() {
        let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }   \n";
        let bytes = file(header, &[0; 8]);
        let expected = Npy {
            datatype: DataType::Fp32,
            size: 4,
            shape: vec![2, 1],
            data: &[0; 8],
        };
        assert_eq!(Npy::read(&bytes), Ok(expected));
        let one = "{'descr': '|S3', 'fortran_order': False, 'shape': (2,), }\n";
        let bytes = file(one, b"a\0\0bcd");
        let texts = Npy::read(&bytes).unwrap();
        assert_eq!(
            (texts.datatype, texts.size, texts.shape),
            (DataType::Bytes, 3, vec![2])
        );
    }

    #[test]
    fn invalid_files_are_refused() {
        let table = [
            (b"PK".to_vec(), "it is not a .npy file"),
            (
                file(
                    "{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }",
                    &[0; 8],
                ),
                "numpy's element type `<c8` is not supported",
            ),
            (
                file(
                    "{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1), }",
                    &[0; 4],
                ),
                "it is in column-major order: convert it with `numpy.ascontiguousarray`",
            ),
            (
                file(
                    "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }",
                    &[0; 8],
                ),
                "8 bytes do not match an array of shape [3]",
            ),
            (
                file("{'descr': '<f4', }", &[]),
                "its header has no `fortran_order`",
            ),
        ];
        for (bytes, expected) in table {
            assert_eq!(Npy::read(&bytes), Err(expected.to_owned()));
        }
    }
}
