/** Writes each step and whether it was as promised, and counts. */
export class Transcript {
  #asPromised = 0;
  #failed = 0;

  begin(title: string): void {
    console.log(`\n${title}`);
  }

  /** `detail` is what was seen. */
  check(step: string, ok: boolean, detail: string): void {
    if (ok) this.#asPromised++;
    else this.#failed++;
    console.log(`  ${ok ? "✓" : "✗"} ${step}: ${detail}`);
  }

  /** Whether every step was as promised. */
  close(): boolean {
    console.log(`\n${this.#asPromised} of ${this.#asPromised + this.#failed} steps as promised`);
    return this.#failed === 0;
  }
}
