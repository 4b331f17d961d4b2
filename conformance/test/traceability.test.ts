import { readFileSync } from "node:fs";
import type { Feature } from "@membus/protocol/plugin";
import { describe, expect, it } from "vitest";
import { traceabilityMarkdown } from "../generate/traceability.js";
import type { Check } from "../src/catalogue/check.js";
import { CLAUSES, levelOf } from "../src/catalogue/clauses.js";
import { loadExclusions } from "../src/catalogue/exclusions.js";
import { loadProfiles } from "../src/catalogue/profile.js";
import { CHECKS } from "../src/checks/index.js";

const CHAPTER = readFileSync(new URL("../../protocol/spec/08-basic.md", import.meta.url), "utf8");
const EXCLUDED_SHARE_MAX = 0.05;

const EXCLUSIONS = loadExclusions();
const PROFILES = loadProfiles();
const CITED = new Set(CHECKS.flatMap(({ clauses }) => clauses));
const RANKING: readonly Feature[] = [
  "fields",
  "recency",
  "diversity",
  "expand",
  "explain",
  "snippet",
  "rerank",
  "context",
  "absolute",
  "generations",
];
const LINEAGE: readonly Feature[] = ["sources", "cascade"];
const MUSTS = [...CLAUSES.values()].filter(({ level }) => level === "MUST");

describe("clauses", () => {
  it("of level MUST have a check or a reason for having none", () => {
    const excluded = new Set(EXCLUSIONS.map(({ id }) => id));
    const bare = MUSTS.filter(({ id }) => !CITED.has(id) && !excluded.has(id));
    expect(bare.map(({ id, text }) => `${id} ${text}`)).toEqual([]);
  });

  it("are excluded in at most one case of twenty", () => {
    expect(EXCLUSIONS.length).toBeLessThanOrEqual(MUSTS.length * EXCLUDED_SHARE_MAX);
  });

  it("that are excluded exist, are of level MUST, and no check cites them", () => {
    const wrong = EXCLUSIONS.filter(({ id, level }) => level !== "MUST" || CITED.has(id));
    expect(wrong.map(({ id }) => id)).toEqual([]);
    expect(new Set(EXCLUSIONS.map(({ id }) => id)).size).toBe(EXCLUSIONS.length);
  });

  it("that checks cite exist, and are cited once", () => {
    const wrong = CHECKS.flatMap(({ id, clauses }) =>
      clauses
        .filter((clause, at) => !CLAUSES.has(clause) || clauses.indexOf(clause) !== at)
        .map((c) => `${id} ${c}`),
    );
    expect(wrong).toEqual([]);
  });

  it("of level MAY have no separate check, because they are optional", () => {
    const onlyMay = CHECKS.filter(({ clauses }) => clauses.every((id) => CLAUSES.get(id)?.level === "MAY"));
    expect(onlyMay.map(({ id }) => id)).toEqual([]);
  });
});

describe("ids of checks", () => {
  it("are unique, of the form area/what-holds", () => {
    const ids = CHECKS.map(({ id }) => id);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
    expect(ids.filter((id) => !/^[a-z]+(-[a-z]+)*\/[a-z0-9]+(-[a-z0-9]+)*$/.test(id))).toEqual([]);
  });

  it("differ from the areas, so that either can be selected", () => {
    const areas = new Set(CHECKS.map(({ area }) => area));
    expect(CHECKS.filter(({ id }) => areas.has(id)).map(({ id }) => id)).toEqual([]);
  });
});

