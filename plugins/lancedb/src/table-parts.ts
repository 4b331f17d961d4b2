import type { StoragePart, StorageParts } from "@membus/plugin-kit";
import type { TableStore } from "./store/table-store.js";

/** Tables of a storage as its parts, each marked with the folder that it belongs to. */
export class TableParts implements StorageParts {
  readonly #store: TableStore;
  /** Number of changes per table, so that a concurrent change is reported again. */
  readonly #changed = new Map<string, number>();
  readonly #marked = new Set<string>();

  constructor(store: TableStore) {
    this.#store = store;
  }

  /** Records a write to a table. */
  note(name: string): void {
    this.#changed.set(name, (this.#changed.get(name) ?? 0) + 1);
  }

  /** Removes a deleted table. */
  dropped(name: string): void {
    this.#changed.delete(name);
    this.#marked.delete(name);
  }

  async list(): Promise<readonly StoragePart[]> {
    const parts: StoragePart[] = [];
    for (const name of (await this.#store.list()).tables) {
      const table = this.#store.table(name);
      parts.push({ name, owner: await table.owner(), ...(await table.content()) });
    }
    return parts;
  }

  async recordOwner(folderId: string): Promise<readonly StoragePart[]> {
    const changed = [...this.#changed];
    const parts: StoragePart[] = [];
    for (const [name] of changed) {
      const table = this.#store.table(name);
      if (!this.#marked.has(name)) await table.claim(folderId);
      this.#marked.add(name);
      parts.push({ name, owner: folderId, ...(await table.content()) });
    }
    for (const [name, count] of changed) if (this.#changed.get(name) === count) this.#changed.delete(name);
    return parts;
  }

  setAside(name: string): Promise<string> {
    return this.#store.table(name).setAside();
  }
}
