import {
  CONTENT_TYPE_HEADER,
  CONTENT_TYPES,
  DEFAULT_PREFIX,
  decodeMessage,
  delay,
  encodeMessage,
  isMemoryError,
  type MemoryTier,
  type RequestType,
  requestSubject,
  systemClock,
  TIERS,
} from "@membus/protocol";
import type { Bus, BusMessage, BusSubscription } from "@membus/protocol/plugin";
import type {
  EmbedderFacts,
  Features,
  HostContext,
  Inbox,
  OwnHost,
  OwnHostParts,
  ReceivedEvent,
  SendOptions,
  WireReply,
} from "../context.js";
import { type Expect, ExpectationError, UntestableError } from "../expect.js";
import { CheckAgents } from "../fixtures/check-agents.js";
import { Random } from "../fixtures/random.js";
import { newRequestId } from "../fixtures/request-id.js";
import type { AgentOptions, EntryInput, MemoryAgent } from "../memory-agent.js";
import { Trace } from "../trace.js";
import type { WorldRequest } from "../world.js";
import { askServices } from "./ask-services.js";
import { EventInbox } from "./event-inbox.js";
import type { EventPatience } from "./event-patience.js";
import { HostAgent, type HostAgentParts } from "./host-agent.js";
import { type HostUnderTest, namesOf } from "./host-under-test.js";
import { OwnHosts } from "./own-hosts.js";
import type { Pace } from "./pace.js";
import { parseJson } from "./parse-json.js";
import type { Pulse } from "./pulse.js";

const DEFAULT_TIMEOUT_MS = 5_000;
/** Maximum wait for cleanup requests, because cleanup is optional. */
const CLEANING_MS = 1_000;

interface HostSurroundings {
  readonly features: Features;
  readonly tiers: readonly MemoryTier[];
  readonly profile: string | undefined;
  readonly namespace: string;
  readonly embedder: EmbedderFacts | undefined;
  readonly pace: Pace;
  readonly pulse: Pulse;
  readonly patience: EventPatience;
}

/** A host during one check. Methods are bound, so that checks can destructure them. */
export class OpenedHost implements HostContext {
  readonly tier: MemoryTier;
  readonly features: Features;
  readonly tiers: readonly MemoryTier[];
  readonly profile: string | undefined;
  readonly embedder: EmbedderFacts | undefined;
  readonly expect: Expect;
  readonly trace: Trace;
  readonly random: Random;
  readonly bus: Bus;
  readonly prefix: string;
  readonly tenants: readonly string[];
  readonly #implementation: HostUnderTest;
  readonly #request: WorldRequest;
  readonly #surroundings: HostSurroundings;
  readonly #ownHosts: OwnHosts;
  readonly #agents: CheckAgents;
  /** The same agents without tracing, for cleanup. */
  readonly #cleaners: CheckAgents;
  readonly #subscriptions: BusSubscription[] = [];
  /** Contexts of the hosts that the check started. */
  readonly #opened: OpenedHost[] = [];

  constructor(implementation: HostUnderTest, request: WorldRequest, surroundings: HostSurroundings) {
    const { tier, seed, expect, trace, anyForm = false } = request;
    const { bus, prefix = DEFAULT_PREFIX, tenants = ["default"] } = implementation;
    this.tier = tier;
    this.features = surroundings.features;
    this.tiers = surroundings.tiers;
    this.profile = surroundings.profile;
    this.embedder = surroundings.embedder;
    this.expect = expect;
    this.trace = trace;
    this.random = new Random(seed);
    this.bus = bus;
    this.prefix = prefix;
    this.tenants = tenants;
    this.#implementation = implementation;
    this.#request = request;
    this.#surroundings = surroundings;
    this.#ownHosts = new OwnHosts(implementation);
    const agentsWith = (parts: Pick<HostAgentParts, "request" | "timeoutMs" | "trace">) =>
      new CheckAgents({
        names: namesOf(implementation),
        namespace: surroundings.namespace,
        tier,
        make: (caller, namespace) => new HostAgent(caller, namespace, { prefix, tier, anyForm, ...parts }),
      });
    this.#agents = agentsWith({ request: surroundings.pulse.request, trace });
    const { request: unheard } = bus;
    this.#cleaners = agentsWith({ request: unheard.bind(bus), timeoutMs: CLEANING_MS, trace: new Trace() });
  }

  get caller(): MemoryAgent {
    return this.#agents.get({});
  }

  readonly agent = (options: AgentOptions): MemoryAgent => {
    return this.#agents.get(options);
  };

  readonly entry = (fields?: Partial<EntryInput>): EntryInput => {
    return this.#agents.entry(fields);
  };

  get isTimeOwn(): boolean {
    return this.#implementation.clock !== undefined;
  }

