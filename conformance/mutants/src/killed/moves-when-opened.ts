import { renameSync, rmSync } from "node:fs";
import { DurablePlugin, type JournalLine } from "../reference/durable-plugin.js";
import { Journal } from "../reference/journal.js";

/** Is moved away after it has been read, and copied line by line into a new file. */
class MovedJournal extends Journal<JournalLine> {
  readonly #former: string;

  constructor(directory: string) {
    super(directory);
    this.#former = `${this.path}.former`;
  }

  override read(): JournalLine[] {
    const lines = super.read();
    renameSync(this.path, this.#former);
    return lines;
  }

  override rewrite(line: JournalLine): void {
    super.rewrite(line);
    rmSync(this.#former, { force: true });
  }
}

class MovesWhenOpenedPlugin extends DurablePlugin {
  protected override openJournal(directory: string): Journal<JournalLine> {
    return new MovedJournal(directory);
  }
}

export function createPlugin(): DurablePlugin {
  return new MovesWhenOpenedPlugin();
}
