import { truncateSync } from "node:fs";
import { join } from "node:path";
import { DurablePlugin } from "../reference/durable-plugin.js";

/** Compacts in place: truncates the journal and then writes the rows to it. */
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
