import { GatewayFixture } from "./gateway-fixture.js";
import { RawUpstream } from "./raw-upstream.js";

/** Gateways with a model server that answers byte by byte. */
export class RawGateway extends GatewayFixture {
  #upstream: RawUpstream | undefined;

  get upstream(): RawUpstream {
    return this.#upstream!;
  }

  override async start(): Promise<void> {
    await super.start();
    this.#upstream = await RawUpstream.start();
  }

  override async stop(): Promise<void> {
    await this.#upstream?.stop();
    await super.stop();
  }
}
