import { decodeRows, encodeRows, type ScopedRow } from "@membus/plugin-kit";

type RowPlace = Pick<ScopedRow, "scope"> & { readonly rowId: number };

/** What was done to a table since some version of it: as much as is needed to do it again. */
export class TableChanges {
  readonly #rows = new Map<number, ScopedRow>();
  /** Scopes by row. */
  readonly #removed = new Map<number, string>();
  /** By scope, the row from which on nothing of that version counts. */
  readonly #takenBack = new Map<string, number>();

  get isEmpty(): boolean {
    return this.#rows.size + this.#removed.size + this.#takenBack.size === 0;
  }

  get rows(): readonly ScopedRow[] {
    return [...this.#rows.values()];
  }

  /** Rows that the version must not have before `rows` are added: those that went, and those, as it may have some. */
  get goneRowIds(): readonly number[] {
    return [...this.#removed.keys(), ...this.#rows.keys()];
  }

  get takenBack(): readonly (readonly [scope: string, rowId: number])[] {
    return [...this.#takenBack];
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

  takeBack(rowId: number, scopes: readonly string[]): void {
    const taken = new Set(scopes);
    for (const scope of taken) {
      this.#takenBack.set(scope, Math.min(rowId, this.#takenBack.get(scope) ?? rowId));
    }
    for (const { scope, row } of this.rows) {
      if (row.rowId >= rowId && taken.has(scope)) this.#rows.delete(row.rowId);
    }
  }

  /** Adds what was done after these. */
  add(later: TableChanges): void {
    for (const [scope, rowId] of later.#takenBack) this.takeBack(rowId, [scope]);
    this.remove([...later.#removed].map(([rowId, scope]) => ({ scope, rowId })));
    this.append(later.rows);
  }

  encode(): Uint8Array {
    const notes = { removed: [...this.#removed], takenBack: [...this.#takenBack] };
    return encodeRows({ notes: JSON.stringify(notes), rows: this.rows });
  }

  /** @throws {RangeError} for bytes that are damaged. */
  static decode(bytes: Uint8Array): TableChanges {
    const { notes, rows } = decodeRows(bytes);
    const { removed, takenBack } = JSON.parse(notes) as {
      removed: [number, string][];
      takenBack: [string, number][];
    };
    const changes = new TableChanges();
    for (const [scope, rowId] of takenBack) changes.takeBack(rowId, [scope]);
    changes.remove(removed.map(([rowId, scope]) => ({ rowId, scope })));
    changes.append(rows);
    return changes;
  }
}
