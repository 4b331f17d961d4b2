/** One thing that the demo did, and whether it was as promised. */
export interface Step {
  readonly section: string;
  readonly step: string;
  readonly ok: boolean;
  /** What was seen. */
  readonly detail: string;
}

/** Notes each step, and writes it as a line at once. */
export class Transcript {
  readonly steps: Step[] = [];
  readonly #write: (line: string) => void;
  #section = "";

  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  begin(section: string): void {
    this.#section = section;
    this.#write(`\n${section}`);
  }

  check(step: string, ok: boolean, detail: string): void {
    this.steps.push({ section: this.#section, step, ok, detail });
    this.#write(`  ${ok ? "✓" : "✗"} ${step}: ${detail}`);
  }

  get failed(): readonly Step[] {
    return this.steps.filter(({ ok }) => !ok);
  }

  /** How it all went, in a few lines. */
  close(tookSeconds: number): void {
    const { steps, failed } = this;
    const kept = steps.length - failed.length;
    this.#write(`\n${kept} of ${steps.length} steps as promised, in ${tookSeconds.toFixed(1)} s`);
    for (const { section, step, detail } of failed) this.#write(`  ✗ ${section}, ${step}: ${detail}`);
  }
}
