import { stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FileLog } from "../src/log/file-log.js";
import { append, contents, openLog, segmentNames, temporaryDirectory } from "./log-fixture.js";

const HEADER_BYTES = 36;
const FRAME_BYTES = 20;

type Step =
  | { readonly do: "append"; readonly sizes: readonly number[] }
  | { readonly do: "trim"; readonly part: number }
  | { readonly do: "rotate" }
  | { readonly do: "reopen" }
  | { readonly do: "crash"; readonly part: number };

/** Size of a record, sometimes too large for opening to read it completely. */
const size = fc.oneof(
  { weight: 9, arbitrary: fc.nat(2_500) },
  { weight: 1, arbitrary: fc.integer({ min: 70_000, max: 90_000 }) },
);

const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("append" as const),
      sizes: fc.array(size, { maxLength: 6 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("trim" as const),
      part: fc.double({ min: 0, max: 1.2, noNaN: true }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("rotate" as const, "reopen" as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("crash" as const),
      part: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  },
);

/** Log with a plain array of all its records as the model. */
class ModelledLog {
  readonly #texts: string[] = [];
  #trimmedBelow = 1;
  #log: FileLog;

  private constructor(
    readonly directory: string,
    readonly durability: "disk" | "process",
    log: FileLog,
  ) {
    this.#log = log;
  }

  static async open(directory: string, durability: "disk" | "process"): Promise<ModelledLog> {
    return new ModelledLog(
      directory,
      durability,
      await openLog(directory, { segmentBytes: 4096, durability }),
    );
  }

  async run(step: Step): Promise<void> {
    if (step.do === "append") await this.#append(step.sizes);
    else if (step.do === "trim") await this.#trim(Math.ceil(step.part * this.#log.nextSeq));
    else if (step.do === "rotate") await this.#log.rotate();
    else if (step.do === "reopen") await this.#reopen();
    else await this.#crash(step.part);
  }

  async check(): Promise<void> {
    const { firstSeq, nextSeq, queuedCount } = this.#log.stats;
    expect({ nextSeq, queuedCount }).toEqual({ nextSeq: this.#texts.length + 1, queuedCount: 0 });
    expect(firstSeq).toBeLessThanOrEqual(this.#trimmedBelow);
    const kept = this.#texts.slice(firstSeq - 1);
    expect(await contents(this.#log)).toEqual(kept.map((text, index) => `${firstSeq + index}:${text}`));
    for (const [index, text] of kept.entries()) {
      if (index % 5 === 0) expect(Buffer.from(await this.#log.read(firstSeq + index)).toString()).toBe(text);
    }
  }

  async #append(sizes: readonly number[]): Promise<void> {
    const texts = sizes.map((size, index) => String(this.#texts.length + index).padEnd(size, "."));
    const first = this.#texts.length + 1;
    const numbers = await Promise.all(texts.map((text) => append(this.#log, text)));
    expect(numbers).toEqual(texts.map((_, index) => first + index));
    this.#texts.push(...texts);
  }

  async #trim(before: number): Promise<void> {
    await this.#log.trim(before);
    this.#trimmedBelow = Math.max(this.#trimmedBelow, before);
  }

  async #reopen(): Promise<void> {
    await this.#log.close();
    const { directory, durability } = this;
    const beginnings: string[] = [];
    this.#log = await openLog(directory, {
      ...{ segmentBytes: 4096, durability },
      // As if half of them were stored elsewhere.
      nextSeqMin: Math.ceil((this.#texts.length + 1) / 2),
      onRecord: (_seq, beginning) => beginnings.push(String(beginning)),
    });
    const kept = this.#texts.slice(this.#log.stats.firstSeq - 1);
    expect(beginnings).toEqual(kept.map((text, index) => text.slice(0, beginnings[index]!.length)));
    const cut = kept.filter((text, index) => beginnings[index]!.length < text.length);
    expect(cut.every((text) => text.length > 4_096)).toBe(true);
    expect(
      beginnings.every((beginning, index) => beginning.length >= Math.min(4_000, kept[index]!.length)),
    ).toBe(true);
    await this.#log.check();
  }

  /** Cuts off a part of the newest segment's last record, as if it had never been acknowledged. */
  async #crash(part: number): Promise<void> {
    await this.#log.close();
    const path = join(this.directory, (await segmentNames(this.directory)).at(-1)!);
    const { size } = await stat(path);
    if (size > HEADER_BYTES) {
      const frameBytes = FRAME_BYTES + this.#texts.pop()!.length;
      await truncate(path, size - 1 - Math.floor(part * (frameBytes - 1)));
    }
    await this.#reopen();
  }
}

describe("any sequence of appends, trims, rotations, reopenings and crashes", () => {
  it("leaves the same records as a plain array, from the first kept record on", async () => {
    const steps = fc.array(stepArbitrary, { minLength: 1, maxLength: 25 });
    const property = fc.asyncProperty(steps, fc.constantFrom("disk", "process"), async (run, durability) => {
      const log = await ModelledLog.open(await temporaryDirectory(), durability);
      for (const step of run) {
        await log.run(step);
        await log.check();
      }
    });
    await fc.assert(property, { numRuns: 100 });
  });
});
