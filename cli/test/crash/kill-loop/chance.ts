import { Random } from "@membus/conformance";

/**
 * Random numbers that are reproducible by their seed. The requests in flight when a host dies also depend on
 * the machine.
 */
export class Chance {
  readonly #random: Random;

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  /** Returns an integer from `min` (default 0) to below `max`. */
  int(max: number, min = 0): number {
    return this.#random.integer(min, max - 1);
  }

  one<T>(choices: readonly T[]): T {
    return choices[this.int(choices.length)]!;
  }

  /** Returns this number of different choices in random order. */
  some<T>(choices: readonly T[], count: number): T[] {
    const left = [...choices];
    return Array.from({ length: count }, () => left.splice(this.int(left.length), 1)[0]!);
  }

  hex(bytes: number): string {
    return Array.from({ length: bytes }, () => this.int(256).toString(16).padStart(2, "0")).join("");
  }

  /** Returns an independent generator that is not affected by other draws. */
  branch(): Chance {
    return new Chance(this.int(2 ** 32));
  }
}
