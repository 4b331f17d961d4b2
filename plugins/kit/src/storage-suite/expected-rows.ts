import { parseScopeId, type Scope, scopeId } from "@membus/protocol";
import type { Row } from "../row.js";
import type { ScopedRow, Storage } from "../storage.js";
import { expectEqual, expectMembers } from "./expectation.js";
import { expectRow, loadRows } from "./read-rows.js";

/** Expected contents of a storage: a map that is updated after each change of the storage. */
export class ExpectedRows {
  readonly #scopes = new Map<string, Map<number, Row>>();

  async append(storage: Storage, rows: readonly ScopedRow[]): Promise<void> {
    await storage.append(rows);
    this.add(rows);
  }

  async remove(storage: Storage, scope: Scope, rowIds: readonly number[]): Promise<void> {
    await storage.remove(rowIds.map((rowId) => ({ scope: scopeId(scope), rowId })));
    this.drop(scopeId(scope), rowIds);
  }

  async removeFrom(storage: Storage, first: number, scopes: readonly Scope[]): Promise<void> {
    await storage.removeFrom(first, scopes.map(scopeId));
    for (const id of scopes.map(scopeId))
      this.drop(
        id,
        this.idsOf(id).filter((rowId) => rowId >= first),
      );
  }

  add(rows: readonly ScopedRow[]): void {
    for (const { scope, row } of rows) {
      const expectedRows = this.#scopes.get(scope) ?? new Map<number, Row>();
      this.#scopes.set(scope, expectedRows.set(row.rowId, row));
    }
  }

  drop(scope: string, rowIds: readonly number[]): void {
    for (const rowId of rowIds) this.#scopes.get(scope)?.delete(rowId);
  }

  idsOf(scope: string): number[] {
    return [...(this.#scopes.get(scope)?.keys() ?? [])].sort((a, b) => a - b);
  }

  rowsOf(scope: string): Row[] {
    return [...(this.#scopes.get(scope)?.values() ?? [])].sort((a, b) => a.rowId - b.rowId);
  }

  /** All scopes that ever had rows. */
  get scopes(): string[] {
    return [...this.#scopes.keys()];
  }

  /** Expects the rows of every scope, each once and unchanged, from every read method. */
  async expectIn(storage: Storage, when: string): Promise<void> {
    for (const scope of this.scopes) await this.#expectScope(storage, scope, when);
    await this.expectScopes(storage, when);
  }

  /** Expects that `scopes` returns the scopes with rows for each tenant, and `tenants` all tenants with rows. */
  async expectScopes(storage: Storage, when: string): Promise<void> {
    const filled = this.scopes.filter((scope) => this.idsOf(scope).length > 0);
    const listed = storage.tenants?.();
    const unlisted = filled
      .map((scope) => parseScopeId(scope).tenant)
      .filter((tenant) => !listed?.includes(tenant));
    if (listed !== undefined) expectMembers(unlisted, [], `tenants that \`tenants\` leaves out ${when}`);
    for (const tenant of new Set(this.scopes.map((scope) => parseScopeId(scope).tenant))) {
      const found = (await storage.scopes(tenant)).map(scopeId);
      const expected = filled.filter((scope) => parseScopeId(scope).tenant === tenant);
      expectMembers(found, expected, `scopes of tenant ${tenant} ${when}`);
    }
  }

  async #expectScope(storage: Storage, scope: string, when: string): Promise<void> {
    const rows = this.rowsOf(scope);
    const ids = rows.map(({ rowId }) => rowId);
    const loaded = await loadRows(storage, scope);
    const where = `of scope ${scope} ${when}`;
    expectMembers(
      loaded.map(({ rowId }) => rowId),
      ids,
      `ids of rows that load returns ${where}`,
    );
    for (const [index, row] of rows.entries()) {
      expectRow(loaded[index]!, row, where);
    }
    const bodies = await storage.readBodies(scope, ids);
    expectMembers([...bodies.keys()], ids, `ids of rows that readBodies returns ${where}`);
    for (const { rowId, body } of rows)
      expectEqual(bodies.get(rowId), body, `the body of row ${rowId} ${where}`);
  }
}
