import type { Choice } from "../../picker.js";

export interface Namespace {
  /** The path of the namespace. */
  readonly value: string;
  /** Number of entries stored at this path. */
  readonly count: number;
}

/** Returns every path with the number of entries at it and below, in alphabetical order. */
export function namespaceChoices(
  items: readonly Namespace[],
  hrefOf: (namespace: string) => string,
): readonly Choice[] {
  const counts = new Map<string, number>();
  for (const { value, count } of items) {
    const segments = value.split("/");
    for (let length = 1; length <= segments.length; length++) {
      const path = segments.slice(0, length).join("/");
      counts.set(path, (counts.get(path) ?? 0) + count);
    }
  }
  const sorted = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([name, count]) => ({ name, href: hrefOf(`${name}/**`), count }));
}
