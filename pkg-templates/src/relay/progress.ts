// How far a survey is, on the standard error if that is a terminal.

/** Between two pictures of the spinner. */
const TICK_MS = 120;
const SPINNER = "⠁⠂⠄⡀⢀⠠⠐⠈";

const { stderr } = process;

export class Progress {
  readonly #server: string;
  readonly #timer: NodeJS.Timeout | undefined;
  #shown = "";
  #tick = 0;

  constructor(server: string) {
    this.#server = server;
    if (stderr.isTTY) this.#timer = setInterval(() => this.#draw(), TICK_MS).unref();
  }

  /** Shows how many requests of all are answered, and which is sent now. */
  show(done: number, total: number, what: string): void {
    // A server's names may have what steers a terminal.
    this.#shown = `${this.#server} ${done}/${total} ${what}`.replace(/\p{C}/gu, "");
    this.#draw();
  }

  /** Leaves nothing on the screen. */
  clear(): void {
    clearInterval(this.#timer);
    if (this.#timer !== undefined) stderr.write("\r\x1b[K");
  }

  #draw(): void {
    if (this.#timer === undefined) return;
    const picture = SPINNER[this.#tick++ % SPINNER.length];
    stderr.write(`\r\x1b[K${`${picture} ${this.#shown}`.slice(0, stderr.columns - 1)}`);
  }
}
