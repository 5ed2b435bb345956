use std::fmt::{Display, Write};

/// A writer for the samples of one metric, with its help and type lines.
#[derive(Debug)]
pub(super) struct Family<'a> {
    text: &'a mut String,
    name: &'static str,
}

impl<'a> Family<'a> {
    pub(super) fn counter(text: &'a mut String, name: &'static str, help: &str) -> Self {
        Self::new(text, name, help, "counter")
    }

    pub(super) fn gauge(text: &'a mut String, name: &'static str, help: &str) -> Self {
        Self::new(text, name, help, "gauge")
    }

    pub(super) fn histogram(text: &'a mut String, name: &'static str, help: &str) -> Self {
        Self::new(text, name, help, "histogram")
    }

    pub(super) fn summary(text: &'a mut String, name: &'static str, help: &str) -> Self {
        Self::new(text, name, help, "summary")
    }

    fn new(text: &'a mut String, name: &'static str, help: &str, kind: &str) -> Self {
        // Writing to a `String` cannot fail, here and below.
        let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
        Self { text, name }
    }

    /// Writes a sample. Model names need no escaping: quotes and backslashes are not allowed.
    pub(super) fn sample(&mut self, labels: &[(&str, &dyn Display)], value: &dyn Display) {
        self.suffixed_sample("", labels, value);
    }

    /// Writes a sample of a metric with several parts, such as one with a suffix to its name.
    pub(super) fn suffixed_sample(
        &mut self,
        suffix: &str,
        labels: &[(&str, &dyn Display)],
        value: &dyn Display,
    ) {
        self.text.push_str(self.name);
        self.text.push_str(suffix);
        for (index, (label, text)) in labels.iter().enumerate() {
            let open = if index == 0 { '{' } else { ',' };
            let _ = write!(self.text, "{open}{label}=\"{text}\"");
        }
        let close = if labels.is_empty() { "" } else { "}" };
        let _ = writeln!(self.text, "{close} {value}");
    }
}
