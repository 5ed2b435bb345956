const WIDTH = 320;
const HEIGHT = 96;

// Lines over their indices, from the least to the most of all of them, or further.
function lines(series, label, { from, to } = {}) {
  const all = series.flat().filter(Number.isFinite);
  const least = Math.min(from ?? Infinity, ...all);
  const most = Math.max(to ?? -Infinity, ...all);
  const unit = most > least ? (HEIGHT - 4) / (most - least) : 0;
  const drawn = series.map((values, index) => {
    const step = WIDTH / Math.max(1, values.length - 1);
    const places = values.flatMap((value, at) => (Number.isFinite(value) ? [[at * step, HEIGHT - 2 - (value - least) * unit]] : []));
    // One value alone is a dash.
    if (places.length === 1) places.push([places[0][0] + (places[0][0] > 0 ? -8 : 8), places[0][1]]);
    const points = places.map((place) => place.map((number) => number.toFixed(1)).join(","));
    return svg("polyline", { points: points.join(" "), class: `line line-${index % 6}` });
  });
  return drawing(label, drawn);
}

// A bar for each value.
function bars(values, label) {
  const most = Math.max(...values, Number.MIN_VALUE);
  const least = Math.min(0, ...values);
  const unit = (HEIGHT - 2) / (most - least || 1);
  // Few bars are not as wide as all of it.
  const step = WIDTH / Math.max(values.length, 8);
  const zero = HEIGHT - 1 + least * unit;
  const drawn = values.map((value, index) => {
    const height = Math.max(1, Math.abs(value) * unit) || 0;
    const y = value < 0 ? zero : zero - height;
    return svg("rect", { x: (index + 0.1) * step, y, width: step * 0.8, height, class: "bar" }, svg("title", {}, `${index}: ${short(value)}`));
  });
  return drawing(label, drawn);
}

function drawing(label, drawn) {
  return svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": label, class: "plot" }, ...drawn);
}
