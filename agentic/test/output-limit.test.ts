import { expect, it } from "vitest";
import { z } from "zod";
import { jsonSchemaOf } from "../src/model/generate/json-schema.js";
import { outputLimit } from "../src/model/generate/output-limit.js";

function limitOf(schema: z.ZodType): number {
  return outputLimit(jsonSchemaOf(schema), "answer");
}

it.each<[string, z.ZodType, number]>([
  ["a boolean", z.boolean(), 36],
  ["a short text", z.string().max(98), 95],
  ["an enum", z.enum(["new", "duplicate"]), 39],
  ["a small number", z.int().min(1).max(99), 34],
  ["null or a text", z.string().max(98).nullable(), 95],
  ["a list", z.array(z.string().max(97)).max(10), 659],
  ["an object", z.strictObject({ a: z.string().max(91) }), 95],
  ["a date", z.iso.date(), 40],
  ["a huge list", z.array(z.string().max(1_000)).max(1_000), 8_192],
])("derives the limit of %s", (_, schema, limit) => {
  expect(limitOf(schema)).toBe(limit);
});

interface Tree {
  readonly children: readonly Tree[];
}
const TreeSchema: z.ZodType<Tree> = z.lazy(() => z.object({ children: z.array(TreeSchema).max(2) }));

it.each<[string, z.ZodType, string]>([
  ["a list", z.object({ ids: z.array(z.int()) }), "`answer.ids` has no maxItems"],
  ["a text", z.object({ list: z.array(z.string()).max(3) }), "`answer.list[]` has no maxLength"],
  ["a number", z.object({ n: z.number() }), "`answer.n` has no minimum and maximum"],
  ["an option", z.union([z.null(), z.string()]), "`answer` has no maxLength"],
  ["a record", z.record(z.string(), z.boolean()), "`answer` allows additional fields"],
  ["any value", z.object({ x: z.unknown() }), "`answer.x` has no type"],
  ["a recursive schema", TreeSchema, "is recursive"],
])("rejects %s without a bound", (_, schema, problem) => {
  expect(() => limitOf(schema)).toThrow(problem);
});
