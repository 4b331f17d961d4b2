import type { TenantTable } from "./tenant-table.js";

/** A table that is being opened, open or being closed, and the number of its users. */
export class OpenTable {
  table?: TenantTable;
  closing?: Promise<void> | undefined;
  #userCount = 0;
  #waiting: (() => void)[] = [];

  constructor(readonly opening: Promise<TenantTable>) {}

  get isUsed(): boolean {
    return this.#userCount > 0;
  }

  enter(): void {
    this.#userCount++;
  }

  leave(): void {
    this.#userCount--;
    if (!this.isUsed) for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Returns the table once it has no users. Undefined if it could not be opened. */
  async whenUnused(): Promise<TenantTable | undefined> {
    const table = await this.opening.catch(() => undefined);
    if (table !== undefined) await this.unused();
    return table;
  }

  /** Resolves once the table has no users. */
  async unused(): Promise<void> {
    if (this.isUsed) await new Promise<void>((resolve) => void this.#waiting.push(resolve));
  }
}
