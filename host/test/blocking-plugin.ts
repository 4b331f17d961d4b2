import type { Scope, ScopeSelector } from "@membus/protocol";
import type { PluginForgetRequest, PluginRetrieveRequest, PluginStoreRequest } from "@membus/protocol/plugin";
import { expect } from "vitest";
import { MapPlugin } from "./map-plugin.js";

/** Plugin with calls that block until the test releases them. */
export class BlockingPlugin extends MapPlugin {
  #gates: (() => void)[] = [];

  get blockedCount(): number {
    return this.#gates.length;
  }

  /** Waits until `count` calls are blocked. */
  async untilBlocked(count: number): Promise<void> {
    await expect.poll(() => this.blockedCount).toBe(count);
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
