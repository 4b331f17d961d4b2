import { expect, it } from "vitest";
import { PACKAGES, SOURCES } from "./repository.js";
import { checkRooms, ROOM_ORDER } from "./rules/rooms.js";
import { parseSource } from "./syntax.js";

const HOUSE = {
  "search/index.ts": 'export { rank } from "./rank.js";',
  "search/rank.ts": 'import "./score.js"; import "../clock.js"; export const rank = 1;',
  "search/score.ts": "",
  "journal/index.ts": 'export { append } from "./append.js";',
  "journal/append.ts": 'import { rank } from "../search/index.js"; export const append = rank;',
  "plain/leaf.ts": 'import "../clock.js";',
  "clock.ts": "",
  "index.ts": 'export { append } from "./journal/append.js"; export { rank } from "./search/index.js";',
};

function check(changed: Readonly<Record<string, string>>, order?: readonly string[]): string[] {
  const files = Object.entries({ ...HOUSE, ...changed });
  return checkRooms(
    "p/kit",
    files.map(([path, text]) => parseSource(`p/kit/src/${path}`, text)),
    order,
  );
}

it.each(PACKAGES.map(({ folder }) => folder))("holds in %s", (folder) => {
  expect(checkRooms(folder, SOURCES, ROOM_ORDER[folder])).toEqual([]);
});

it("names packages that there are", () => {
  const folders = PACKAGES.map(({ folder }) => folder);
  const named = Object.keys(ROOM_ORDER);
  expect(named.filter((folder) => !folders.includes(folder))).toEqual([]);
});

it("finds nothing where doors are used, and knows folders without a door for no rooms", () => {
  expect(
    check({ "clock.ts": 'import "./plain/leaf.js";', "plain/leaf.ts": "" }, ["search", "journal"]),
  ).toEqual([]);
});

it("counts the loose files of a package, and no others", () => {
  const more = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`more${index}.ts`, ""]));
  const expected = "p/kit/src:1 has 13 loose files, more than 12: put what belongs together into rooms";
  expect(check(more(10))).toEqual([]);
  expect(check(more(11))).toEqual([expected]);
});

it.each([
  'import { rank } from "../search/rank.js";',
  'import type { Rank } from "../search/rank.js";',
  'export * from "../search/rank.js";',
  'type Rank = import("../search/rank.js").Rank;',
])("finds what passes by a door: %s", (code) => {
  const expected = (path: string) =>
    `p/kit/src/${path}:1 passes by the door of search: import search/index.js`;
  expect(check({ "journal/append.ts": code })).toEqual([expected("journal/append.ts")]);
  expect(check({ "tier.ts": code.replace("../", "./") })).toEqual([expected("tier.ts")]);
});

it("finds an import against the order of rooms, types included, and an order of rooms that are not there", () => {
  expect(check({}, ["journal", "search"])).toEqual([
    "p/kit/src/journal/append.ts:1 journal may not import search, which comes after it",
  ]);
  expect(
    check({ "journal/append.ts": 'import type { R } from "../search/index.js";' }, ["journal", "search"]),
  ).toHaveLength(1);
  expect(check({}, ["search", "cellar"])).toEqual([
    "tidy/rules/rooms.ts:1 cellar has a place in the order, and is no room",
  ]);
});

it("finds rooms that import each other, types included", () => {
  expect(check({ "search/score.ts": 'import type { A } from "../journal/index.js";' })).toEqual([
    "p/kit/src/search/score.ts:1 imports in a circle: search -> journal -> search",
  ]);
});

it("finds files of one room that import each other", () => {
  const found = check({
    "journal/a.ts": 'import type { B } from "./b.js";',
    "journal/b.ts": 'import type { A } from "./a.js";',
  });
  expect(found).toEqual([
    "p/kit/src/journal/a.ts:1 imports in a circle: journal/a.ts -> journal/b.ts -> journal/a.ts",
  ]);
});

it("finds a circle by way of loose files, and one of loose files alone", () => {
  expect(check({ "clock.ts": 'import type { A } from "./journal/index.js";' })).toEqual([
    "p/kit/src/search/rank.ts:1 imports in a circle: search -> clock.ts -> journal -> search",
  ]);
  expect(
    check({ "a.ts": 'import type { B } from "./b.js";', "b.ts": 'import type { A } from "./a.js";' }),
  ).toEqual(["p/kit/src/a.ts:1 imports in a circle: a.ts -> b.ts -> a.ts"]);
});
