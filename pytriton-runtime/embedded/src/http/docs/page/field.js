// The maximum number of elements that are written into the form. More are kept in memory.
const WRITTEN = 2048;

// The default size of open image dimensions. Networks halve images several times.
const SIDE = 32;

// The form field of one input.
class Field {
  constructor(model, input, changed) {
    this.input = input;
    this.dims = clientDims(model, input);
    this.batched = model.max_batch_size > 0;
    // One element, which is entered once and applies to each row.
    this.single = input.first_value || input.dims.every((dim) => dim === 1);
    this.changed = changed;
    this.control = this.single && input.datatype === "BOOL" ? this.truth() : this.text();
    this.control.id = unique("input");
    this.control.addEventListener("input", () => {
      if (this.sent) this.sent.checked = true;
      this.look();
    });
    this.shape = el("input", { class: "shape", placeholder: "automatic", spellcheck: "false", oninput: () => this.look() });
    this.said = el("p", { class: "said", id: unique("said") });
    this.control.setAttribute("aria-describedby", this.said.id);
    this.sent = input.optional ? el("input", { type: "checkbox", id: unique("sent"), onchange: () => this.look() }) : undefined;
    this.element = this.arranged();
    this.fill(this.input.example ? "example" : "counting");
  }

  truth() {
    return el("select", {}, el("option", {}, "true"), el("option", {}, "false"));
  }

  text() {
    const { datatype } = this.input;
    if (this.single && datatype !== "BYTES") return el("input", { inputmode: "text", autocomplete: "off", spellcheck: "false" });
    return el("textarea", { rows: datatype === "BYTES" && this.single ? 3 : 2, spellcheck: "false", autocomplete: "off" });
  }

  arranged() {
    const { name, datatype, dims, description, optional, first_value: first } = this.input;
    const type = el("span", { class: "type" }, `${datatype} ${dimsText(this.dims)}`);
    const notes = [optional ? "optional" : "", first ? "one value for the batch" : ""].filter(Boolean);
    const head = el(
      "div",
      { class: "field-head" },
      el("label", { for: this.control.id, class: "name" }, name),
      type,
      notes.map((note) => el("span", { class: "note" }, note)),
      this.sent ? el("span", { class: "sent" }, this.sent, el("label", { for: this.sent.id }, `send ${name}`)) : "",
    );
    this.extras = el("div", { class: "extras" }, this.filler(), this.files(), this.single ? "" : labelled("shape", this.shape));
    this.body = el("div", {}, this.control, this.extras, this.said);
    return el("div", { class: "field" }, head, description ? el("p", { class: "description" }, description) : "", this.body);
  }

  // A choice of initial values.
  filler() {
    if (this.single || this.input.datatype === "BYTES") return "";
    const kinds = [...(this.input.example ? ["example"] : []), "counting", "ones", "zeros", "random"];
    const select = el("select", { "aria-label": `fill ${this.input.name}` }, el("option", { value: "" }, "fill with…"), kinds.map((kind) => el("option", {}, kind)));
    select.addEventListener("change", () => {
      this.fill(select.value);
      select.value = "";
    });
    return select;
  }

  // A file for inputs that contain bytes.
  files() {
    const { datatype, name } = this.input;
    if (datatype !== "BYTES" && datatype !== "UINT8") return "";
    const input = el("input", { type: "file", id: unique("file"), class: "file" });
    input.addEventListener("change", () => this.take(input.files[0]).catch((error) => this.say(error.message, true)));
    return el("span", {}, input, el("label", { for: input.id, class: "button" }, datatype === "UINT8" ? "file or image…" : "file…", el("span", { class: "hidden" }, ` for ${name}`)));
  }

  async take(file) {
    if (!file) return;
    const { datatype, dims } = this.input;
    const axes = pictureAxes(dims);
    const bytes = new Uint8Array(await file.arrayBuffer());
    const preview = pictureType(bytes) && picture(bytes, file.name);
    if (datatype === "UINT8" && axes && file.type.startsWith("image/")) {
      const { values, shape } = await pixels(file, { ...axes, flat: dims.length === 2 });
      return this.hold({ values, shape: this.batched ? [1, ...shape] : shape }, `${file.name}, as pixels`, preview);
    }
    const values = datatype === "UINT8" ? bytes : [bytes];
    const shape = fitted(this.dims, this.batched, { values, nest: [values.length] });
    this.hold({ values, shape }, `${file.name}, ${count(bytes.length, "byte")}`, preview);
  }

  // Values that are too many to be written, or not text.
  hold(held, label, preview) {
    this.held = held;
    const away = button("remove", () => {
      this.held = undefined;
      chip.replaceWith(this.control);
      this.look();
      this.control.focus();
    }, { "aria-label": `remove ${label}` });
    const chip = el("div", { class: "chip" }, preview ?? "", el("span", {}, label), away);
    (this.chip?.parentNode ? this.chip : this.control).replaceWith(chip);
    this.chip = chip;
    if (this.sent) this.sent.checked = true;
    this.look();
  }

