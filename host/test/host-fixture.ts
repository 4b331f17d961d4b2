import { createLocalBus, type LocalBus, type LocalBusOptions } from "@membus/bus";
import {
  CONTENT_TYPES,
  decodeMessage,
  type Encoding,
  encodeMessage,
  type MemoryTier,
  type Message,
  type RequestType,
  requestSubject,
  systemClock,
} from "@membus/protocol";
import type { BusMessage, Embedder, MemoryPlugin } from "@membus/protocol/plugin";
import { onTestFinished } from "vitest";
import { RecordingLogger } from "../../bus/test/recording-logger.js";
import { createHost, type Host, type HostDependencies, type HostOptions } from "../src/index.js";
import { FakeClock } from "./fake-clock.js";
import { MapPlugin } from "./map-plugin.js";

/** Decoded reply. */
type Answer = Readonly<Record<string, unknown>>;

export interface FixtureOptions {
  readonly plugins?: Partial<Record<MemoryTier, MemoryPlugin>>;
  readonly options?: HostOptions;
  readonly bus?: LocalBusOptions;
  readonly embedder?: Embedder;
  readonly dependencies?: Partial<HostDependencies>;
}

/** Host on a local bus with a stopped clock, and a client for one agent. */
export class HostFixture {
  readonly clock = new FakeClock();
  readonly logger = new RecordingLogger();
  readonly audit: Record<string, unknown>[] = [];
  readonly bus: LocalBus;
  readonly host: Host;
  #lastId = 0;

  constructor({ plugins, options, bus, embedder, dependencies }: FixtureOptions = {}) {
    this.bus = createLocalBus(bus ?? {}, { clock: systemClock, logger: this.logger });
    this.host = createHost(
      {
        bus: this.bus,
        clock: this.clock,
        logger: this.logger,
        audit: { info: (record) => this.audit.push(record as Record<string, unknown>) },
        plugins: plugins ?? { working: new MapPlugin() },
        ...(embedder && { embedder }),
        ...dependencies,
      },
      { discoveryWaitMs: 10, ...options },
    );
    onTestFinished(() => this.stop());
  }

  static async start(options?: FixtureOptions): Promise<HostFixture> {
    const fixture = new HostFixture(options);
    await fixture.host.start();
    return fixture;
  }

  /** Sends a request as `agent` and returns the decoded reply. Generates an id if none is given. */
  async ask(type: RequestType, fields: Message = {}, agent = "alice", tenant = "default"): Promise<Answer> {
    const id = fields.id ?? `request-${++this.#lastId}`;
    const message = await this.send(requestSubject({ tenant, agent, type }), { type, ...fields, id });
    return decoded(message);
  }

  store(entries: Message[], fields: Message = {}, agent?: string): Promise<Answer> {
    return this.ask("memory/store/req", { entries, ...fields }, agent);
  }

  retrieve(fields: Message = {}, agent?: string): Promise<Answer> {
    return this.ask("memory/retrieve/req", fields, agent);
  }

  forget(fields: Message = {}, agent?: string): Promise<Answer> {
    return this.ask("memory/forget/req", fields, agent);
  }

  send(subject: string, message: Message, encoding: Encoding = "json"): Promise<BusMessage> {
    return this.sendBytes(subject, encodeMessage(message, encoding), CONTENT_TYPES[encoding]);
  }

  sendBytes(subject: string, payload: Uint8Array, contentType?: string): Promise<BusMessage> {
    const headers = contentType === undefined ? {} : { "Content-Type": contentType };
    return this.bus.request(subject, payload, { timeoutMs: 60_000, headers });
  }

  async stop(): Promise<void> {
    await this.clock.advanceUntil(this.host.stop());
    await this.bus.close();
  }
}

export function decoded({ payload, headers }: BusMessage): Answer {
  const outcome = decodeMessage(payload, { contentType: headers["Content-Type"] });
  if (!outcome.ok) throw new Error(`an unreadable reply: ${outcome.text}`);
  return outcome.message as Answer;
}

/** Returns the contents of a page, in order. */
export function contents(answer: Answer): unknown[] {
  return (answer.entries as { content: unknown }[]).map(({ content }) => content);
}
