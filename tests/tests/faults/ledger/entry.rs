use std::sync::atomic::{AtomicI64, Ordering};

use serde_json::{Value, json};

use super::Model;
use crate::http::Answer;
use crate::region::Region;

/// How much of an answer is worth reading.
const SHOWN: usize = 500;

/// What only the error of a certain request has.
const OWN: [&str; 2] = ["OUTPUT_", "is below zero"];

/// A request.
#[derive(Debug)]
pub(crate) struct Entry<'a> {
    /// Whom it asks.
    model: Model,
    /// Its elements, which no other request has.
    x: Vec<i64>,
    /// How many of them are a row.
    columns: usize,
    /// The outputs that it asks for, counted from 1, in its order; all where there are none.
    outputs: Vec<usize>,
    /// Where one of them shall go, and whether it fits.
    region: Option<(usize, &'a Region)>,
}

/// What an answer is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The one that it should be.
    Right,
    /// An error where there should be none.
    Failed(String),
    /// Of another request, or no answer at all.
    Wrong(String),
}

impl<'a> Entry<'a> {
    /// A request for all outputs of some rows of one element.
    pub(crate) fn new(model: Model, rows: usize) -> Self {
        Self::large(model, rows, 1)
    }

    /// A request for all outputs of some rows.
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

    /// Asks for these outputs only.
    pub(crate) fn only(mut self, outputs: Vec<usize>) -> Self {
        self.outputs = outputs;
        self
    }

    /// Has an output written into a region.
    pub(crate) fn into_region(mut self, output: usize, region: &'a Region) -> Self {
        self.region = Some((output, region));
        self
    }

    /// Has the function refuse it.
    pub(crate) fn refused(mut self) -> Self {
        for x in &mut self.x {
            *x = -*x;
        }
        self
    }

    /// Makes its input one that is said to be in the memory of a GPU.
    pub(crate) fn unreadable(mut self) -> Self {
        self.x[0] = i64::MIN;
        self
    }

    /// As it goes over the wire.
    pub(crate) fn body(&self) -> String {
        let x = json!({"name": "x", "datatype": "INT64", "shape": self.shape(), "data": self.x});
        let mut body = json!({"id": self.id(), "inputs": [x]});
        if !self.outputs.is_empty() || self.region.is_some() {
            let outputs = self.asked().into_iter().map(|output| self.asks(output));
            body["outputs"] = outputs.collect();
        }
        body.to_string()
    }

    /// Judges what came back.
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

    /// What its error must say, where it must have one.
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

    /// What an output has for a value.
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
