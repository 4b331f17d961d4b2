import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { REPOSITORY, sources } from "./sources.js";

const SPEC = join(REPOSITORY, "protocol/spec");
const ID = /[A-Z]+(?:-[A-Z]+)?-\d+/;

interface Clause {
  readonly id: string;
  readonly level: string;
  readonly text: string;
}

const CLAUSES = parse(readFileSync(join(SPEC, "clauses.yaml"), "utf8")) as Clause[];
const IDS = new Set(CLAUSES.map(({ id }) => id));

/** Clause ids that a chapter cites, by chapter. */
const CITED = new Map(
  readdirSync(SPEC)
    .filter((file) => file.endsWith(".md"))
    .map((file) => [file, citations(readFileSync(join(SPEC, file), "utf8"))]),
);

function citations(markdown: string): string[] {
  return [...markdown.matchAll(new RegExp(`\\[(${ID.source})\\]`, "g"))].map(([, id]) => id!);
}

/** Returns the ids after the words "clause" and "clauses", including ranges such as "A-1 to A-3". */
function clausesNamed(source: string): string[] {
  const flat = source.replace(/\n\s*(\*|\/\/)/g, "");
  const lists = flat.matchAll(new RegExp(`clauses? ((?:${ID.source}(?:, | and | to )?)+)`, "g"));
  return [...lists].flatMap(([, list]) => {
    const [first, last] = list!.split(" to ");
    if (last === undefined) return [...list!.matchAll(new RegExp(ID, "g"))].map(([id]) => id);
    const [from, to] = [first!, last].map((id) => Number(/\d+/.exec(id)![0]));
    const area = first!.replace(/\d+$/, "");
    return Array.from({ length: to! - from! + 1 }, (_, step) => `${area}${from! + step}`);
  });
}

describe("clauses", () => {
  it("have unique ids of the same form", () => {
    expect(CLAUSES.length).toBeGreaterThan(150);
    expect(IDS.size).toBe(CLAUSES.length);
    for (const { id } of CLAUSES) expect(id).toMatch(new RegExp(`^${ID.source}$`));
  });

  it("are numbered without gaps in their area", () => {
    const next = new Map<string, number>();
    for (const { id } of CLAUSES) {
      const area = id.replace(/-\d+$/, "");
      const number = (next.get(area) ?? 0) + 1;
      expect(id).toBe(`${area}-${number}`);
      next.set(area, number);
    }
  });

  it("have one level each and consist of complete sentences", () => {
    for (const { id, level, text } of CLAUSES) {
      expect(["MUST", "SHOULD", "MAY"], id).toContain(level);
      expect(text, id).toMatch(/^[A-Z`].*[^.]\.$/);
    }
  });

  it("are each cited by a chapter", () => {
    const cited = new Set([...CITED.values()].flat());
    expect([...IDS].filter((id) => !cited.has(id))).toEqual([]);
  });

  it.each([...CITED])("cited in %s exist", (_file, ids) => {
    expect(ids.filter((id) => !IDS.has(id))).toEqual([]);
  });

  it("cited in sources exist", () => {
    const unknown = sources().flatMap((path) =>
      clausesNamed(readFileSync(path, "utf8"))
        .filter((id) => !IDS.has(id))
        .map((id) => `${path.slice(REPOSITORY.length)}: ${id}`),
    );
    expect(unknown).toEqual([]);
  });

  it("are found in comments in all citation forms", () => {
    expect(clausesNamed("(clause KEY-1)")).toEqual(["KEY-1"]);
    expect(clausesNamed("(clauses CRIT-7 to CRIT-9)")).toEqual(["CRIT-7", "CRIT-8", "CRIT-9"]);
    expect(clausesNamed("clauses ENV-4, ENV-6 and ENV-VALUE-1.")).toEqual(["ENV-4", "ENV-6", "ENV-VALUE-1"]);
    expect(clausesNamed("(clauses\n * SUBJ-1)")).toEqual(["SUBJ-1"]);
    expect(clausesNamed("UTF-16 and UTF-8")).toEqual([]);
  });
});
