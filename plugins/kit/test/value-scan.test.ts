import { type FilterLeaf, type Json, matchesOperator } from "@membus/protocol";
import fc from "fast-check";
import { expect, it } from "vitest";
import { FieldIndex } from "../src/search/partition/field-index.js";
import { ValueScan } from "../src/search/partition/value-scan.js";

const SLOTS_MAX = 40;

const text = fc.nat(99).map((number) => `text ${number}`);
const value: fc.Arbitrary<Json> = fc.oneof(text, text, fc.array(text, { maxLength: 3 }), fc.nat(9));
const leaf: fc.Arbitrary<FilterLeaf> = fc.record({
  field: fc.constant("metadata.v"),
  op: fc.constantFrom("contains", "starts_with", "gt", "lte"),
  value: fc.constantFrom("t 3", "text 4", "5", "text 50", 5),
});

type Step =
  | { readonly add: Json }
  | { readonly remove: number }
  | { readonly scan: number }
  | "clear"
  | "index anew";
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ add: value }) },
  { weight: 3, arbitrary: fc.record({ scan: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ remove: fc.nat(SLOTS_MAX - 1) }) },
  { weight: 1, arbitrary: fc.constantFrom("clear" as const, "index anew" as const) },
);

/** Rows of one field that are added and removed during a scan. */
class Rows {
  readonly values: Json[] = [];
  readonly alive = new Uint8Array(SLOTS_MAX);
  index = new FieldIndex("metadata.v");

  take(what: Exclude<Step, { scan: number }>): void {
    if (what === "index anew") {
      this.index = new FieldIndex("metadata.v");
      for (const [slot, added] of this.values.entries()) if (this.alive[slot]) this.#file(slot, added);
    } else if (what === "clear") for (const _ of this.index.removeDead(this, 1));
    else if ("remove" in what) this.alive[what.remove] = 0;
    else if (this.values.length < SLOTS_MAX) {
      this.alive[this.values.length] = 1;
      this.#file(this.values.push(what.add) - 1, what.add);
    }
  }

  #file(slot: number, v: Json): void {
    this.index.add(slot, { key: {}, tags: [], source: "", author: "", metadata: { v: v as string } }, "");
  }
}

it("finds the values that satisfy a leaf, with changes during the scan", () => {
  const property = fc.property(leaf, fc.array(step, { maxLength: 80 }), (asked, steps) => {
    const holds = (v: Json) => matchesOperator(v, asked.op, asked.value);
    const rows = new Rows();
    const scan = new ValueScan(asked);
    for (const what of steps) {
      if (typeof what === "object" && "scan" in what) scan.step(rows.index, what.scan);
      else rows.take(what);
    }
    const marks = new Uint8Array(SLOTS_MAX);
    rows.index.mark(marks, asked, scan);
    const expected = rows.values.map((v, slot) => rows.alive[slot] === 1 && holds(v));
    expect(rows.values.map((_, slot) => rows.alive[slot] === 1 && marks[slot] === 1)).toEqual(expected);
  });
  fc.assert(property, { numRuns: 1_000 });
});

it("scans the requested number of characters per step", () => {
  const rows = new Rows();
  for (let at = 0; at < 10; at++) rows.take({ add: `${at}`.repeat(100) });
  const scan = new ValueScan({ field: "metadata.v", op: "contains", value: "9" });
  const steps = Array.from({ length: 5 }, () => {
    scan.step(rows.index, 200);
    return scan.isDone(rows.index);
  });
  expect(steps).toEqual([false, false, false, false, true]);
  expect(scan.found.map(({ value: found }) => found)).toEqual(["9".repeat(100)]);
});