describe("profiles", () => {
  it("are these, with these features", () => {
    const lines = PROFILES.map(
      ({ name, version, features = ["-"] }) => `${name} ${version} ${features.join()}`,
    );
    expect(lines).toEqual([
      "agents 1.0 agents",
      "basic 1.0 -",
      "core 1.0 -",
      "durable 1.0 durable",
      "erasure 1.0 purge,erasure",
      "host 1.0 -",
      `lineage 1.0 ${LINEAGE.join()}`,
      "list 1.0 list",
      `ranking 1.0 ${RANKING.join()}`,
      "records 1.0 -",
      "shared 1.0 shared",
      "similarity 1.0 similarity",
    ]);
  });

  it("list checks that exist, once each, in their order", () => {
    const known = new Set(CHECKS.map(({ id }) => id));
    for (const { name, checks } of PROFILES) {
      expect(
        checks.filter((id) => !known.has(id)),
        name,
      ).toEqual([]);
      expect(checks, name).toEqual([...new Set(checks)].sort());
    }
  });

  it("score every check in exactly one profile, except for `basic`", () => {
    const wrong = CHECKS.flatMap((check) => {
      const expected = check.profile ?? profileOf(check);
      const profiles = PROFILES.filter(
        ({ alone }) => alone === (check.profile === undefined ? undefined : true),
      );
      const found = profiles.filter(({ checks }) => checks.includes(check.id)).map(({ name }) => name);
      return found.join() === expected
        ? []
        : [`${check.id} (${levelOf(check.clauses)}) is in ${found.join() || "none"}, not in ${expected}`];
    });
    expect(wrong).toEqual([]);
  });
});

describe("the profile basic", () => {
  const basic = PROFILES.find(({ name }) => name === "basic")!;
  const ofBasic = CHECKS.filter(({ id }) => basic.checks.includes(id));

  it("tests the clauses that its chapter names, and no others", () => {
    const [, table] = /^## Clauses and fields\n([\s\S]+?)\n\| request \|/m.exec(CHAPTER)!;
    const named = [...table!.matchAll(/\[([A-Z]+(?:-[A-Z]+)?-\d+)\]/g)].map(([, id]) => id!);
    const tested = new Set(ofBasic.flatMap(({ clauses }) => clauses));
    expect(named.toSorted()).toEqual([...tested].sort());
  });

  it("needs no JavaScript plugins, no features of other profiles, and no restart except in skippable checks", () => {
    const wrong = ofBasic.filter(
      ({ routes, provisions = [], features = [], skippable = false }) =>
        !routes.includes("host") ||
        provisions.some((name) => name !== "second_tenant" && !(name === "restart" && skippable)) ||
        features.some((name) => !["ttl", "full_text", "similarity"].includes(name)),
    );
    expect(wrong.map(({ id }) => id)).toEqual([]);
  });
});

/**
 * Returns the profile of a check: by feature for rankings, lists and durability, otherwise by area, with
 * host-only checks separate.
 */
function profileOf({ area, routes, features = [] }: Check): string {
  const isOfPlugins = routes.includes("plugin");
  if (area === "records" && !LINEAGE.some((name) => features.includes(name))) return "records";
  if (isOfPlugins && RANKING.some((name) => features.includes(name))) return "ranking";
  if (isOfPlugins && LINEAGE.some((name) => features.includes(name))) return "lineage";
  if (isOfPlugins && features.includes("list")) return "list";
  if (isOfPlugins && features.includes("agents") && !features.includes("durable")) return "agents";
  if (isOfPlugins && ["purge", "erasure"].some((name) => features.includes(name as never))) return "erasure";
  if (features.includes("durable")) return "durable";
  if (!isOfPlugins) return "host";
  return (["similarity", "shared"] as const).find((name) => features.includes(name)) ?? "core";
}

describe("the table of traceability", () => {
  it("has a row for each clause, with its checks and their mutants, or the reason for having none", () => {
    const markdown = traceabilityMarkdown({
      clauses: [
        { id: "A-1", level: "MUST", text: "One." },
        { id: "A-2", level: "MUST", text: "Two." },
        { id: "A-3", level: "MAY", text: "Three." },
      ],
      checks: [
        { id: "a/one", clauses: ["A-1"] },
        { id: "a/both", clauses: ["A-1"] },
      ],
      mutants: [
        { id: "one-broken", check: "a/one" },
        { id: "both-broken", check: "a/both" },
        { id: "elsewhere", check: "b/other" },
      ],
      exclusions: new Map([["A-2", "Only a sender | could tell."]]),
    });
    expect(markdown).toContain("3 clauses: 1 tested by 2 checks, 1 excluded with a reason. 3 mutants.");
    expect(markdown.split("\n").filter((line) => line.startsWith("| A-"))).toEqual([
      "| A-1 | MUST | `a/one`<br>`a/both` | `one-broken`<br>`both-broken` |",
      "| A-2 | MUST | none: Only a sender \\| could tell. |  |",
      "| A-3 | MAY |  |  |",
    ]);
  });
});
