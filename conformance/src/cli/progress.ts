import { systemClock } from "@membus/protocol";
import type { Check } from "../catalogue/check.js";
import { type CaseResult, isRed } from "../run/outcome.js";
import type { Progress } from "../run/run-suite.js";

const LINE_EVERY_SECONDS = 5;

/**
 * Reports the progress of a run on standard error. A terminal shows one line that is rewritten, other outputs
 * get a new line from time to time.
 */
export class ProgressLine {
  readonly #isTerminal = process.stderr.isTTY === true;
  #red = 0;
  #writtenAt = systemClock.now();

  readonly update = ({ outcome }: CaseResult, { id }: Check, { done, total }: Progress): void => {
    if (isRed(outcome)) this.#red++;
    const text = `${done}/${total} runs, ${this.#red} red`;
    if (this.#isTerminal) {
      process.stderr.write(`\r${`${text}  ${id}`.slice(0, (process.stderr.columns || 80) - 1)}\u001b[K`);
    } else if (systemClock.now() - this.#writtenAt >= LINE_EVERY_SECONDS) {
      this.#writtenAt = systemClock.now();
      process.stderr.write(`${text}\n`);
    }
  };

  end(): void {
    if (this.#isTerminal) process.stderr.write("\r\u001b[K");
  }
}
