import { createLocalBus } from "@membus/bus";
import type { Bus } from "@membus/protocol/plugin";
import { RecordingLogger } from "../../bus/test/recording-logger.js";
import { createHost, type Host, type HostOptions } from "../src/index.js";
import { FakeClock, turn } from "./fake-clock.js";
import { MapPlugin } from "./map-plugin.js";

/** More turns than a request and its reply take. */
const TURNS = 10;

/**
 * Several hosts on one bus. Time only passes in `during` and `pass`, and only when every message has arrived,
 * so the speed of the machine does not matter.
 */
export class HostGroup {
  readonly clock = new FakeClock();
  readonly logger = new RecordingLogger();
  readonly bus = createLocalBus({}, { clock: this.clock, logger: this.logger });
  readonly #hosts: Host[] = [];

  add(options: HostOptions = {}, bus: Bus = this.bus): Host {
    const { clock, logger } = this;
    const host = createHost({ bus, clock, logger, plugins: { working: new MapPlugin() } }, options);
    this.#hosts.push(host);
    return host;
  }

  /** Starts a host and returns it once it serves. */
  async start(options?: HostOptions, bus?: Bus): Promise<Host> {
    const host = this.add(options, bus);
    await this.during(host.start());
    return host;
  }

  get serving(): readonly Host[] {
    return this.#hosts.filter((host) => host.stats().state === "serving");
  }

  /** Lets time pass until `work` has settled. */
  async during<T>(work: Promise<T>): Promise<T> {
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    work.then(settle, settle);
    for (await this.#quiet(); !isSettled; await this.#quiet()) await this.clock.advance(10);
    return work;
  }

  async pass(ms: number): Promise<void> {
    await this.#quiet();
    await this.clock.advance(ms);
    await this.#quiet();
  }

  async close(): Promise<void> {
    await this.during(Promise.all(this.#hosts.map((host) => host.stop())));
    await this.during(this.bus.close());
  }

  async #quiet(): Promise<void> {
    for (let count = 0; count < TURNS; count++) await turn();
  }
}
