import { randomUUID } from "node:crypto";
import type { ForgetRequest } from "@membus/agent-client";
import { LIMITS } from "@membus/protocol";
import { kindIs } from "./facts/fact.js";
import { setForgetMark } from "./facts/forget-mark.js";
import { MEMORY_KINDS } from "./recall/memory.js";
import type { Shelf } from "./shelf.js";

/** What to forget: by one of the three. */
export type Forgetting = (
  | { readonly ids: readonly string[] }
  | { readonly category: string }
  | { readonly all: true }
) & {
  /** Also what was derived from it, on a host that knows of that: another one refuses it. */
  readonly cascade?: boolean | undefined;
};

/** Memories of every kind that meet it, current or not. @returns how many there were. */
export async function forgetIn(shelf: Shelf, what: Forgetting): Promise<number> {
  const cascade = what.cascade === true ? { cascade: true } : {};
  if ("all" in what) return shelf.forget({ ...cascade, where: kindIs(...MEMORY_KINDS) } as ForgetRequest);
  if ("category" in what) {
    const category = { field: "metadata.category", op: "eq" as const, value: what.category };
    return shelf.forget({ ...cascade, where: { all: [kindIs(...MEMORY_KINDS), category] } } as ForgetRequest);
  }
  let deleted = 0;
  const keys = what.ids.flatMap((id) => [
    { fact: id },
    { experience: id },
    { guideline: id },
    { tool_call: id },
  ]);
  for (let from = 0; from < keys.length; from += LIMITS.criteriaKeys) {
    deleted += await shelf.forget({
      ...cascade,
      keys: keys.slice(from, from + LIMITS.criteriaKeys),
    } as ForgetRequest);
  }
  return deleted;
}

/** What is being decided about now is not written any more. */
export async function markForgotten(shelf: Shelf): Promise<void> {
  await setForgetMark(shelf, randomUUID());
}
