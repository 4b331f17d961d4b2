import { DurablePlugin, type JournalLine } from "../reference/durable-plugin.js";

/** Number of lines that are buffered before a write. */
const LINES_BUFFERED = 1_000;

/** Answers a store while its line is still buffered. */
class BufferedPlugin extends DurablePlugin {
  #waiting: JournalLine[] = [];

  override async close(): Promise<void> {
    this.#waiting = [];
    await super.close();
  }

  protected override append(line: JournalLine): void {
    this.#waiting.push(line);
    if (this.#waiting.length < LINES_BUFFERED) return;
    for (const waiting of this.#waiting.splice(0)) super.append(waiting);
  }

  protected override rewritten(): JournalLine {
    const line = super.rewritten();
    const waiting = new Set(this.#waiting.flatMap(({ rows }) => rows));
    return { ...line, rows: line.rows.filter((row) => !waiting.has(row)) };
  }
}

export function createPlugin(): DurablePlugin {
  return new BufferedPlugin();
}
