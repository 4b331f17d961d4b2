import { Utf8, vectorFromArray } from "apache-arrow";
import fc from "fast-check";
import { expect, it } from "vitest";
import { TextColumn } from "../src/rows/text-column.js";

const text = fc.oneof(fc.string({ maxLength: 3 }), fc.constantFrom("", "ab", "ba", "aa", "é", "日本"));
const texts = fc.oneof(
  fc.array(text, { minLength: 1, maxLength: 8 }),
  fc.tuple(text, fc.integer({ min: 1, max: 8 })).map(([one, count]) => Array<string>(count).fill(one)),
);

it("has the texts of an Arrow column, equal or not, of all of it or a part", () => {
  fc.assert(
    fc.property(texts, fc.nat(7), (values, from) => {
      const begin = Math.min(from, values.length - 1);
      const data = vectorFromArray(values, new Utf8()).slice(begin).data[0]!;
      const column = new TextColumn(data);
      const expected = values.slice(begin);
      expect(expected.map((_, row) => column.at(row))).toEqual(expected);
      expect(expected.map((_, row) => column.lengthAt(row))).toEqual(
        expected.map((value) => Buffer.byteLength(value)),
      );
    }),
    { numRuns: 500 },
  );
});
