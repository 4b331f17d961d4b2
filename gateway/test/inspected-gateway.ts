import { MemoryClient } from "@membus/agent-client";
import { type Clock, systemClock } from "@membus/protocol";
import type { GatewayOptions } from "../src/index.js";
import { GatewayFixture, type Plugins } from "./gateway-fixture.js";

/** A gateway with an inspector that shows the memory of alice. */
export class InspectedGateway extends GatewayFixture {
  #alice: MemoryClient | undefined;
  url = "";

  /** A connection to the bus, to store and compare entries. */
  get alice(): MemoryClient {
    return this.#alice!;
  }

  /**
   * @param plugins of tiers that are not in memory.
   * @param clock of the host.
   */
  async open(options: GatewayOptions = {}, plugins: Plugins = {}, clock: Clock = systemClock): Promise<void> {
    await this.start(plugins, clock);
    ({ url: this.url } = await this.gateway(options));
    this.#alice = await MemoryClient.connect({ bus: await this.bus(), agent: "alice", timeoutMs: 60_000 });
  }

  override async stop(): Promise<void> {
    await this.#alice?.close();
    await super.stop();
  }
}
