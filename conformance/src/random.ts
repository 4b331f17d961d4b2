/** Numbers from a seed: the same ones for the same seed, on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** At least 0 and below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer of `from`..`to`, both included. */
  integer(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  /** Lower-case hex digits. */
  hex(length: number): string {
    return Array.from({ length }, () => this.integer(0, 15).toString(16)).join("");
  }

  shuffle<Item>(items: readonly Item[]): Item[] {
    const shuffled = [...items];
    for (let last = shuffled.length - 1; last > 0; last--) {
      const at = this.integer(0, last);
      [shuffled[last], shuffled[at]] = [shuffled[at]!, shuffled[last]!];
    }
    return shuffled;
  }
}

/** A seed for a part of a run: it depends on the run's seed and the part's name alone. */
export function seedFor(seed: number, name: string): number {
  let mixed = seed | 0;
  for (const character of name) mixed = Math.imul(mixed ^ character.codePointAt(0)!, 0x01000193);
  return mixed >>> 0;
}