  fill(kind) {
    if (!kind) return;
    const { datatype } = this.input;
    if (kind === "example") return this.write(exampled(this.input, this.single));
    if (this.single) {
      this.control.value = { BYTES: "Hello", BOOL: "true" }[datatype] ?? "1";
      return this.look();
    }
    if (datatype === "BYTES") {
      this.control.value = "Hello";
      return this.look();
    }
    const said = dimsOf(this.shape.value);
    const dims = said.length > 0 ? said : this.dims;
    const open = datatype === "UINT8" && this.input.dims.length === 3 && pictureAxes(this.input.dims) ? SIDE : 4;
    const shape = dims.map((dim, axis) => (dim >= 0 ? dim : axis === 0 && this.batched ? 1 : open));
    const length = product(shape);
    const value = { counting: (index) => index + 1, ones: () => 1, zeros: () => 0, random: () => this.random() }[kind];
    const type = DATATYPES[datatype];
    const most = type.integer ? Number(type.most < 2n ** 31n ? type.most : 2n ** 31n) : Infinity;
    const words = Array.from({ length }, (_, index) => (datatype === "BOOL" ? value(index) % 2 === 1 : value(index) % (most + 1 || 1)));
    if (length > WRITTEN) {
      const values = words.map((word) => element(datatype, word));
      return this.hold({ values, shape }, `${count(length, "value")}, ${kind}`);
    }
    const width = shape.at(-1) || 1;
    const rows = Array.from({ length: length / width }, (_, row) => words.slice(row * width, (row + 1) * width));
    this.write(shape.length > 2 ? JSON.stringify(nested(words, shape)) : rows.map((row) => row.join(" ")).join("\n"));
  }

  write(text) {
    this.control.value = text;
    if (this.chip?.parentNode) this.chip.replaceWith(this.control);
    this.held = undefined;
    this.look();
  }

  random() {
    const { datatype } = this.input;
    const type = DATATYPES[datatype];
    if (datatype === "BOOL") return Math.random() < 0.5 ? 1 : 0;
    if (type.integer) return Math.floor(Math.random() * Math.min(100, Number(type.most)));
    return Number((Math.random() * 2 - 1).toFixed(3));
  }

  // Returns the tensor, with one row for a single value, or nothing if it is left out.
  tensor() {
    if (this.sent && !this.sent.checked) return undefined;
    const { name, datatype } = this.input;
    if (this.held) return { name, datatype, ...this.held };
    const text = this.control.value;
    const read = this.single && datatype === "BYTES" ? { values: [text], nest: [1] } : typed(datatype, text);
    const shape = this.shape.value.trim() === "" ? fitted(this.dims, this.batched, read) : shaped(this.shape.value, read.values.length);
    return { name, datatype, shape, values: read.values };
  }

  // Shows what is wrong with the input, or describes it.
  look() {
    this.body.classList.toggle("left-out", Boolean(this.sent && !this.sent.checked));
    try {
      const tensor = this.tensor();
      this.say(tensor && !this.single ? `sent as [${tensor.shape.join(", ")}]` : "", false);
    } catch (error) {
      this.say(error.message, true);
    }
    this.changed();
  }

  say(text, wrong) {
    this.said.textContent = text;
    this.said.classList.toggle("wrong", wrong);
    this.control.setAttribute("aria-invalid", String(wrong));
  }
}

// Returns the example of an input as a user would type it.
function exampled({ datatype, example }, single) {
  if (datatype !== "BYTES") return example.join(" ");
  return !single && example.some((text) => /^\s*\[|\n/.test(text)) ? JSON.stringify(example) : example.join("\n");
}

function nested(values, shape) {
  if (shape.length <= 1) return values;
  const size = product(shape.slice(1));
  return Array.from({ length: shape[0] }, (_, index) => nested(values.slice(index * size, (index + 1) * size), shape.slice(1)));
}

// Returns the inputs of a request. All have as many rows as the longest.
function tensorsOf(fields) {
  const tensors = fields.map((field) => field.tensor());
  const rows = Math.max(1, ...tensors.map((tensor, index) => (tensor && fields[index].batched && !fields[index].single ? tensor.shape[0] : 1)));
  return tensors.flatMap((tensor, index) => {
    if (!tensor) return [];
    if (!fields[index].single || !fields[index].batched || tensor.values.length !== 1 || rows === 1) return [tensor];
    return [{ ...tensor, shape: [rows, ...tensor.shape.slice(1)], values: repeated(tensor.values, rows) }];
  });
}
