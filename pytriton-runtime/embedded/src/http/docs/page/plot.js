const WIDTH = 320;
const HEIGHT = 96;

// The number of lines with their own colour.
const COLOURS = 6;

// Draws lines over their indices, from the minimum to the maximum of all of them, or beyond to
// `from` and `to`. Values that are not numbers leave a gap.
function lines(series, label, { from, to, axis } = {}) {
  const all = series.flat().filter(Number.isFinite);
  const least = Math.min(from ?? Infinity, ...all);
  const most = Math.max(to ?? -Infinity, ...all);
  const unit = most > least ? (HEIGHT - 4) / (most - least) : 0;
  const drawn = series.flatMap((values, index) => {
    const step = WIDTH / Math.max(1, values.length - 1);
    return pieces(values).map((piece) => {
      const places = piece.map(([value, at]) => [at * step, HEIGHT - 2 - (value - least) * unit]);
      // A single value is drawn as a dash.
      if (places.length === 1) places.push([places[0][0] + (places[0][0] > 0 ? -8 : 8), places[0][1]]);
      const points = places.map((place) => place.map((number) => number.toFixed(1)).join(","));
      return svg("polyline", { points: points.join(" "), class: `line colour-${index % COLOURS}` });
    });
  });
  return chart(drawing(label, drawn), all.length > 0 || from !== undefined ? [least, Math.max(least, most)] : [], axis);
}

// Returns the values of a line with their indices, split at gaps.
function pieces(values) {
  const found = [[]];
  values.forEach((value, at) => {
    if (Number.isFinite(value)) found.at(-1).push([value, at]);
    else if (found.at(-1).length > 0) found.push([]);
  });
  return found.filter((piece) => piece.length > 0);
}

// Draws a bar for each value.
function bars(values, label, { axis } = {}) {
  const most = Math.max(...values, 0);
  const least = Math.min(...values, 0);
  const unit = (HEIGHT - 2) / (most - least || 1);
  // Few bars do not fill the whole width.
  const step = WIDTH / Math.max(values.length, 8);
  const zero = HEIGHT - 1 + least * unit;
  const drawn = values.map((value, index) => {
    const height = Math.max(1, Math.abs(value) * unit) || 0;
    const y = value < 0 ? zero : zero - height;
    return svg("rect", { x: (index + 0.1) * step, y, width: step * 0.8, height, class: "bar" }, svg("title", {}, `${index}: ${short(value)}`));
  });
  return chart(drawing(label, drawn), [least, most], axis);
}

function drawing(label, drawn) {
  return svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": label, class: "plot" }, ...drawn);
}

// A drawing with the labels of its edges: minimum, maximum and width.
function chart(drawn, [least, most] = [], { unit = short, left, right } = {}) {
  const heights = most === undefined ? [] : most > least ? [most, least] : [least];
  const low = heights.length === 1 ? "edge low" : "edge";
  const height = el("span", { class: low, "aria-hidden": "true" }, heights.map((value) => el("span", {}, unit(value))));
  const width = left === undefined ? "" : el("span", { class: "edge below", "aria-hidden": "true" }, el("span", {}, left), el("span", {}, right));
  return el("div", { class: "chart" }, height, drawn, width);
}

// The legend.
function legend(names) {
  return el("ul", { class: "legend" }, names.map((name, index) => el("li", { class: `key colour-${index % COLOURS}` }, name)));
}
