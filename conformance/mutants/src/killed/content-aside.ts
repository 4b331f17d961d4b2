import { DurablePlugin, type JournalLine } from "../reference/durable-plugin.js";

/** Writes a row without its content. The content follows when the journal is rewritten. */
class ContentAsidePlugin extends DurablePlugin {
  protected override append({ rows, ...line }: JournalLine): void {
    super.append({ ...line, rows: rows.map((row) => ({ ...row, content: null })) });
  }
}

export function createPlugin(): DurablePlugin {
  return new ContentAsidePlugin();
}
