use std::str::FromStr;

use crate::model::ModelSpec;
use crate::request::{InferInput, InferRequest};
use crate::tensor::{DataType, Element};

/// Inputs, and dimensions of one, as most requests have them: more are counted elsewhere.
const MOST: usize = 64;

/// Reads a request of the form in which most come: an id and inputs of numbers without nesting, and nothing else.
///
/// `None` where it is of any other form, or has a mistake: the way for all requests finds out, and says what is wrong.
pub(super) fn quick(json: &[u8], model: &ModelSpec, max_depth: usize) -> Option<InferRequest> {
    let mut json = Cursor(std::str::from_utf8(json).ok()?);
    let mut request = InferRequest::default();
    let (mut id, mut inputs) = (None, None);
    json.members(|json, member| match member {
        "id" => put(&mut id, json.text()?),
        "inputs" => put(&mut inputs, json.inputs(model)?),
        _ => None,
    })?;
    json.blanks();
    if !json.0.is_empty() || max_depth == 0 {
        return None;
    }
    request.inputs = inputs?;
    id.unwrap_or_default().clone_into(&mut request.id);
    Some(request)
}

/// Fills what no member has filled before.
fn put<T>(place: &mut Option<T>, value: T) -> Option<()> {
    place.replace(value).is_none().then_some(())
}

/// What is left of a JSON text.
struct Cursor<'a>(&'a str);

impl<'a> Cursor<'a> {
    fn blanks(&mut self) {
        let blank = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        let count = self.0.as_bytes().iter().take_while(blank).count();
        self.0 = &self.0[count..];
    }

    /// Steps over a byte, and says whether it is there.
    fn is(&mut self, byte: u8) -> bool {
        self.blanks();
        let is = self.first() == Some(byte);
        if is {
            self.0 = &self.0[1..];
        }
        is
    }

    fn first(&self) -> Option<u8> {
        self.0.as_bytes().first().copied()
    }

    fn eat(&mut self, byte: u8) -> Option<()> {
        self.is(byte).then_some(())
    }

