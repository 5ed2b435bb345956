"use strict";

// An element; its children are elements or text, never markup.
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

// The same of a drawing.
function svg(name, properties = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(properties)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

let labels = 0;

// A name that no other element of the page has.
function unique(prefix) {
  labels += 1;
  return `${prefix}-${labels}`;
}

// A control under its label.
function labelled(text, control, hint) {
  control.id ||= unique("control");
  const said = hint && el("small", { id: unique("hint") }, hint);
  if (said) control.setAttribute("aria-describedby", said.id);
  return el("div", { class: "labelled" }, el("label", { for: control.id }, text), control, said ?? "");
}

// One of several, by radio buttons that look like one control.
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

// A button that does something now.
function button(text, done, properties = {}) {
  return el("button", { type: "button", onclick: done, ...properties }, text);
}

// Bytes as a file of the user's.
function save(name, bytes) {
  const url = URL.createObjectURL(new Blob([bytes]));
  el("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

// A number as people read it.
function short(value) {
  if (typeof value !== "number" || Number.isInteger(value) && Math.abs(value) < 1e6) return String(value);
  if (!Number.isFinite(value)) return String(value);
  return String(Number(value.toPrecision(Math.abs(value) < 1e6 ? 4 : 6)));
}

function count(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}
