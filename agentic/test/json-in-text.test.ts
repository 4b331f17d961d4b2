import fc from "fast-check";
import { expect, it } from "vitest";
import { jsonIn } from "../src/model/ask/json-in-text.js";

it.each<[string, unknown[]]>([
  ['{"a":1}', [{ a: 1 }]],
  [" [1, 2]\n", [[1, 2]]],
  ["no JSON here", []],
  ["", []],
  ['{"a":', []],
  ['first {"a":"} {"} then [2]', [{ a: "} {" }, [2]]],
  ['a quote: {"a":"\\"}"}', [{ a: '"}' }]],
  ['{not json} {"a":1}', [{ a: 1 }]],
])("in %j there is %j", (text, values) => {
  expect(jsonIn(text)).toEqual(values);
});

it("finds any object, whatever words stand around it", () => {
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
        expect(jsonIn(`${before}: ${JSON.stringify(value)} ${after}`)[0]).toEqual(written);
      },
    ),
  );
});

it("ends on texts that are made of brackets and quotes", () => {
  expect(jsonIn("{".repeat(50_000))).toEqual([]);
  expect(jsonIn('{"'.repeat(50_000))).toEqual([]);
});
