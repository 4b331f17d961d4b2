import { writeFileSync } from "node:fs";
import { DurablePlugin, type JournalLine } from "../reference/durable-plugin.js";
import { Journal } from "../reference/journal.js";

/** Overwrites itself while it is read, so that it does not grow. */
class OverwrittenJournal extends Journal<JournalLine> {
  override read(): JournalLine[] {
    const lines = super.read();
    writeFileSync(this.path, lines.map((line) => this.text(line)).join(""));
    return lines;
  }
}

class EmptiesWhenOpenedPlugin extends DurablePlugin {
  protected override openJournal(directory: string): Journal<JournalLine> {
    return new OverwrittenJournal(directory);
  }
}

export function createPlugin(): DurablePlugin {
  return new EmptiesWhenOpenedPlugin();
}
