import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { REPOSITORY, sources } from "./sources.js";

const chapter = (name: string) => readFileSync(`${REPOSITORY}protocol/spec/${name}`, "utf8");

/** The names of the table of limits, and of the bounds that chapter 4 adds for other errors than `too_large`. */
function writtenLimits(): string[] {
  const [, table] = /<!-- begin limits -->([\s\S]+)<!-- end limits -->/.exec(chapter("01-envelope.md"))!;
  const [, others] = /^\| `limit`, `max` \| (.+) \|$/m.exec(chapter("04-errors.md"))!;
  const inTable = [...table!.matchAll(/^\| `(\w+)` \|/gm)];
  const inRow = [...others!.matchAll(/: `(\w+)`,/g)];
  return [...inTable, ...inRow].map(([, name]) => name!);
}

/** The names that `source` puts into the `limit` of an error's detail. */
function limitsNamed(source: string): string[] {
  const named = source.matchAll(/(?:\blimit: |throwOverLimit\()"(\w+)",\s*(?:max|LIMITS)\b/g);
  return [...named].map(([, name]) => name!);
}

it("every limit that an error names is a written one (clause LIMIT-3)", () => {
  const named = new Set(sources().flatMap((path) => limitsNamed(readFileSync(path, "utf8"))));
  expect([...named]).toEqual(
    expect.arrayContaining(["messageBytes", "depth", "subtreePartitions", "backlog"]),
  );
  const written = writtenLimits();
  expect(written).toEqual(expect.arrayContaining(["entryBytes", "deadlineMs", "partitionRows", "backlog"]));
  expect([...named].filter((name) => !written.includes(name))).toEqual([]);
});

it("limits are found in every way of naming them", () => {
  expect(limitsNamed('{ limit: "max_payload", max, got }')).toEqual(["max_payload"]);
  expect(limitsNamed('{\n  limit: "bytes",\n  max: 8,\n}')).toEqual(["bytes"]);
  expect(limitsNamed('throwOverLimit("depth", LIMITS.depth, got)')).toEqual(["depth"]);
  expect(limitsNamed('{ limit: "ten" }')).toEqual([]);
});
