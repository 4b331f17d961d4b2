import { appendFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { DurablePlugin, type JournalLine } from "../reference/durable-plugin.js";
import { Journal } from "../reference/journal.js";

/** New lines go into a file of their own, which is read, removed, and then made part of the journal at each opening. */
class TailedJournal extends Journal<JournalLine> {
  override read(): JournalLine[] {
    const tail = existsSync(this.#tail) ? readFileSync(this.#tail, "utf8").split("\n").slice(0, -1) : [];
    rmSync(this.#tail, { force: true });
    return [...super.read(), ...tail.map((line) => this.parsed(line))];
  }

  override append(line: JournalLine): void {
    appendFileSync(this.#tail, this.text(line));
  }

  override rewrite(line: JournalLine): void {
    super.rewrite(line);
    rmSync(this.#tail, { force: true });
  }

  get #tail(): string {
    return `${this.path}.tail`;
  }
}

class TailClearedFirstPlugin extends DurablePlugin {
  protected override openJournal(directory: string): Journal<JournalLine> {
    return new TailedJournal(directory);
  }
}

export function createPlugin(): DurablePlugin {
  return new TailClearedFirstPlugin();
}
