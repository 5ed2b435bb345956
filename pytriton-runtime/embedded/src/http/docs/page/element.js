"use strict";

// Creates an element. Its children are elements or text, never markup.
function el(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== ""));
  return element;
}

// Creates an SVG element.
function svg(name, properties = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(properties)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

let labels = 0;

// Returns an ID that no other element of the page has.
function unique(prefix) {
  labels += 1;
  return `${prefix}-${labels}`;
}

// Creates a control below its label.
function labelled(text, control, hint) {
  control.id ||= unique("control");
  const said = hint && el("small", { id: unique("hint") }, hint);
  if (said) control.setAttribute("aria-describedby", said.id);
  return el("div", { class: "labelled" }, el("label", { for: control.id }, text), control, said ?? "");
}

// Creates a choice of radio buttons that look like one control.
function choice(legend, names, chosen, changed) {
  const group = unique("choice");
  const radios = names.map((name) => {
    const radio = el("input", { type: "radio", name: group, id: unique("radio"), value: name });
    radio.checked = name === chosen;
    radio.addEventListener("change", () => changed(name));
    return [radio, el("label", { for: radio.id }, name)];
  });
  return el("fieldset", { class: "choice" }, el("legend", {}, legend), radios.flat());
}

// Creates a button.
function button(text, done, properties = {}) {
  return el("button", { type: "button", onclick: done, ...properties }, text);
}

// Saves bytes as a file.
function save(name, bytes) {
  const url = URL.createObjectURL(new Blob([bytes]));
  el("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

// Formats a number for display.
function short(value) {
  if (typeof value !== "number" || Number.isInteger(value) && Math.abs(value) < 1e6) return String(value);
  if (!Number.isFinite(value)) return String(value);
  return String(Number(value.toPrecision(Math.abs(value) < 1e6 ? 4 : 6)));
}

function count(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}
