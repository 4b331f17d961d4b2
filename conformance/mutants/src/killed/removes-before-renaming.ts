import { renameSync, rmSync, writeFileSync } from "node:fs";
import { DurablePlugin, type JournalLine } from "../reference/durable-plugin.js";
import { Journal } from "../reference/journal.js";

class ReplacedJournal extends Journal<JournalLine> {
  /** Deletes the journal before it renames the new file. */
  replace(line: JournalLine): void {
    writeFileSync(`${this.path}.compact`, this.text(line));
    rmSync(this.path);
    renameSync(`${this.path}.compact`, this.path);
  }
}

class RemovesBeforeRenamingPlugin extends DurablePlugin {
  override async maintain(): Promise<void> {
    await super.maintain();
    const { journal } = this;
    if (!(journal instanceof ReplacedJournal)) return;
    journal.replace(this.rewritten());
    journal.close();
    this.journal = this.openJournal(this.services.dataDirectory!);
  }

  protected override openJournal(directory: string): Journal<JournalLine> {
    return new ReplacedJournal(directory);
  }
}

export function createPlugin(): DurablePlugin {
  return new RemovesBeforeRenamingPlugin();
}
