import { truncateSync } from "node:fs";
import { DurablePlugin, type JournalLine } from "../reference/durable-plugin.js";
import { Journal } from "../reference/journal.js";

/** Truncates itself and is written again. */
class OverwrittenJournal extends Journal<JournalLine> {
  override rewrite(line: JournalLine): void {
    truncateSync(this.path);
    this.append(line);
  }
}

class ForgetsInPlacePlugin extends DurablePlugin {
  protected override openJournal(directory: string): Journal<JournalLine> {
    return new OverwrittenJournal(directory);
  }
}

export function createPlugin(): DurablePlugin {
  return new ForgetsInPlacePlugin();
}
