use std::convert::Infallible;

use ndarray::{Array1, Ix1};

use super::*;

/// A number of one digit.
#[derive(Debug, Clone, PartialEq)]
struct Digit(u8);

impl BytesElement for Digit {
    fn decode(element: Bytes) -> Result<Self, ElementError> {
        assert_ne!(&element[..], b"!", "an exclamation mark");
        let number: u8 = std::str::from_utf8(&element)?.parse()?;
        Ok(Self(number))
    }

    fn encode(&self) -> Result<Bytes, ElementError> {
        match self.0 {
            digit @ 0..10 => Ok(digit.to_string().into()),
            13 => panic!("thirteen"),
            255 => Err("ü".repeat(MAX_TEXT_BYTES).into()),
            number => Err(format!("{number} has several digits").into()),
        }
    }

    fn decoded_bytes(element: &[u8]) -> usize {
        assert_ne!(element, b"no size");
        element.len()
    }
}

fn texts(texts: &[&str]) -> Bytes {
    String::encode(texts.iter().map(|&text| text.to_owned()).collect()).unwrap()
}

fn digits(digits: &[u8]) -> Vec<Digit> {
    digits.iter().map(|&digit| Digit(digit)).collect()
}

#[test]
fn elements_are_slices_of_their_tensor() {
    let data = texts(&["ab", "", "c"]);
    let elements = <Bytes as Element>::decode(&data).unwrap();
    assert_eq!(*elements, ["ab", "", "c"]);
    assert_eq!(elements[0].as_ptr(), data[4..].as_ptr());
    assert_eq!(
        <Bytes as Element>::decoded_bytes(&data),
        Some(3 * size_of::<Bytes>())
    );
    let encoded = <Bytes as Element>::encode(elements.into_owned());
    assert_eq!(encoded, Ok(data));
}

#[test]
fn invalid_element_is_reported_with_its_index() {
    let decode = |given: &[&str]| {
        let mut error = <Digit as Element>::decode(&texts(given)).unwrap_err();
        (error.element_mut().copied(), error.to_string())
    };
    let message = "element 1 cannot be decoded: invalid digit found in string";
    assert_eq!(decode(&["1", "x"]), (Some(1), message.to_owned()));
    let (index, message) = decode(&["!"]);
    assert_eq!(index, Some(0));
    assert!(message.contains("the decoder panicked"), "{message}");
    assert!(message.contains("an exclamation mark"), "{message}");
}

#[test]
fn panic_about_the_size_is_left_to_the_decoder() {
    let data = texts(&["1", "no size", "22"]);
    let expected = 3 * size_of::<Digit>() + 1 + "no size".len() + 2;
    assert_eq!(<Digit as Element>::decoded_bytes(&data), Some(expected));
    let error = <Digit as Element>::decode(&data).unwrap_err().to_string();
    assert!(error.starts_with("element 1 cannot be decoded"), "{error}");
}

#[test]
fn check_stops_at_the_first_element_that_is_invalid_or_too_large() {
    let check = <Digit as Element>::CHECK.unwrap();
    let own = size_of::<Digit>();
    // The elements, the available memory, whether they are valid, and the sizes.
    let table: [(&[&str], usize, bool, &[usize]); 6] = [
        (&[], 0, true, &[]),
        (&["1", "22"], 100, true, &[1, 2]),
        (&["1", "x", "2"], 100, false, &[1, 1]),
        (&["1", "!", "2"], 100, false, &[1, 1]),
        (&["1", "no size", "2"], 100, false, &[1, 7]),
        (&["1", "022", "2"], own + 2, false, &[1, 3]),
    ];
    for (elements, available, expected, lengths) in table {
        let mut sizes = Vec::new();
        let valid = check(&texts(elements), &mut |bytes| {
            sizes.push(bytes - own);
            bytes <= available
        });
        assert_eq!((valid, &*sizes), (expected, lengths), "{elements:?}");
    }
    assert!(!check(
        &Bytes::from_static(&[9, 0, 0, 0, b'1']),
        &mut |_| true
    ));
}

fn encode(given: &[Digit], row_elements: usize, errors: &mut Vec<TensorError>) -> Bytes {
    let array = Array1::from_vec(given.to_vec());
    let Ok(data) = Digit::encode_lossy(array, row_elements, errors, |_| Ok::<_, Infallible>(()));
    data
}

