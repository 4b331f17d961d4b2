import { DurablePlugin, type JournalLine } from "../reference/durable-plugin.js";

/** Writes the result of a store before its rows. */
class ResultsFirstPlugin extends DurablePlugin {
  protected override append({ operations, ...rest }: JournalLine): void {
    super.append({ rows: [], lastRevisions: [], operations });
    super.append({ ...rest, operations: [] });
  }
}

export function createPlugin(): DurablePlugin {
  return new ResultsFirstPlugin();
}
