// The maximum length of a message.
const SAID = 2000;

// A form that sends requests to a model and shows its responses.
class Trial {
  constructor(model) {
    this.model = model;
    this.snippets = new Snippets();
    this.ready = false;
    this.fields = model.inputs.map((input) => new Field(model, input, () => this.changed()));
    this.send = el("button", { type: "submit", class: "main" }, "Send");
    this.stop = button("Stop", () => this.aborter?.abort(), { hidden: true });
    this.status = el("p", { role: "status", class: "status" });
    this.answer = el("div", { class: "outputs" });
    this.form = el(
      "form",
      { class: "card", "aria-label": `try ${model.name}`, novalidate: true, onsubmit: (event) => this.submit(event), onkeydown: (event) => this.key(event) },
      el("h3", {}, "Try it"),
      this.fields.map((field) => field.element),
      this.inputless(),
      this.sequence(),
      this.options(),
      el("div", { class: "actions" }, this.send, this.stop, model.decoupled ? "" : this.encoding()),
    );
    const answer = el("section", { class: "card answer", "aria-label": "Answer" }, el("h3", {}, "Answer"), this.status, this.answer);
    this.tried = new Tried(model.name, (entry) => this.shown(entry), (call) => this.run(call));
    this.element = el("div", { class: "trial" }, this.form, el("div", {}, answer, this.snippets.element, this.tried.element));
    this.ready = true;
    this.changed();
  }

  inputless() {
    return this.fields.length === 0 ? el("p", { class: "said" }, "This model has no inputs.") : "";
  }

  encoding() {
    this.binary = false;
    return choice("tensors as", ["JSON", "binary"], "JSON", (name) => {
      this.binary = name === "binary";
      this.changed();
    });
  }

  // The sequence of a request.
  sequence() {
    if (!this.model.sequences) return "";
    const changed = () => this.changed();
    this.step = {
      id: el("input", { inputmode: "numeric", value: String(1 + Math.floor(Math.random() * 1e6)), oninput: changed }),
      start: el("input", { type: "checkbox", checked: true, id: unique("start"), onchange: changed }),
      end: el("input", { type: "checkbox", id: unique("end"), onchange: changed }),
    };
    const box = (control, text) => el("span", { class: "sent" }, control, el("label", { for: control.id }, text));
    const legend = el("legend", {}, "Sequence");
    return el("fieldset", { class: "sequence" }, legend, labelled("id", this.step.id), box(this.step.start, "first request"), box(this.step.end, "last request"));
  }

  options() {
    const { versions } = this.model;
    const changed = () => this.changed();
    this.version = el("select", { onchange: changed }, el("option", { value: "" }, "the latest"), versions.map((version) => el("option", {}, version)));
    this.id = el("input", { autocomplete: "off", spellcheck: "false", oninput: changed });
    this.parameters = el("textarea", { rows: 2, spellcheck: "false", placeholder: '{"name": 1}', oninput: changed });
    this.headers = el("textarea", { rows: 2, spellcheck: "false", placeholder: "x-name: value", oninput: changed });
    return el(
      "details",
      {},
      el("summary", {}, "Version, parameters, headers"),
      el("div", { class: "pairs" }, labelled("version", this.version), labelled("request id", this.id)),
      labelled("parameters", this.parameters, "A JSON object."),
      labelled("headers", this.headers, "One per line. The function receives those that the server forwards."),
    );
  }