  readonly now = (): number => {
    return (this.#implementation.clock ?? systemClock).now();
  };

  readonly passTime = async (seconds: number): Promise<void> => {
    if (this.#implementation.clock === undefined) await delay(systemClock, seconds * 1_000);
    else this.#implementation.clock.advance(seconds);
  };

  readonly subject = (
    operation: string,
    { tenant, agent }: Pick<SendOptions, "tenant" | "agent"> = {},
  ): string => {
    const type = (operation === "ping" ? "ping" : `memory/${operation}/req`) as RequestType;
    const { caller } = this;
    return requestSubject(
      { tenant: tenant ?? caller.tenant, agent: agent ?? caller.agent, type },
      this.prefix,
    );
  };

  readonly send = (
    operation: string,
    fields: Readonly<Record<string, unknown>>,
    options: SendOptions = {},
  ): Promise<WireReply> => {
    const encoding = options.encoding ?? "json";
    const contentType = options.contentType === undefined ? CONTENT_TYPES[encoding] : options.contentType;
    const bytes = encodeMessage(fields, encoding);
    return this.#exchange(operation, fields, bytes, { ...options, contentType });
  };

  readonly sendBytes = (
    operation: string,
    bytes: Uint8Array,
    options: SendOptions = {},
  ): Promise<WireReply> => {
    return this.#exchange(operation, Buffer.from(bytes).toString("latin1"), bytes, options);
  };

  readonly events = async (
    pattern: string,
    isWanted: (received: ReceivedEvent) => boolean = () => true,
  ): Promise<Inbox<ReceivedEvent>> => {
    const { patience } = this.#surroundings;
    const inbox = new EventInbox({ patience, isWanted, flush: () => this.bus.flush() });
    const subscription = this.bus.subscribe(`${this.prefix}.${pattern}`, (message) => inbox.receive(message));
    this.#subscriptions.push(subscription);
    await this.bus.flush();
    return inbox;
  };

  readonly askServices = async (subject: string): Promise<readonly Readonly<Record<string, unknown>>[]> => {
    return this.trace.record(subject, {}, async () => {
      const answers = await askServices(this.bus, subject);
      return answers.map(({ payload }) => (parseJson(payload) ?? {}) as Record<string, unknown>);
    });
  };

  readonly restart = async (): Promise<void> => {
    await this.trace.wait(async () => this.#implementation.restart?.());
  };

  readonly move = async (): Promise<void> => {
    const before = await this.#hostId();
    await this.trace.wait(async () => this.#implementation.move?.());
    if ((await this.#hostId()) === before)
      throw new UntestableError("the tenant has the same host as before it was moved");
  };

  readonly startHost = async (parts: OwnHostParts = {}): Promise<OwnHost> => {
    const { prefix, clock, stop } = await this.#ownHosts.start(parts);
    const { plugins, tenants = this.tenants } = parts;
    const tiers = plugins === undefined ? this.tiers : TIERS.filter((tier) => plugins[tier] !== undefined);
    const tier = plugins === undefined ? this.tier : tiers[0]!;
    const implementation = { ...this.#implementation, prefix, clock, tenants };
    const opened = new OpenedHost(
      implementation,
      { ...this.#request, tier },
      { ...this.#surroundings, tiers },
    );
    this.#opened.push(opened);
    return Object.assign(opened, { stop });
  };

  async #hostId(): Promise<unknown> {
    const { message } = await this.send("ping", { type: "ping", id: newRequestId() });
    return message.host_id;
  }

  /** Deletes the data of the check as far as the host permits. A failed check may have broken the host. */
  async close(): Promise<void> {
    const subscriptions = [this, ...this.#opened].flatMap((opened) => opened.#subscriptions);
    await Promise.all(subscriptions.map((subscription) => subscription.drain()));
    await this.#ownHosts.close();
    const { caller, features } = this;
    const everywhere = features.subtree ? { namespace: `${caller.namespace}/**` } : {};
    const agents = [{ agent: "second" } as const, ...this.#agents.asked].map((who) =>
      this.#cleaners.get(who),
    );
    const forgetting = agents.map((agent) => agent.forget({ tier: null, all: true, ...everywhere }));
    await Promise.all(forgetting.map((forgotten) => forgotten.catch(ignoreFailure)));
  }

  #exchange(operation: string, sent: unknown, bytes: Uint8Array, options: SendOptions): Promise<WireReply> {
    const subject = options.subject ?? this.subject(operation, options);
    const { contentType, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
    const headers = contentType ? { headers: { [CONTENT_TYPE_HEADER]: contentType } } : {};
    const { pace, pulse } = this.#surroundings;
    const patience = { timeoutMs: timeoutMs + pace.replyMs };
    return this.trace.record(subject, sent, async () => {
      const reply = await pulse.request(subject, bytes, { ...patience, ...headers });
      const read = toWireReply(reply);
      this.trace.noteForm(read.message);
      return read;
    });
  }
}

function toWireReply({ payload, headers }: BusMessage): WireReply {
  const decoded = decodeMessage(payload, { contentType: headers[CONTENT_TYPE_HEADER] });
  if (!decoded.ok) {
    const got = `${decoded.text}: ${Buffer.from(payload).toString("latin1").slice(0, 500)}`;
    throw new ExpectationError({ what: "the reply", expected: "a message in JSON or MessagePack", got });
  }
  return { message: decoded.message, encoding: decoded.encoding, headers, bytes: payload };
}

function ignoreFailure(error: unknown): void {
  if (!isMemoryError(error) && !(error instanceof ExpectationError)) throw error;
}
