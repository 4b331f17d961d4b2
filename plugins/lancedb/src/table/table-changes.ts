import { decodeRows, encodeRows, type ScopedRow } from "@membus/plugin-kit";

type RowPlace = Pick<ScopedRow, "scope"> & { readonly rowId: number };

/** Changes of a table since a version, sufficient to repeat them. */
export class TableChanges {
  readonly #rows = new Map<number, ScopedRow>();
  /** Scopes by removed row. */
  readonly #removed = new Map<number, string>();
  /** First invalid row of the version, by scope. */
  readonly #removedFrom = new Map<string, number>();

  get isEmpty(): boolean {
    return this.#rows.size + this.#removed.size + this.#removedFrom.size === 0;
  }

  get rows(): readonly ScopedRow[] {
    return [...this.#rows.values()];
  }

  /**
   * Ids of rows that must be removed before `rows` are added: removed rows, and `rows` themselves, because
   * the version may contain some.
   */
  get rowIdsToRemove(): readonly number[] {
    return [...this.#removed.keys(), ...this.#rows.keys()];
  }

  get removedFrom(): readonly (readonly [scope: string, rowId: number])[] {
    return [...this.#removedFrom];
  }

  append(rows: readonly ScopedRow[]): void {
    for (const scoped of rows) {
      this.#removed.delete(scoped.row.rowId);
      this.#rows.set(scoped.row.rowId, scoped);
    }
  }

  remove(rows: readonly RowPlace[]): void {
    for (const { scope, rowId } of rows) {
      this.#rows.delete(rowId);
      this.#removed.set(rowId, scope);
    }
  }

  removeFrom(rowId: number, scopes: readonly string[]): void {
    const selected = new Set(scopes);
    for (const scope of selected) {
      this.#removedFrom.set(scope, Math.min(rowId, this.#removedFrom.get(scope) ?? rowId));
    }
    for (const { scope, row } of this.rows) {
      if (row.rowId >= rowId && selected.has(scope)) this.#rows.delete(row.rowId);
    }
  }

  /** Adds later changes. */
  add(later: TableChanges): void {
    for (const [scope, rowId] of later.#removedFrom) this.removeFrom(rowId, [scope]);
    this.remove([...later.#removed].map(([rowId, scope]) => ({ scope, rowId })));
    this.append(later.rows);
  }

  encode(): Uint8Array {
    const notes = { removed: [...this.#removed], takenBack: [...this.#removedFrom] };
    return encodeRows({ notes: JSON.stringify(notes), rows: this.rows });
  }

  /** @throws {RangeError} For damaged bytes. */
  static decode(bytes: Uint8Array): TableChanges {
    const { notes, rows } = decodeRows(bytes);
    const { removed, takenBack: removedFrom } = JSON.parse(notes) as {
      removed: [number, string][];
      takenBack: [string, number][];
    };
    const changes = new TableChanges();
    for (const [scope, rowId] of removedFrom) changes.removeFrom(rowId, [scope]);
    changes.remove(removed.map(([rowId, scope]) => ({ rowId, scope })));
    changes.append(rows);
    return changes;
  }
}
