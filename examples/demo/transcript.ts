/** Prints and counts each check. */
export class Transcript {
  #passed = 0;
  #failed = 0;

  begin(title: string): void {
    console.log(`\n${title}`);
  }

  /** Prints a check. `detail` is the observed result. */
  check(step: string, ok: boolean, detail: string): void {
    if (ok) this.#passed++;
    else this.#failed++;
    console.log(`  ${ok ? "✓" : "✗"} ${step}: ${detail}`);
  }

  /** Prints the summary. Returns whether every check has passed. */
  close(): boolean {
    console.log(`\n${this.#passed} of ${this.#passed + this.#failed} checks passed`);
    return this.#failed === 0;
  }
}
