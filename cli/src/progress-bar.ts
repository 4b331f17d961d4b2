const WIDTH = 30;

/** A bar on standard error; on something that is no terminal it draws nothing. */
export class ProgressBar {
  readonly #isTerminal = process.stderr.isTTY === true;

  constructor(readonly totalBytes: number) {}

  draw(doneBytes: number, note: string): void {
    if (!this.#isTerminal) return;
    const share = this.totalBytes === 0 ? 1 : Math.min(1, doneBytes / this.totalBytes);
    const filled = Math.round(share * WIDTH);
    const bar = "█".repeat(filled) + "░".repeat(WIDTH - filled);
    process.stderr.write(`\r${bar} ${Math.round(share * 100)}%  ${note}\u001b[K`);
  }

  end(): void {
    if (this.#isTerminal) process.stderr.write("\n");
  }
}
