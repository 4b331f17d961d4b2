import { DurablePlugin, type JournalLine } from "../reference/durable-plugin.js";
import { Journal } from "../reference/journal.js";

/** Skips invalid JSON lines. */
class LenientJournal extends Journal<JournalLine> {
  protected override parsed(text: string): JournalLine {
    try {
      return super.parsed(text);
    } catch {
      return { rows: [], lastRevisions: [], operations: [] };
    }
  }
}

/** Keeps the journal as it is and appends to it, even after a partial line. */
class TornLineContinuedPlugin extends DurablePlugin {
  #isOpen = false;

  override async open(...[services]: Parameters<DurablePlugin["open"]>): Promise<void> {
    await super.open(services);
    this.#isOpen = true;
  }

  override async close(): Promise<void> {
    this.#isOpen = false;
    await super.close();
  }

  protected override openJournal(directory: string): Journal<JournalLine> {
    return new LenientJournal(directory);
  }

  protected override rewrite(): void {
    if (this.#isOpen) super.rewrite();
  }
}

export function createPlugin(): DurablePlugin {
  return new TornLineContinuedPlugin();
}
