import { readFileSync } from "node:fs";
import { DurablePlugin, type JournalLine } from "../reference/durable-plugin.js";
import { Journal } from "../reference/journal.js";

/** Treats every line as complete. */
class WholeLinesJournal extends Journal<JournalLine> {
  override read(): JournalLine[] {
    const lines = readFileSync(this.path, "utf8").split("\n");
    return lines.filter((line) => line !== "").map((line) => this.parsed(line));
  }
}

class TornLineRefusedPlugin extends DurablePlugin {
  protected override openJournal(directory: string): Journal<JournalLine> {
    return new WholeLinesJournal(directory);
  }
}

export function createPlugin(): DurablePlugin {
  return new TornLineRefusedPlugin();
}
