import fc from "fast-check";
import { expect, it } from "vitest";
import { findJson } from "../src/model/generate/json-in-text.js";

it.each<[string, unknown[]]>([
  ['{"a":1}', [{ a: 1 }]],
  [" [1, 2]\n", [[1, 2]]],
  ["no JSON here", []],
  ["", []],
  ['{"a":', []],
  ['first {"a":"} {"} then [2]', [{ a: "} {" }, [2]]],
  ['a quote: {"a":"\\"}"}', [{ a: '"}' }]],
  ['{not json} {"a":1}', [{ a: 1 }]],
  ['5" of {"a":1} and 6"', [{ a: 1 }]],
  ['{"a {"b":1}', [{ b: 1 }]],
])("finds in %j the JSON %j", (text, values) => {
  expect(findJson(text)).toEqual(values);
});

it("finds any object between any words", () => {
  const word = fc.stringMatching(/^[\w .,:;!?'-]{0,40}$/);
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.string(),
        fc.json().map((json) => JSON.parse(json) as unknown),
      ),
      word,
      word,
      (value, before, after) => {
        const written = JSON.parse(JSON.stringify(value)) as unknown;
        expect(findJson(`${before}: ${JSON.stringify(value)} ${after}`)[0]).toEqual(written);
      },
    ),
  );
});

it("terminates on texts of brackets and quotes", () => {
  expect(findJson("{".repeat(50_000))).toEqual([]);
  expect(findJson('{"'.repeat(50_000))).toEqual([]);
});
