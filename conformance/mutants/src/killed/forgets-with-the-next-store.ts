import { DurablePlugin, type JournalLine } from "../reference/durable-plugin.js";

/** Removes forgotten entries from the journal at the next store, or when it is closed. */
class ForgetsLaterPlugin extends DurablePlugin {
  #isBehind = false;
  #isForgetting = false;

  override async close(): Promise<void> {
    this.#isForgetting = false;
    await super.close();
  }

  protected override async forgetAll(...[selector, request]: Parameters<DurablePlugin["forgetAll"]>) {
    this.#isForgetting = true;
    const result = await super.forgetAll(selector, request);
    this.#isForgetting = false;
    return result;
  }

  protected override rewrite(): void {
    this.#isBehind = this.#isForgetting;
    if (!this.#isForgetting) super.rewrite();
  }

  protected override append(line: JournalLine): void {
    if (this.#isBehind) this.rewrite();
    else super.append(line);
  }
}

export function createPlugin(): DurablePlugin {
  return new ForgetsLaterPlugin();
}
