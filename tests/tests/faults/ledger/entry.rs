use std::sync::atomic::{AtomicI64, Ordering};

use serde_json::{Value, json};

use super::Model;
use crate::http::Answer;
use crate::region::Region;

/// The maximum length of a response in messages.
const SHOWN: usize = 500;

/// Texts that only errors of specific requests contain.
const OWN: [&str; 2] = ["OUTPUT_", "is below zero"];

/// A request.
#[derive(Debug)]
pub(crate) struct Entry<'a> {
    /// The called model.
    model: Model,
    /// Its elements, which are unique.
    x: Vec<i64>,
    /// The number of elements per row.
    columns: usize,
    /// The requested outputs, numbered from 1; empty for all.
    outputs: Vec<usize>,
    /// The output in a region, and whether it fits.
    region: Option<(usize, &'a Region)>,
}

/// The result of the comparison of a response.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The expected response.
    Right,
    /// An unexpected error.
    Failed(String),
    /// A response of another request, or an invalid response.
    Wrong(String),
}

impl<'a> Entry<'a> {
    /// Creates a request for all outputs, with rows of one element.
    pub(crate) fn new(model: Model, rows: usize) -> Self {
        Self::large(model, rows, 1)
    }

    /// Creates a request for all outputs.
    pub(crate) fn large(model: Model, rows: usize, columns: usize) -> Self {
        static NEXT: AtomicI64 = AtomicI64::new(1);
        let len = i64::try_from(rows * columns).unwrap_or(1);
        let first = NEXT.fetch_add(len, Ordering::Relaxed);
        Self {
            model,
            x: (first..first + len).collect(),
            columns,
            outputs: Vec::new(),
            region: None,
        }
    }

    /// Requests only these outputs.
    pub(crate) fn only(mut self, outputs: Vec<usize>) -> Self {
        self.outputs = outputs;
        self
    }

    /// Requests an output in a region.
    pub(crate) fn into_region(mut self, output: usize, region: &'a Region) -> Self {
        self.region = Some((output, region));
        self
    }

    /// Makes the function refuse the request.
    pub(crate) fn refused(mut self) -> Self {
        for x in &mut self.x {
            *x = -*x;
        }
        self
    }

    /// Marks its input as one in GPU memory.
    pub(crate) fn unreadable(mut self) -> Self {
        self.x[0] = i64::MIN;
        self
    }

    /// Returns the JSON body.
    pub(crate) fn body(&self) -> String {
        let x = json!({"name": "x", "datatype": "INT64", "shape": self.shape(), "data": self.x});
        let mut body = json!({"id": self.id(), "inputs": [x]});
        if !self.outputs.is_empty() || self.region.is_some() {
            let outputs = self.asked().into_iter().map(|output| self.asks(output));
            body["outputs"] = outputs.collect();
        }
        body.to_string()
    }

    /// Compares a response with the expected one.
    pub(crate) fn judge(&self, answer: &Answer) -> Verdict {
        let Answer { status, body } = answer;
        let others = OWN.iter().any(|own| body.contains(own));
        match self.judged(answer) {
            Ok(()) => Verdict::Right,
            Err(()) if *status >= 400 && !others => Verdict::Failed(format!("{status} {body}")),
            Err(()) => {
                let (id, shape) = (self.id(), self.shape());
                let (outputs, region, model) = (self.asked(), &self.region, self.model.name);
                let body: String = body.chars().take(SHOWN).collect();
                let request = format!("{id} {shape:?} {outputs:?} {region:?} of {model}");
                Verdict::Wrong(format!("{status} {body} for {request}"))
            }
        }
    }

    fn judged(&self, answer: &Answer) -> Result<(), ()> {
        if let Some(error) = self.error() {
            let found = answer.status >= 400 && answer.body.contains(&error);
            return found.then_some(()).ok_or(());
        }
        let body: Value = serde_json::from_str(&answer.body).map_err(|_| ())?;
        let outputs = body["outputs"].as_array().ok_or(())?;
        let mut asked = self.asked();
        if answer.status != 200 || body["id"] != self.id().as_str() || asked.len() != outputs.len()
        {
            return Err(());
        }
        for output in outputs {
            let place = asked
                .iter()
                .position(|&asked| output["name"] == name(asked));
            let number = asked.remove(place.ok_or(())?);
            let right = match self.region {
                Some((other, region)) if other == number => {
                    region.number().ok() == Some(self.value(self.x[0], number))
                }
                _ => output["data"] == self.data(number),
            };
            if !right
                || output["shape"] != json!(self.shape())
                || output["datatype"] != self.datatype(number)
            {
                return Err(());
            }
        }
        Ok(())
    }

    /// Returns the expected error, if there is one.
    fn error(&self) -> Option<String> {
        match (self.x[0], self.region) {
            (i64::MIN, _) => Some("input 'x' is in GPU memory".to_owned()),
            (..0, _) => Some(format!("{} is below zero", self.x[0])),
            (_, Some((output, region))) if region.len() < 8 => Some(name(output)),
            _ => None,
        }
    }

    fn shape(&self) -> [usize; 2] {
        [self.x.len() / self.columns, self.columns]
    }

    fn id(&self) -> String {
        self.x[0].to_string()
    }

    fn asked(&self) -> Vec<usize> {
        match self.outputs.is_empty() {
            true => (1..=self.model.outputs.len()).collect(),
            false => self.outputs.clone(),
        }
    }

    fn asks(&self, output: usize) -> Value {
        match self.region {
            Some((other, region)) if other == output => json!({
                "name": name(output),
                "parameters": {
                    "shared_memory_region": region.name(),
                    "shared_memory_byte_size": region.len(),
                },
            }),
            _ => json!({"name": name(output)}),
        }
    }

    fn datatype(&self, output: usize) -> &'static str {
        self.model.outputs[output - 1]
    }

    /// Returns the expected output for a value.
    fn value(&self, x: i64, output: usize) -> i64 {
        x * 1000 + i64::try_from(output).unwrap_or_default()
    }

    fn data(&self, output: usize) -> Value {
        let values = self.x.iter().map(|&x| self.value(x, output));
        match self.datatype(output) {
            "BYTES" => values.map(|value| json!(value.to_string())).collect(),
            "FP64" => values.map(|value| json!(value as f64)).collect(),
            _ => values.map(|value| json!(value)).collect(),
        }
    }
}

fn name(output: usize) -> String {
    format!("OUTPUT_{output}")
}
