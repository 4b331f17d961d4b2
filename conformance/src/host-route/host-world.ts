import { randomBytes } from "node:crypto";
import { DEFAULT_PREFIX, type MemoryTier, requestSubject } from "@membus/protocol";
import type { FurtherSuite } from "@membus/protocol/plugin";
import type { Provision } from "../catalogue/check.js";
import type { Profile } from "../catalogue/profile.js";
import type { EmbedderFacts, HostContext } from "../context.js";
import { replayCall } from "../replay-call.js";
import type { TracedStep } from "../run/traced-step.js";
import type { OpenedWorld, TierFacts, World, WorldRequest } from "../world.js";
import { discover, type HostFacts } from "./discover.js";
import { EventPatience } from "./event-patience.js";
import { type HostUnderTest, namesOf } from "./host-under-test.js";
import { keepsNamespacesApart } from "./namespaces-apart.js";
import { OpenedHost } from "./opened-host.js";
import { measurePace, type Pace } from "./pace.js";
import { Pulse } from "./pulse.js";
import { untilReceived } from "./until-received.js";

interface RunFacts {
  /** First segment of every namespace of the run, so that the run finds no entries of earlier runs. */
  readonly run: string;
  /** Whether checks may run concurrently. */
  readonly isApart: boolean;
  readonly pace: Pace;
}

/** A host on a bus, shared by all checks. Each check has a separate namespace. */
class HostWorld implements World {
  readonly route = "host";
  readonly concurrency: number;
  readonly isShared: boolean;
  readonly patienceMs: number;
  readonly name: string;
  readonly tiers: readonly TierFacts[];
  readonly profile: Profile | undefined;
  readonly provisions: ReadonlySet<Provision>;
  readonly furtherSuites: readonly FurtherSuite[] | undefined;
  readonly #implementation: HostUnderTest;
  readonly #served: readonly MemoryTier[];
  readonly #embedder: EmbedderFacts | undefined;
  readonly #run: string;
  readonly #pace: Pace;
  readonly #pulse: Pulse;
  readonly #patience: EventPatience;
  #openedCount = 0;

  constructor(
    implementation: HostUnderTest,
    { profile, tiers, embedder, isClustered }: HostFacts,
    { run, isApart, pace }: RunFacts,
  ) {
    this.#run = run;
    this.#pace = pace;
    this.concurrency = isApart ? pace.concurrency : 1;
    this.isShared = implementation.clock !== undefined || !isApart;
    this.patienceMs = pace.checkMs;
    this.#patience = new EventPatience(pace);
    this.name = implementation.name;
    this.tiers = tiers.filter(({ tier }) => implementation.tiers?.includes(tier) ?? true);
    this.#served = tiers.map(({ tier }) => tier);
    this.profile = profile;
    this.provisions = provisionsOf(implementation);
    this.furtherSuites = implementation.furtherSuites;
    this.#implementation = implementation;
    this.#embedder = embedder;
    const { agents, tenants } = namesOf(implementation);
    const { bus, prefix = DEFAULT_PREFIX } = implementation;
    const sender = isClustered ? untilReceived(bus) : undefined;
    const caller = { tenant: tenants.first, agent: agents.first };
    this.#pulse = new Pulse({ bus, sender, caller, prefix, pace });
  }

  async open(request: WorldRequest): Promise<OpenedWorld> {
    await this.#pulse.feel();
    const { features } = this.tiers.find(({ tier }) => tier === request.tier)!;
    const namespace = `${this.#run}/${++this.#openedCount}`;
    const opened = new OpenedHost(this.#implementation, request, {
      features,
      tiers: this.#served,
      profile: this.profile?.name,
      namespace,
      embedder: this.#embedder,
      pace: this.#pace,
      pulse: this.#pulse,
      patience: this.#patience,
    });
    return { context: opened satisfies HostContext, close: () => opened.close() };
  }

  replayScript(steps: readonly TracedStep[]): string {
    const { servers = "nats://127.0.0.1:4222", prefix = DEFAULT_PREFIX } = this.#implementation;
    return [
      'import { replayOnHost } from "@membus/conformance";',
      replayCall("replayOnHost", JSON.stringify({ servers, prefix }), steps),
    ].join("\n");
  }

  async close(): Promise<void> {}
}

export async function createHostWorld(implementation: HostUnderTest): Promise<World> {
  const { bus, prefix = DEFAULT_PREFIX } = implementation;
  const facts = await discover(bus, prefix);
  const run = `conformance-${randomBytes(5).toString("hex")}`;
  const isApart = await keepsNamespacesApart(implementation, facts.tiers[0]!.tier, run);
  const { tenants, agents } = namesOf(implementation);
  const subject = requestSubject({ tenant: tenants.first, agent: agents.first, type: "ping" }, prefix);
  return new HostWorld(implementation, facts, { run, isApart, pace: await measurePace(bus, subject) });
}

function provisionsOf({ tenants = [], restart, move, startHost }: HostUnderTest): Set<Provision> {
  const given = new Set<Provision>();
  if (tenants.length > 1) given.add("second_tenant");
  if (restart !== undefined) given.add("restart");
  if (move !== undefined) given.add("move");
  if (startHost !== undefined) given.add("own_plugins");
  return given;
}
