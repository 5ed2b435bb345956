//! OpenMetrics text, as the crate `prometheus-client` writes it, in Prometheus' text format.

use std::fmt::Write;
use std::iter;

/// Returns the name and the lines of each family in Prometheus' text format.
pub(super) fn families(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    iter::from_fn(move || {
        let (mut name, mut end) = (None, 0);
        for line in rest.split_inclusive('\n') {
            // A family begins with its help, if it has one.
            if name.is_some() && (line.starts_with("# HELP ") || declared(line).is_some()) {
                break;
            }
            name = name.or_else(|| declared(line).map(|(name, _)| name));
            end += line.len();
        }
        let (family, others) = rest.split_at(end);
        rest = others;
        Some((name?, family))
    })
}

/// Converts the text. Prometheus' format has the suffixes of the samples in the names of counters,
/// other names of types, and neither units nor exemplars.
pub(super) fn prometheus_text(text: &str) -> String {
    let mut converted = String::with_capacity(text.len());
    let mut help = None;
    for line in text.lines() {
        if let Some(text) = line.strip_prefix("# HELP ") {
            help = text.split_once(' ');
        } else if let Some((name, kind)) = declared(line) {
            let (suffix, kind) = match kind {
                "counter" => ("_total", kind),
                "info" => ("_info", "gauge"),
                "unknown" => ("", "untyped"),
                _ => ("", kind),
            };
            if let Some((_, help)) = help.take() {
                // Writing to a string cannot fail.
                let _ = writeln!(converted, "# HELP {name}{suffix} {help}");
            }
            let _ = writeln!(converted, "# TYPE {name}{suffix} {kind}");
        } else if !line.starts_with('#') {
            converted += without_exemplar(line);
            converted.push('\n');
        }
    }
    converted
}

/// Returns the name and type of a metric.
fn declared(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("# TYPE ")?.split_once(' ')
}

/// Removes the exemplar of a sample. The values of labels may contain `#`.
fn without_exemplar(sample: &str) -> &str {
    let (mut quoted, mut escaped) = (false, false);
    let end = sample.find(|letter| {
        let is_escaped = std::mem::take(&mut escaped);
        match letter {
            '\\' => escaped = !is_escaped,
            '"' if !is_escaped => quoted = !quoted,
            '#' => return !quoted,
            _ => {}
        }
        false
    });
    end.map_or(sample, |end| sample[..end].trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_line_is_converted() {
        let text = "# HELP hits Hits.\n# TYPE hits counter\n\
                    hits_total{path=\"# \\\" #\"} 3 # {trace=\"a\"} 1\n\
                    # HELP size_bytes Size.\n# TYPE size_bytes gauge\n# UNIT size_bytes bytes\n\
                    size_bytes 7\n\
                    # HELP build Build.\n# TYPE build info\nbuild_info{version=\"1\"} 1\n\
                    # HELP other Other.\n# TYPE other unknown\nother 1\n# EOF\n";
        let expected = "# HELP hits_total Hits.\n# TYPE hits_total counter\n\
                        hits_total{path=\"# \\\" #\"} 3\n\
                        # HELP size_bytes Size.\n# TYPE size_bytes gauge\nsize_bytes 7\n\
                        # HELP build_info Build.\n# TYPE build_info gauge\n\
                        build_info{version=\"1\"} 1\n\
                        # HELP other Other.\n# TYPE other untyped\nother 1\n";
        assert_eq!(prometheus_text(text), expected);
        let families: Vec<_> = families(expected).collect();
        let names: Vec<&str> = families.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["hits_total", "size_bytes", "build_info", "other"]);
        let texts: String = families.iter().map(|(_, family)| *family).collect();
        assert_eq!(texts, expected);
    }
}