#[test]
fn encoding_reserves_buffers_before_they_are_allocated() {
    /// An element that states this size, or none.
    #[derive(Debug, Clone)]
    struct Stated(Option<usize>);

    impl BytesElement for Stated {
        fn decode(_: Bytes) -> Result<Self, ElementError> {
            Ok(Self(None))
        }

        fn encode(&self) -> Result<Bytes, ElementError> {
            Ok(Bytes::from_static(&[7; 12]))
        }

        fn encoded_bytes(&self) -> Option<usize> {
            self.0
        }
    }

    // The sizes that the elements state, and the total sizes that are reserved in order.
    let table: [(&[Option<usize>], &[usize]); 7] = [
        (&[], &[0]),
        (&[None], &[0, 16, 16]),
        (&[Some(12); 3], &[48]),
        (&[None; 4], &[0, 16, 16, 48, 32, 96, 64]),
        // The unused part is returned.
        (&[None; 5], &[0, 16, 16, 48, 32, 96, 64, 192, 128, 80]),
        (&[Some(12), None], &[16, 48, 32]),
        (&[Some(4); 3], &[24, 24 + 48, 48]),
    ];
    for (stated, expected) in table {
        let array = || stated.iter().map(|&stated| Stated(stated)).collect();
        let mut sizes = Vec::new();
        let encoded =
            Stated::encode_lossy::<Ix1, Infallible>(array(), 1, &mut Vec::new(), |bytes| {
                sizes.push(bytes);
                Ok(())
            });
        assert_eq!(encoded.map(|data| data.len()), Ok(16 * stated.len()));
        assert_eq!(sizes, expected, "{stated:?}");
        let limited = |limit| {
            let reserve = |bytes| match bytes <= limit {
                true => Ok(()),
                false => Err(bytes),
            };
            let encoded = Stated::encode_lossy(array(), 1, &mut Vec::new(), reserve);
            encoded.map(|data| data.len())
        };
        let most = *expected.iter().max().unwrap();
        assert_eq!(limited(most), Ok(16 * stated.len()));
    }
    // Less than twice the size is enough if no more is available.
    let encoded = |count, limit| {
        let array = Array1::from_elem(count, Stated(None));
        let reserve = |bytes| match bytes <= limit {
            true => Ok(()),
            false => Err(bytes),
        };
        let encoded = Stated::encode_lossy(array, 1, &mut Vec::new(), reserve);
        encoded.map(|data| data.len())
    };
    assert_eq!(encoded(5, 191), Ok(80));
    assert_eq!(encoded(5, 64 + 80), Ok(80));
    assert_eq!(encoded(5, 64 + 80 - 1), Err(64 + 80));
    assert_eq!(encoded(1, 15), Err(16));
}

#[test]
fn elements_that_cannot_be_encoded_are_empty() {
    let given = digits(&[1, 10, 2, 13]);
    let mut errors = Vec::new();
    let data = encode(&given, 1, &mut errors);
    assert_eq!(data, texts(&["1", "", "2", ""]));
    let messages = errors.iter().map(ToString::to_string);
    assert_eq!(
        messages.collect::<Vec<_>>(),
        [
            "element 1 cannot be encoded: 10 has several digits",
            "element 3 cannot be encoded: the encoder panicked: thirteen",
        ]
    );
    let first = <Digit as Element>::encode(given);
    assert_eq!(first, Err(errors.swap_remove(0)));
}

#[test]
fn each_row_keeps_one_error_of_limited_size() {
    let given = digits(&[10, 11, 1, 255, 255, 1, 2, 12]);
    // The elements of a row, and those with errors.
    let table: [(usize, &[usize]); 5] = [
        (0, &[0, 1, 3, 4, 7]),
        (1, &[0, 1, 3, 4, 7]),
        (2, &[0, 3, 4, 7]),
        (4, &[0, 4]),
        (usize::MAX, &[0]),
    ];
    for (row_elements, expected) in table {
        let mut errors = Vec::new();
        let data = encode(&given, row_elements, &mut errors);
        assert_eq!(data, texts(&["", "", "1", "", "", "1", "2", ""]));
        let indexes = errors.iter_mut().map(|error| *error.element_mut().unwrap());
        assert_eq!(indexes.collect::<Vec<_>>(), expected, "{row_elements}");
        for error in errors {
            let length = error.to_string().len();
            assert!(length < MAX_TEXT_BYTES + 64, "{row_elements} {length}");
        }
    }
}
