import { posix } from "node:path";
import type ts from "typescript";
import { importsOf, resolveSpecifier } from "../imports.js";
import { type Finding, finding } from "../syntax.js";

const LOOSE_FILES_MAX = 12;

/** Packages whose rooms have an order: each may import only those before it. */
export const ROOM_ORDER: Readonly<Record<string, readonly string[]>> = {
  "plugins/kit": ["search", "quotas", "journal", "lifecycle", "operations", "storage-suite"],
};

/** An import from one place of a package into another, types included. A place is a room, or a loose file. */
interface Arrow {
  readonly node: ts.Node;
  readonly from: string;
  readonly to: string;
  /** The file that is imported. */
  readonly target: string;
}

/**
 * What is wrong with the rooms of the package in `folder`: a room is a folder directly in its `src` that has a door,
 * `index.ts`. Finds too many loose files, imports that pass by a door, that go against `order`, or that lead back to
 * where they come from. The package's own `index.ts` may list what is public straight from the file that has it.
 */
export function checkRooms(
  folder: string,
  sources: readonly ts.SourceFile[],
  order: readonly string[] = [],
): Finding[] {
  const home = `${folder}/src`;
  const own = sources.filter(({ fileName }) => fileName.startsWith(`${home}/`));
  const paths = own.map(({ fileName }) => fileName);
  const rooms = roomsOf(paths, home);
  const arrows = own.flatMap((source) => arrowsOf(source, home, rooms));
  return [
    ...checkLoose(paths, home),
    ...arrows.flatMap((arrow) => checkDoor(arrow, home, rooms)),
    ...checkOrder(arrows, order, rooms),
    ...checkCycles(arrows),
    ...checkCycles(own.flatMap((source) => arrowsWithin(source, home, rooms))),
  ];
}

/** The imports from one file of a room into another of it. */
function arrowsWithin(source: ts.SourceFile, home: string, rooms: readonly string[]): Arrow[] {
  return arrowsOf(source, home, []).filter(({ target }) => {
    const room = placeOf(source.fileName, home, rooms);
    return rooms.includes(room) && room === placeOf(target, home, rooms);
  });
}

function roomsOf(paths: readonly string[], home: string): string[] {
  const folders = paths
    .filter((path) => posix.basename(path) === "index.ts")
    .map((path) => posix.dirname(path));
  return folders.filter((path) => posix.dirname(path) === home).map((path) => posix.basename(path));
}

function arrowsOf(source: ts.SourceFile, home: string, rooms: readonly string[]): Arrow[] {
  const from = placeOf(source.fileName, home, rooms);
  return importsOf(source).flatMap(({ node, specifier }) => {
    const target = specifier?.startsWith(".")
      ? resolveSpecifier(specifier, source.fileName, new Map())
      : undefined;
    if (target === undefined || !target.startsWith(`${home}/`)) return [];
    const to = placeOf(target, home, rooms);
    return from === to ? [] : [{ node, from, to, target }];
  });
}

/** `room` for a file of a room, else its path below `src`. */
function placeOf(path: string, home: string, rooms: readonly string[]): string {
  const inside = posix.relative(home, path);
  return rooms.find((room) => inside.startsWith(`${room}/`)) ?? inside;
}

function checkLoose(paths: readonly string[], home: string): Finding[] {
  const count = paths.filter((path) => posix.dirname(path) === home).length;
  if (count <= LOOSE_FILES_MAX) return [];
  return [
    `${home}:1 has ${count} loose files, more than ${LOOSE_FILES_MAX}: put what belongs together into rooms`,
  ];
}

function checkDoor({ node, from, to, target }: Arrow, home: string, rooms: readonly string[]): Finding[] {
  if (from === "index.ts" || !rooms.includes(to) || target === `${home}/${to}/index.ts`) return [];
  return [finding(node, `passes by the door of ${to}: import ${to}/index.js`)];
}

function checkOrder(arrows: readonly Arrow[], order: readonly string[], rooms: readonly string[]): Finding[] {
  const missing = order.filter((room) => !rooms.includes(room));
  const upward = arrows.filter(
    ({ from, to }) => order.includes(from) && order.indexOf(to) > order.indexOf(from),
  );
  return [
    ...missing.map((room) => `tools/tidy/rules/rooms.ts:1 ${room} has a place in the order, and is no room`),
    ...upward.map(({ node, from, to }) =>
      finding(node, `${from} may not import ${to}, which comes after it`),
    ),
  ];
}

/** One finding for each set of places that all lead to each other, at its first import. */
function checkCycles(arrows: readonly Arrow[]): Finding[] {
  const found = new Set<string>();
  return arrows.flatMap((arrow) => {
    const back = shortestWay(arrow.to, arrow.from, arrows);
    if (back === undefined || back.some((place) => found.has(place))) return [];
    for (const place of back) found.add(place);
    return [finding(arrow.node, `imports in a circle: ${[arrow.from, ...back].join(" -> ")}`)];
  });
}

function shortestWay(from: string, to: string, arrows: readonly Arrow[]): string[] | undefined {
  const ways = new Map([[from, [from]]]);
  for (const [place, way] of ways) {
    if (place === to) return way;
    for (const next of arrows) {
      if (next.from === place && !ways.has(next.to)) ways.set(next.to, [...way, next.to]);
    }
  }
  return undefined;
}
