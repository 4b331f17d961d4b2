import { systemClock } from "@membus/protocol";
import type { Check } from "../catalogue/check.js";
import { type CaseResult, isRed } from "../run/outcome.js";
import type { Progress } from "../run/run-suite.js";

const LINE_EVERY_SECONDS = 5;

/** The used part of standard error. */
interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/**
 * Reports the progress of a run on standard error, and each red check by name as soon as it is red. A terminal
 * shows one line that is rewritten, other outputs get a new line from time to time.
 */
export class ProgressLine {
  readonly #output: Output;
  readonly #red = new Set<string>();
  #writtenAt = systemClock.now();

  constructor(output: Output = process.stderr) {
    this.#output = output;
  }

  readonly update = ({ outcome }: CaseResult, { id }: Check, { done, total }: Progress): void => {
    if (isRed(outcome) && !this.#red.has(id)) {
      this.#red.add(id);
      this.#output.write(`${this.#erase}red: ${id}\n`);
    }
    const text = `${done}/${total} runs, ${this.#red.size} red`;
    if (this.#output.isTTY) {
      this.#output.write(`${this.#erase}${`${text}  ${id}`.slice(0, (this.#output.columns || 80) - 1)}`);
    } else if (systemClock.now() - this.#writtenAt >= LINE_EVERY_SECONDS) {
      this.#writtenAt = systemClock.now();
      this.#output.write(`${text}\n`);
    }
  };

  end(): void {
    this.#output.write(this.#erase);
  }

  /** Control characters that empty the line of a terminal. */
  get #erase(): string {
    return this.#output.isTTY ? "\r\u001b[K" : "";
  }
}
