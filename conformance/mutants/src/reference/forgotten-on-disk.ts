import { DurablePlugin } from "./durable-plugin.js";

/** The durable plugin with a journal that keeps forgotten entries. */
export class ForgottenOnDisk extends DurablePlugin {
  protected override rewrite(): void {}
}
