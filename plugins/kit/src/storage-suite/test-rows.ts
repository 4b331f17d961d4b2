import { createHash } from "node:crypto";
import { type Scope, scopeId } from "@membus/protocol";
import type { Row } from "../row.js";
import type { ScopedRow } from "../storage.js";

/** Vector length in the suite. */
export const DIMENSIONS = 8;
/** Analyzer and embedder of the suite's rows, unless a check sets others. */
export const ANALYZER = "suite-analyzer";
export const EMBEDDER = "suite-embedder";

export const TENANT = "acme";

/** Returns a scope of one agent. */
export function ownScope(agent: string, namespace = "default", tenant = TENANT): Scope {
  return { tier: "episodic", tenant, agent, namespace };
}

/** Returns a scope that all agents of a tenant share. */
export function sharedScope(namespace: string, tenant = TENANT): Scope {
  return { tier: "semantic", tenant, namespace };
}

export function keyHashOf(key: string | number): string {
  return createHash("sha256").update(`key ${key}`).digest("hex");
}

export function makeRow(rowId: number, changes: Partial<Row> = {}): Row {
  return {
    rowId,
    keyHash: keyHashOf(rowId),
    revision: 1_700_000_000_000_000 + rowId,
    seq: 1_600_000_000_000_000 + rowId,
    created: 1_700_000_000.25,
    updated: 1_700_000_001.5,
    occurredAt: 1_600_000_000,
    expiresAt: 0,
    importance: 0.1,
    group: "",
    facets: `{"key":{"id":${rowId}},"tags":["tag ${rowId}"],"source":"alice","author":"alice"}`,
    body: `{"content":"body of ${rowId}","ttl":null}`,
    terms: Uint32Array.of(rowId % 2 ** 32, 4_000_000_000),
    analyzer: ANALYZER,
    embedder: EMBEDDER,
    vector: Float32Array.from({ length: DIMENSIONS }, (_, index) => Math.fround((rowId % 97) / (index + 3))),
    ...changes,
  };
}

export function scoped(scope: Scope, rows: readonly Row[]): ScopedRow[] {
  const id = scopeId(scope);
  return rows.map((row) => ({ scope: id, row }));
}

/** Returns `count` rows with ids from `first` on. */
export function makeRows(first: number, count: number, changes: Partial<Row> = {}): Row[] {
  return Array.from({ length: count }, (_, index) => makeRow(first + index, changes));
}
