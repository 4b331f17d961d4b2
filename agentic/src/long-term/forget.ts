import type { ForgetRequest } from "@membus/agent-client";
import { isMemoryError } from "@membus/protocol";
import { kindIs } from "../kind-filter.js";
import { lineageOf } from "./facts/history.js";
import { keysOf, MEMORY_KINDS } from "./recall/memory.js";
import type { NamespaceView } from "./shelf.js";

/** What to forget: by one of the three. */
export type Forgetting = (
  | {
      readonly ids: readonly string[];
      /** Also all that these facts have replaced, and all that has replaced them. */
      readonly history?: boolean | undefined;
    }
  | { readonly category: string }
  | { readonly all: true }
) & {
  /** Also what was derived from it, on a host that knows of that: another one refuses it. */
  readonly cascade?: boolean | undefined;
};

/** Memories of every kind that meet it, current or not. @returns how many there were. */
export async function forgetIn(shelf: NamespaceView, what: Forgetting): Promise<number> {
  const cascade = (what.cascade === true ? { cascade: true } : {}) as ForgetRequest;
  if ("all" in what) return shelf.forget({ ...cascade, where: kindIs(...MEMORY_KINDS) });
  if ("category" in what) {
    const category = { field: "metadata.category", op: "eq" as const, value: what.category };
    return shelf.forget({ ...cascade, where: { all: [kindIs(...MEMORY_KINDS), category] } });
  }
  const ids = what.history === true ? await withHistory(shelf, what.ids) : what.ids;
  return shelf.forgetKeys(ids.flatMap(keysOf), cascade);
}

async function withHistory(shelf: NamespaceView, ids: readonly string[]): Promise<string[]> {
  const all = new Set(ids);
  for (const id of ids) {
    try {
      for (const fact of await lineageOf(shelf, id)) all.add(fact.id);
    } catch (error) {
      if (!isMemoryError(error) || error.code !== "memory_not_found") throw error;
    }
  }
  return [...all];
}
