import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { REPOSITORY, sources } from "./sources.js";

const chapter = (name: string) => readFileSync(`${REPOSITORY}protocol/spec/${name}`, "utf8");

/**
 * Returns the documented limits: the table of limits, and the limits that chapter 4 adds for errors other
 * than `too_large`.
 */
function writtenLimits(): string[] {
  const [, table] = /<!-- begin limits -->([\s\S]+)<!-- end limits -->/.exec(chapter("01-envelope.md"))!;
  const inTable = [...table!.matchAll(/^\| `(\w+)` \|/gm)];
  const rows = chapter("04-errors.md").matchAll(
    /^\| `(?:memory_full|overloaded)` \| (`\w+`(?:, `\w+`)*) \|/gm,
  );
  const others = [...rows].flatMap(([, names]) => [...names!.matchAll(/`(\w+)`/g)]);
  return [...inTable, ...others].map(([, name]) => name!);
}

/** Returns the names that `source` uses as `limit` of an error's detail. */
function limitsNamed(source: string): string[] {
  const named = source.matchAll(/(?:\blimit: |throwOverLimit\()"(\w+)",\s*(?:max|LIMITS)\b/g);
  return [...named].map(([, name]) => name!);
}

it("every limit in an error is documented (clause LIMIT-3)", () => {
  const named = new Set(sources().flatMap((path) => limitsNamed(readFileSync(path, "utf8"))));
  expect([...named]).toEqual(
    expect.arrayContaining(["messageBytes", "depth", "subtreePartitions", "backlog"]),
  );
  const written = writtenLimits();
  expect(written).toEqual(expect.arrayContaining(["entryBytes", "deadlineMs", "partitionRows", "backlog"]));
  expect([...named].filter((name) => !written.includes(name))).toEqual([]);
});

it("limits are found in all forms", () => {
  expect(limitsNamed('{ limit: "max_payload", max, got }')).toEqual(["max_payload"]);
  expect(limitsNamed('{\n  limit: "bytes",\n  max: 8,\n}')).toEqual(["bytes"]);
  expect(limitsNamed('throwOverLimit("depth", LIMITS.depth, got)')).toEqual(["depth"]);
  expect(limitsNamed('{ limit: "ten" }')).toEqual([]);
});
