const WIDTH = 30;

/** Returns a bar with a percentage. `share` is 0..1. */
export function shareBar(share: number): string {
  const filled = Math.round(share * WIDTH);
  return `${"█".repeat(filled)}${"░".repeat(WIDTH - filled)} ${Math.round(share * 100)}%`;
}

/** A progress bar on standard error. It draws nothing if standard error is not a terminal. */
export class ProgressBar {
  readonly #isTerminal = process.stderr.isTTY === true;

  constructor(readonly totalBytes: number) {}

  draw(doneBytes: number, note: string): void {
    if (!this.#isTerminal) return;
    const share = this.totalBytes === 0 ? 1 : Math.min(1, doneBytes / this.totalBytes);
    process.stderr.write(`\r${shareBar(share)}  ${note}\u001b[K`);
  }

  end(): void {
    if (this.#isTerminal) process.stderr.write("\n");
  }
}
