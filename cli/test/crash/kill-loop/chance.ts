import { seededRandom } from "../../../../tools/bench/src/harness/random.js";

/** Chance that comes again with its seed. When a host dies among requests depends on the machine besides. */
export class Chance {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = seededRandom(seed);
  }

  /** From `min`, 0 if not given, to less than `max`. */
  int(max: number, min = 0): number {
    return min + Math.floor(this.#next() * (max - min));
  }

  one<T>(choices: readonly T[]): T {
    return choices[this.int(choices.length)]!;
  }

  hex(bytes: number): string {
    return Array.from({ length: bytes }, () => this.int(256).toString(16).padStart(2, "0")).join("");
  }

  /** Chance of one's own: what others draw meanwhile makes no difference to it. */
  branch(): Chance {
    return new Chance(this.int(2 ** 32));
  }
}
