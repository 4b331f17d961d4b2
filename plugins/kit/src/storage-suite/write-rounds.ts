import { createHash } from "node:crypto";
import { scopeId } from "@membus/protocol";
import type { ScopedRow, Storage } from "../storage.js";
import { makeRow, ownScope } from "./test-rows.js";

/** Steps that a process runs in every round, in this order, until it is killed. */
export const ROUND_STEPS = ["append", "remove", "purge"] as const;

export type RoundStep = (typeof ROUND_STEPS)[number];

/** Scopes of the rounds, of two tenants. */
export const ROUND_SCOPES = [ownScope("alice"), ownScope("bob"), ownScope("alice", "notes", "other")].map(
  scopeId,
);

const ROUND_ROWS = 96;
/** Size of an incompressible body, so that a write takes long enough to be interrupted. */
const BODY_BYTES = 12 * 1024;
const REMOVED_ONE_OF = 3;

export function firstIdOf(round: number): number {
  return round * ROUND_ROWS;
}

export function rowsOf(round: number): ScopedRow[] {
  return Array.from({ length: ROUND_ROWS }, (_, index) => {
    const rowId = firstIdOf(round) + index;
    return {
      scope: ROUND_SCOPES[index % ROUND_SCOPES.length]!,
      row: makeRow(rowId, { body: bodyOf(rowId) }),
    };
  });
}

export function removedOf(round: number): { scope: string; rowId: number }[] {
  const removed = rowsOf(round).filter(
    (_, index) => Math.floor(index / ROUND_SCOPES.length) % REMOVED_ONE_OF === 0,
  );
  return removed.map(({ scope, row }) => ({ scope, rowId: row.rowId }));
}

/** Runs a step and syncs it. */
export async function runStep(storage: Storage, step: RoundStep, round: number): Promise<void> {
  switch (step) {
    case "append":
      await storage.append(rowsOf(round));
      return storage.sync();
    case "remove":
      await storage.remove(removedOf(round));
      return storage.sync();
    case "purge":
      await storage.maintain({ purge: true });
  }
}

function bodyOf(rowId: number): string {
  const bytes = createHash("shake256", { outputLength: BODY_BYTES }).update(`body ${rowId}`).digest("base64");
  return `{"content":"${bytes}","ttl":null}`;
}
