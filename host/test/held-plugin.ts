import type {
  PluginForgetRequest,
  PluginRetrieveRequest,
  PluginStoreRequest,
  Scope,
  ScopeSelector,
} from "@membus/protocol";
import { vi } from "vitest";
import { MapPlugin } from "./map-plugin.js";

/** A plugin whose calls wait until the test lets them through. */
export class HeldPlugin extends MapPlugin {
  #gates: (() => void)[] = [];

  get heldCount(): number {
    return this.#gates.length;
  }

  /** Waits until so many calls are held. */
  async untilHeld(count: number): Promise<void> {
    await vi.waitFor(() => {
      if (this.heldCount !== count) throw new Error(`${this.heldCount} calls are held, not ${count}`);
    });
  }

  release(): void {
    for (const open of this.#gates.splice(0)) open();
  }

  override async onStore(scope: Scope, request: PluginStoreRequest) {
    await this.#gate();
    return super.onStore(scope, request);
  }

  override async onRetrieve(selector: ScopeSelector, request: PluginRetrieveRequest) {
    await this.#gate();
    return super.onRetrieve(selector, request);
  }

  override async onForget(selector: ScopeSelector, request: PluginForgetRequest) {
    await this.#gate();
    return super.onForget(selector, request);
  }

  #gate(): Promise<void> {
    return new Promise((resolve) => {
      this.#gates.push(resolve);
    });
  }
}
