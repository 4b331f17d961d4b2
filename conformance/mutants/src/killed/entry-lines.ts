import { DurablePlugin, type JournalLine } from "../reference/durable-plugin.js";

/** Writes a line for each entry of a batch, and the result at the end. */
class EntryLinesPlugin extends DurablePlugin {
  protected override append({ rows, lastRevisions, operations }: JournalLine): void {
    for (const row of rows) super.append({ rows: [row], lastRevisions, operations: [] });
    super.append({ rows: [], lastRevisions: [], operations });
  }
}

export function createPlugin(): DurablePlugin {
  return new EntryLinesPlugin();
}
