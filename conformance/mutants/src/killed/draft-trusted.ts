import { appendFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { DurablePlugin, type JournalLine } from "../reference/durable-plugin.js";
import { Journal } from "../reference/journal.js";

/** Copies itself line by line when it is opened. Treats an existing copy as complete. */
class CopiedJournal extends Journal<JournalLine> {
  override read(): JournalLine[] {
    const lines = existsSync(this.#copy) ? this.#readCopy() : super.read();
    rmSync(this.#copy, { force: true });
    for (const line of lines) appendFileSync(this.#copy, this.text(line));
    return lines;
  }

  override rewrite(line: JournalLine): void {
    super.rewrite(line);
    rmSync(this.#copy, { force: true });
  }

  #readCopy(): JournalLine[] {
    const lines = readFileSync(this.#copy, "utf8").split("\n").slice(0, -1);
    return lines.map((line) => this.parsed(line));
  }

  get #copy(): string {
    return `${this.path}.copy`;
  }
}

class DraftTrustedPlugin extends DurablePlugin {
  protected override openJournal(directory: string): Journal<JournalLine> {
    return new CopiedJournal(directory);
  }
}

export function createPlugin(): DurablePlugin {
  return new DraftTrustedPlugin();
}
