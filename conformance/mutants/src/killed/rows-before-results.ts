import { DurablePlugin, type JournalLine } from "../reference/durable-plugin.js";

/** Writes the rows of a store at once, but the results only when it is closed. */
class RowsFirstPlugin extends DurablePlugin {
  #isClosing = false;

  override async close(): Promise<void> {
    this.#isClosing = true;
    await super.close();
  }

  protected override append(line: JournalLine): void {
    super.append({ ...line, operations: [] });
  }

  protected override rewritten(): JournalLine {
    const line = super.rewritten();
    return this.#isClosing ? line : { ...line, operations: [] };
  }
}

export function createPlugin(): DurablePlugin {
  return new RowsFirstPlugin();
}
