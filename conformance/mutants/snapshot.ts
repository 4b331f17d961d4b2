import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Verdict } from "./judge.js";

const FILE = fileURLToPath(new URL("./snapshot.json", import.meta.url));

/** Which checks each mutant turns red, as it was agreed to: what a change of a check changes shows here. */
export type Snapshot = Readonly<Record<string, readonly string[]>>;

export function readSnapshot(): Snapshot {
  return JSON.parse(readFileSync(FILE, "utf8")) as Snapshot;
}

/** Pins these verdicts, and keeps what is pinned of the other mutants that there are. */
export function writeSnapshot(verdicts: readonly Verdict[], mutantIds: readonly string[]): void {
  const pinned = readSnapshot();
  const judged = new Map(verdicts.map(({ id, turned_red }) => [id, turned_red]));
  const entries = [...mutantIds].sort().map((id) => [id, judged.get(id) ?? pinned[id] ?? []] as const);
  const snapshot = Object.fromEntries(entries);
  writeFileSync(FILE, `${JSON.stringify(snapshot, null, 2)}\n`);
}

/** What of a verdict is not as agreed; undefined when all is. */
export function surpriseOf(
  { id, check, ok, said, turned_red }: Verdict,
  snapshot: Snapshot,
): string | undefined {
  if (!ok) return `${check} did not name the defect of ${id}; it said: ${said || "nothing"}`;
  const agreed = snapshot[id] ?? [];
  const more = turned_red.filter((red) => !agreed.includes(red));
  const fewer = agreed.filter((red) => !turned_red.includes(red));
  if (more.length === 0 && fewer.length === 0) return undefined;
  return `${id} turned red, against the snapshot: also [${more.join(", ")}], no longer [${fewer.join(", ")}]`;
}
