import { truncateSync } from "node:fs";
import { join } from "node:path";
import { DurablePlugin } from "../reference/durable-plugin.js";

/** Its maintenance empties the journal, and writes the rows that there are into it. */
class CompactsInPlacePlugin extends DurablePlugin {
  override async maintain(): Promise<void> {
    await super.maintain();
    const { rows, ...rest } = this.rewritten();
    const directory = this.services.dataDirectory!;
    this.journal.close();
    truncateSync(join(directory, "journal.jsonl"));
    this.journal = this.openJournal(directory);
    this.append({ rows: [], ...rest });
    for (const row of rows) this.append({ rows: [row], lastRevisions: [], operations: [] });
  }
}

export function createPlugin(): DurablePlugin {
  return new CompactsInPlacePlugin();
}
