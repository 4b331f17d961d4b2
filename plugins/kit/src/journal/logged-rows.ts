import { parseScopeId } from "@membus/protocol";
import { decodeHead } from "./record.js";

/** What the records behind the flush marker take away from storage. */
export class LoggedRows {
  readonly #flushedSeq: number;
  readonly #removed = new Set<number>();
  readonly #countByTenant = new Map<string, number>();

  constructor(flushedSeq: number) {
    this.#flushedSeq = flushedSeq;
  }

  add(seq: number, payload: Uint8Array): void {
    const { scope, read } = decodeHead(payload);
    if (seq <= this.#flushedSeq) return;
    const { removed, elsewhere = [] } = read();
    for (const part of [{ scope, removed }, ...elsewhere]) {
      for (const rowId of part.removed) this.#removed.add(rowId);
      if (part.scope === "") continue;
      const { tenant } = parseScopeId(part.scope);
      this.#countByTenant.set(tenant, (this.#countByTenant.get(tenant) ?? 0) + part.removed.length);
    }
  }

  isRemoved(rowId: number): boolean {
    return this.#removed.has(rowId);
  }

  /** Of all tenants where none is given. */
  removedCount(tenant: string | undefined): number {
    if (tenant !== undefined) return this.#countByTenant.get(tenant) ?? 0;
    return this.#removed.size;
  }
}
