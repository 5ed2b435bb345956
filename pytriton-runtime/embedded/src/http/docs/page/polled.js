// The polling interval.
const PERIOD = 2000;

// A panel whose content is read repeatedly while it is shown. `read` draws it, `clear` removes what
// an earlier read has drawn.
class Polled {
  constructor() {
    this.said = el("p", { class: "said" });
  }

  async loop() {
    const begun = performance.now();
    while (performance.now() - begun < 1000 || this.element.isConnected) {
      // If the server requires a token, do not poll again before there is a new one.
      const closed = this.refused && secrets.get(this.refused.header) === this.refused.given;
      if (!document.hidden && !closed) await this.look();
      await new Promise((resolve) => setTimeout(resolve, PERIOD));
    }
  }

  async look() {
    try {
      await this.read();
      this.refused = undefined;
    } catch (error) {
      this.clear();
      this.refused = error instanceof Closed ? { header: error.header, given: secrets.get(error.header) } : undefined;
      this.said.replaceChildren(`No statistics: ${error.message}. `);
      if (this.refused) this.said.append(button("Enter the token…", async () => (await question(error.header, error.wrong)) && this.look()));
    }
  }
}