  key(event) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.submit(event);
  }

  // Returns the request of the form.
  call() {
    const { model } = this;
    const tensors = tensorsOf(this.fields);
    const parameters = this.parameters.value.trim() === "" ? {} : fromJson(this.parameters.value);
    if (typeof parameters !== "object" || parameters === null || Array.isArray(parameters)) throw new Error("the parameters are not a JSON object");
    if (this.step) {
      const id = this.step.id.value.trim();
      parameters.sequence_id = /^\d{1,15}$/.test(id) ? Number(id) : id;
      if (this.step.start.checked) parameters.sequence_start = true;
      if (this.step.end.checked) parameters.sequence_end = true;
    }
    const headers = {};
    for (const line of this.headers.value.split("\n").filter((line) => line.trim() !== "")) {
      const [, name, value] = /^\s*([^\s:]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
      if (name === undefined) throw new Error(`“${line}” is not a header`);
      headers[name] = value;
    }
    const version = this.version.value;
    const of = `v2/models/${encodeURIComponent(model.name)}${version ? `/versions/${version}` : ""}`;
    return { model, tensors, version, headers, path: `${of}/${model.decoupled ? "generate_stream" : "infer"}`, options: { id: this.id.value, parameters, binary: this.binary } };
  }

  changed() {
    if (!this.ready) return;
    try {
      this.snippets.show(this.call());
      this.flaw = undefined;
    } catch (error) {
      this.flaw = error.message;
    }
  }

  async submit(event) {
    event.preventDefault();
    if (this.aborter) return;
    this.changed();
    if (this.flaw) {
      this.say(this.flaw, "wrong");
      this.form.querySelector("[aria-invalid=true]")?.focus();
      return;
    }
    await this.run(this.call());
  }

  async run(call) {
    if (this.aborter) return;
    this.aborter = new AbortController();
    this.size = 0;
    this.snippets.show(call);
    this.busy(true);
    try {
      await this.asked(call);
    } catch (error) {
      const stopped = error.name === "AbortError";
      this.say(stopped ? "Stopped." : error.message, stopped ? "" : "wrong");
    }
    this.aborter = undefined;
    this.busy(false);
    // The server may have asked for a token.
    this.snippets.show(call);
    const [, kind = ""] = this.status.className.split(" ");
    this.tried.add({ call, text: this.status.textContent, kind, outputs: [...this.answer.childNodes], size: this.size });
  }

  // Shows an earlier request and its response.
  shown({ call, text, kind, outputs }) {
    if (this.aborter) return;
    this.answer.replaceChildren(...outputs);
    this.say(text, kind);
    this.snippets.show(call);
  }

  busy(busy) {
    this.send.disabled = busy;
    this.stop.hidden = !busy;
    this.answer.classList.toggle("stale", busy);
    if (busy) this.say("Waiting for the response…", "");
  }

  async asked(call) {
    const { model, options } = call;
    const request = model.decoupled ? generateRequest(call.tensors, options) : inferRequest(call.tensors, { ...options, outputs: model.outputs });
    const begun = performance.now();
    const response = await ask("infer", call.path, {
      method: "POST",
      headers: { ...request.headers, ...call.headers },
      body: request.body,
      signal: this.aborter.signal,
    });
    if (!response.ok && !response.headers.get("content-type")?.startsWith("text/event-stream")) {
      this.answer.replaceChildren();
      this.say(`${response.status}: ${await failure(response)}`, "wrong");
      return;
    }
    if (model.decoupled) await this.heard(response, begun);
    else await this.read(response, begun);
    if (!this.step) return;
    this.step.start.checked = this.step.end.checked;
    this.step.end.checked = false;
  }

  async read(response, begun) {
    const bytes = new Uint8Array(await response.arrayBuffer());
    this.size = bytes.length;
    const time = performance.now() - begun;
    const { said, tensors } = inferResponse(response.headers, bytes);
    const parameters = Object.entries(said.parameters ?? {}).map(([name, value]) => `${name}: ${value}`);
    this.answer.replaceChildren(...tensors.map((tensor) => output(tensor, this.model.max_batch_size > 0)), parameters.length > 0 ? el("p", { class: "said" }, parameters.join(", ")) : "");
    this.say(`${response.status} in ${short(time)} ms, ${count(bytes.length, "byte")}, version ${said.model_version}`, "right");
  }

  // Shows the responses of a stream as they arrive, and strings also as one text.
  async heard(response, begun) {
    const text = el("pre", { class: "stream", tabindex: "0", "aria-label": "the responses as one text" });
    const list = el("ol", { class: "events", tabindex: "0", "aria-label": "the individual responses" });
    this.answer.replaceChildren(text, list);
    text.hidden = true;
    let answers = 0;
    let length = 0;
    let failed = !response.ok;
    for await (const event of events(response.body)) {
      answers += 1;
      if ("error" in event) {
        failed = true;
        this.say(response.ok ? event.error : `${response.status}: ${event.error}`, "wrong");
        continue;
      }
      const tensors = streamed(this.model, event);
      for (const { values } of tensors.filter(({ datatype, name }) => datatype === "BYTES" && name === tensors.find((other) => other.datatype === "BYTES").name)) {
        const words = values.join("");
        text.hidden &&= words === "";
        if (length < TEXT) text.append(words.slice(0, TEXT - length), length + words.length > TEXT ? "…" : "");
        length += words.length;
      }
      if (list.children.length < 500) {
        const words = tensors.map((tensor) => `${tensor.name}: ${excerpted(textOfAll(tensor), 200)}`);
        list.append(el("li", {}, el("small", {}, `${short(performance.now() - begun)} ms`), ` ${words.join(", ")}`));
      }
      if (!failed) this.status.textContent = `${count(answers, "response")} so far…`;
    }
    if (!failed) this.say(`${count(answers, "response")} in ${short(performance.now() - begun)} ms`, "right");
    else if (answers === 0) this.say(`${response.status}: the server sent no response`, "wrong");
  }

  say(text, kind) {
    this.status.textContent = excerpted(text, SAID);
    this.status.className = `status ${kind}`;
  }
}
