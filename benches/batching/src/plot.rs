use std::fmt::Write;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 260.0;
const MARGIN: f64 = 48.0;
const DASHES: [&str; 4] = ["none", "8 4", "2 4", "10 4 2 4"];

/// One of several plots, drawn below each other.
#[derive(Debug)]
pub(crate) struct Plot {
    pub(crate) title: &'static str,
    pub(crate) curves: Vec<Curve>,
}

/// The values of one variant at each number of clients.
#[derive(Debug)]
pub(crate) struct Curve {
    pub(crate) name: String,
    pub(crate) values: Vec<f64>,
}

/// Draws the plots as one SVG image. It has the colour of the surrounding text and no empty line,
/// so that Markdown can contain it.
pub(crate) fn draw(clients: &[usize], plots: &[Plot]) -> String {
    let height = HEIGHT * plots.iter().map(|_| 1.0).sum::<f64>();
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" font-family=\"sans-serif\" \
         font-size=\"11\" fill=\"currentColor\" style=\"max-width:100%;height:auto\">\n"
    );
    let mut top = 0.0;
    for plot in plots {
        plot.draw(clients, top, &mut svg);
        top += HEIGHT;
    }
    svg + "</svg>\n"
}

impl Plot {
    fn draw(&self, clients: &[usize], top: f64, svg: &mut String) {
        let values = self.curves.iter().flat_map(|curve| &curve.values);
        let most = round_up(values.copied().fold(0.0, f64::max));
        let (bottom, right) = (top + HEIGHT - MARGIN, WIDTH - 2.5 * MARGIN);
        let steps = clients.iter().skip(1).map(|_| 1.0).sum::<f64>();
        let step = (right - MARGIN) / steps;
        let y = |value: f64| bottom - value / most * (HEIGHT - 2.0 * MARGIN);
        let mut line = |text: String| {
            svg.push_str(&text);
            svg.push('\n');
        };
        line(format!(
            "<text x=\"{MARGIN}\" y=\"{}\" font-size=\"13\" font-weight=\"bold\">{}</text>",
            top + 24.0,
            self.title
        ));
        for part in [0.0, 0.5, 1.0] {
            let (value, at) = (most * part, y(most * part));
            line(format!(
                "<path d=\"M{MARGIN} {at:.1} H{right:.1}\" stroke=\"currentColor\" opacity=\"0.25\"/><text x=\"{}\" y=\"{:.1}\" \
                 text-anchor=\"end\">{value}</text>",
                MARGIN - 6.0,
                at + 4.0
            ));
        }
        let mut x = MARGIN;
        for clients in clients {
            line(format!(
                "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{clients}</text>",
                bottom + 16.0
            ));
            x += step;
        }
        line(format!(
            "<text x=\"{:.1}\" y=\"{}\">clients</text>",
            right + 20.0,
            bottom + 16.0
        ));
        for (curve, dashes) in self.curves.iter().zip(DASHES.iter().cycle()) {
            let (mut path, mut x) = (String::new(), MARGIN);
            for value in &curve.values {
                let command = if path.is_empty() { 'M' } else { 'L' };
                // Writing to a string cannot fail.
                let _ = write!(path, "{command}{x:.1} {:.1} ", y(*value));
                x += step;
            }
            line(format!(
                "<path d=\"{}\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\" stroke-dasharray=\"{dashes}\"/>",
                path.trim_end()
            ));
            let last = curve.values.last().copied().unwrap_or_default();
            line(format!(
                "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                right + 6.0,
                y(last) + 4.0,
                curve.name
            ));
        }
    }
}

/// Returns the next larger number that is 1, 2 or 5 times a power of ten.
fn round_up(value: f64) -> f64 {
    let power = 10_f64.powf(value.max(1e-9).log10().floor());
    let factors = [1.0, 2.0, 5.0, 10.0];
    let factor = factors.into_iter().find(|factor| factor * power >= value);
    factor.unwrap_or(10.0) * power
}
