import { DurablePlugin, type JournalLine } from "../reference/durable-plugin.js";
import type { Row } from "../reference/row.js";

/** Writes every row before and after its store. After a crash it treats both as entries. */
class PendingRowsPlugin extends DurablePlugin {
  readonly #seen = new Set<string>();

  protected override append(line: JournalLine): void {
    super.append({ rows: line.rows, lastRevisions: [], operations: [] });
    super.append(line);
  }

  protected override replayRow(row: Row): void {
    const id = `${row.key_hash} ${row.revision}`;
    const { rows } = this.partition(row.scope);
    if (this.#seen.has(id)) rows.set(`again ${id}`, row);
    else super.replayRow(row);
    this.#seen.add(id);
  }
}

export function createPlugin(): DurablePlugin {
  return new PendingRowsPlugin();
}