    /// A string of ASCII in which nothing is escaped.
    fn text(&mut self) -> Option<&'a str> {
        self.eat(b'"')?;
        let plain = |byte: &u8| matches!(byte, b' ' | b'!' | b'#'..=b'[' | b']'..=b'~');
        let end = self.0.bytes().position(|byte| !plain(&byte))?;
        let (text, rest) = self.0.split_at(end);
        self.0 = rest.strip_prefix('"')?;
        Some(text)
    }

    /// A number as JSON writes it.
    fn number(&mut self) -> Option<&'a str> {
        self.blanks();
        let all = self.0;
        self.sign(b"-");
        match self.first() {
            Some(b'0') => self.0 = &self.0[1..],
            _ => self.digits()?,
        }
        if self.sign(b".") {
            self.digits()?;
        }
        if self.sign(b"eE") {
            self.sign(b"+-");
            self.digits()?;
        }
        Some(&all[..all.len() - self.0.len()])
    }

    /// Steps over one of these bytes, and says whether one is there.
    fn sign(&mut self, signs: &[u8]) -> bool {
        let is = self.first().is_some_and(|first| signs.contains(&first));
        if is {
            self.0 = &self.0[1..];
        }
        is
    }

    fn digits(&mut self) -> Option<()> {
        let digits = self.0.bytes().take_while(u8::is_ascii_digit);
        let count = digits.count();
        self.0 = &self.0[count..];
        (count > 0).then_some(())
    }

    fn members(&mut self, mut member: impl FnMut(&mut Self, &'a str) -> Option<()>) -> Option<()> {
        self.eat(b'{')?;
        loop {
            let name = self.text()?;
            self.eat(b':')?;
            member(self, name)?;
            if !self.is(b',') {
                return self.eat(b'}');
            }
        }
    }

    fn items(&mut self, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.eat(b'[')?;
        loop {
            item(self)?;
            if !self.is(b',') {
                return self.eat(b']');
            }
        }
    }

    fn inputs(&mut self, model: &ModelSpec) -> Option<Vec<InferInput>> {
        let mut inputs = Vec::with_capacity(model.inputs.len());
        self.items(|json| {
            inputs.push(json.input(model)?);
            (inputs.len() <= MOST).then_some(())
        })?;
        Some(inputs)
    }

    fn input(&mut self, model: &ModelSpec) -> Option<InferInput> {
        let (mut name, mut datatype, mut shape, mut data) = (None, None, None, None);
        self.members(|json, member| match member {
            "name" => put(&mut name, json.text()?),
            "datatype" => put(&mut datatype, json.text()?.parse().ok()?),
            "shape" => put(&mut shape, json.shape()?),
            // Of elements that come before their type nothing is known.
            "data" => put(&mut data, json.data(datatype?, shape.as_deref()?)?),
            _ => None,
        })?;
        let shape = shape?;
        // Such a batch is refused whatever its data.
        let empty = model.batching() && matches!(shape[..], [] | [0, ..]);
        (!empty).then_some(InferInput {
            name: name?.to_owned(),
            datatype: datatype?,
            shape,
            data: data?,
        })
    }

    fn shape(&mut self) -> Option<Vec<i64>> {
        let mut shape = Vec::with_capacity(4);
        self.items(|json| {
            shape.push(json.number()?.parse().ok()?);
            (shape.len() <= MOST).then_some(())
        })?;
        Some(shape)
    }

    fn data(&mut self, datatype: DataType, shape: &[i64]) -> Option<bytes::Bytes> {
        let mut count = 1_usize;
        for dim in shape {
            count = count.checked_mul(usize::try_from(*dim).ok()?)?;
        }
        match datatype {
            DataType::Fp32 => self.elements(count, |text| float::<f32>(text, f32::is_finite)),
            DataType::Fp64 => self.elements(count, |text| float::<f64>(text, f64::is_finite)),
            DataType::Int32 => self.elements(count, |text| text.parse::<i32>().ok()),
            DataType::Int64 => self.elements(count, |text| text.parse::<i64>().ok()),
            _ => None,
        }
    }

    fn elements<T: Element>(
        &mut self,
        count: usize,
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<bytes::Bytes> {
        // An element takes two bytes of text at least, so that a shape alone claims no memory.
        let mut elements = Vec::with_capacity(count.min(self.0.len() / 2 + 1));
        self.items(|json| {
            elements.push(read(json.number()?)?);
            Some(())
        })?;
        (elements.len() == count).then_some(())?;
        T::encode(elements).ok()
    }
}

fn float<T: FromStr + Copy>(text: &str, finite: impl Fn(T) -> bool) -> Option<T> {
    text.parse().ok().filter(|value| finite(*value))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::kserve::decode_request;
    use crate::kserve::request::whole;
    use crate::testing::IDENTITY;

    use super::*;

    const USUAL: [&str; 6] = [
        r#"{"inputs":[{"name":"INPUT_1","datatype":"FP32","shape":[1,4],"data":[1.0,2.5e-3,-0,4]}]}"#,
        r#" { "id" : "a b", "inputs" : [ { "name" : "x" , "shape" : [ 2 , 1 ], "datatype":"INT64", "data":[ -7 , 0 ] } ] } "#,
        r#"{"inputs":[{"name":"a","shape":[1],"datatype":"FP64","data":[1E+5]},{"name":"b","shape":[1],"datatype":"INT32","data":[7]}],"id":""}"#,
        r#"{"inputs":[{"name":"a","shape":[1,2],"datatype":"FP32","data":[[1,2]]}],"outputs":[{"name":"o"}]}"#,
        r#"{"inputs":[{"name":"a","shape":[1,1],"datatype":"BYTES","data":["x"]}],"parameters":{"p":1}}"#,
        r#"{"inputs":[{"name":"a","shape":[0,1],"datatype":"FP32","data":[1]}]}"#,
    ];

    fn check(text: &[u8]) -> bool {
        let spec = IDENTITY.spec().unwrap();
        let Some(quick) = quick(text, &spec, 100) else {
            return false;
        };
        let (request, _) = whole(text, bytes::Bytes::new(), &spec, 100).unwrap();
        assert_eq!((quick.id, quick.inputs), (request.id, request.inputs));
        assert!(quick.outputs.is_empty() && request.outputs.is_empty());
        assert!(request.parameters.is_empty());
        true
    }

    #[test]
    fn long_texts_are_read_too() {
        let spec = IDENTITY.spec().unwrap();
        let numbers = vec!["-1.5e-3"; 10_000].join(", ");
        for end in [
            "]}]}",
            " ] } ] }\n",
            r#"]}],"id":"7"}"#,
            r#"]}],"outputs":[]}"#,
        ] {
            let text = format!(
                r#"{{"inputs":[{{"name":"x","datatype":"FP32","shape":[1,10000],"data":[{numbers}{end}"#
            );
            let body = bytes::Bytes::from(text);
            let (request, _) = decode_request(&body, body.len(), &spec, 100).unwrap();
            assert_eq!(request.inputs[0].data.len(), 40_000, "{end}");
        }
    }

    #[test]
    fn the_usual_is_read_as_all_else_is() {
        let read = USUAL.map(|text| check(text.as_bytes()));
        assert_eq!(read, [true, true, true, false, false, false]);
    }

    proptest! {
        #[test]
        fn what_is_read_is_what_the_long_way_reads(
            which in 0..USUAL.len(),
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4_u8), 0..4),
        ) {
            const LIKELY: &[u8] = b"0123456789.eE+-,:[]{}\" \\aninf_";
            let mut text = USUAL[which].as_bytes().to_vec();
            for (index, byte, kind) in changes {
                let at = index.index(text.len());
                let likely = LIKELY[usize::from(byte) % LIKELY.len()];
                match kind {
                    0 => text[at] = byte,
                    1 => text[at] = likely,
                    2 => text.insert(at, likely),
                    _ => drop(text.remove(at)),
                }
            }
            check(&text);
        }
    }
}
