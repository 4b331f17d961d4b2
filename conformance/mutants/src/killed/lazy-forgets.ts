import { DurablePlugin } from "../reference/durable-plugin.js";

/** Removes forgotten entries from the journal when it is closed. */
class LazyForgetsPlugin extends DurablePlugin {
  #isClosing = false;

  override async close(): Promise<void> {
    this.#isClosing = true;
    await super.close();
  }

  protected override rewrite(): void {
    if (this.#isClosing) super.rewrite();
  }
}

export function createPlugin(): DurablePlugin {
  return new LazyForgetsPlugin();
}
