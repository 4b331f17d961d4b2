import { DurablePlugin, type JournalLine } from "../reference/durable-plugin.js";
import type { Row } from "../reference/row.js";

interface WrittenRow extends Row {
  writtenBy?: string;
}

/** After a crash recognises an operation by its rows, until they are overwritten. */
class ResultsInRowsPlugin extends DurablePlugin {
  protected override async storeOne(...[partition, item, op]: Parameters<DurablePlugin["storeOne"]>) {
    const key = this.rowKey(item);
    const written = partition.rows.get(key) as WrittenRow | undefined;
    const { index, key_hash } = item;
    if (written?.writtenBy === op.id) {
      return { receipt: { index, key_hash, outcome: "created" as const, revision: written.revision } };
    }
    const fate = await super.storeOne(partition, item, op);
    const row = partition.rows.get(key) as WrittenRow | undefined;
    if (row !== undefined) row.writtenBy = op.id;
    return fate;
  }

  protected override append(line: JournalLine): void {
    super.append({ ...line, operations: [] });
  }

  protected override rewritten(): JournalLine {
    return { ...super.rewritten(), operations: [] };
  }
}

export function createPlugin(): DurablePlugin {
  return new ResultsInRowsPlugin();
}
