import { DurablePlugin, type JournalLine } from "../reference/durable-plugin.js";

/** Notes that a store is done, and then writes what it stored. */
class ResultsFirstPlugin extends DurablePlugin {
  protected override append({ operations, ...rest }: JournalLine): void {
    super.append({ rows: [], lastRevisions: [], operations });
    super.append({ ...rest, operations: [] });
  }
}

export function createPlugin(): DurablePlugin {
  return new ResultsFirstPlugin();
}
