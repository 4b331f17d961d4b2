import { DurablePlugin } from "@membus/mutants";

/** A plugin that prints to standard output, as authors do while they debug. */
class PrintingPlugin extends DurablePlugin {
  override async open(...args: Parameters<DurablePlugin["open"]>): Promise<void> {
    console.log("opening");
    await super.open(...args);
  }
}

export function createPlugin(): DurablePlugin {
  return new PrintingPlugin();
}
