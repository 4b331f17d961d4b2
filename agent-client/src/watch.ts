import {
  type Bus,
  type BusMessage,
  CONTENT_TYPE_HEADER,
  choiceOption,
  decodeMessage,
  type EventAction,
  eventPattern,
  isNamespacePattern,
  type MemoryEvent,
  MemoryEventSchema,
  type MemoryTier,
  optionalOption,
  parseNamespacePattern,
  resolveOptions,
  selectsNamespace,
  TIERS,
} from "@membus/protocol";
import type { Identity } from "./identity.js";

export interface WatchFilter {
  /** Events of this tier alone. */
  readonly tier?: MemoryTier | undefined;
  readonly action?: EventAction | undefined;
  /** One namespace, or a subtree `a/**`. Without it those of every namespace. */
  readonly namespace?: string | undefined;
  /** "all": of every agent of the tenant, as far as the server lets this connection hear of them. Without it the own ones. */
  readonly agents?: "own" | "all" | undefined;
}

/** A subscription to events. */
export interface Watch {
  /** Resolves when the last callback has returned. */
  stop(): Promise<void>;
}

export type OnEvent = (event: MemoryEvent) => void | Promise<void>;

/** Subscribed when it resolves: to the agent's own events, and in the shared tier to those of all agents; or to all. */
export async function watchEvents(
  bus: Bus,
  identity: Identity,
  filter: WatchFilter,
  onEvent: OnEvent,
): Promise<Watch> {
  const resolved = resolveFilter(filter);
  const receive = (message: BusMessage) => {
    const event = readEvent(message, resolved);
    return event && onEvent(event);
  };
  const patterns = watchPatterns(identity, resolved);
  const subscriptions = patterns.map((pattern) => bus.subscribe(pattern, receive));
  const stop = async () => {
    await Promise.all(subscriptions.map((subscription) => subscription.drain()));
  };
  try {
    await bus.flush();
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}

function resolveFilter(filter: WatchFilter): WatchFilter {
  const none = { tier: undefined, action: undefined, namespace: undefined, agents: undefined };
  return resolveOptions<WatchFilter>(filter, none, {
    tier: optionalOption(choiceOption(...TIERS)),
    action: optionalOption(choiceOption("stored", "forgotten", "expired", "evicted")),
    namespace: optionalOption(namespacePatternOption),
    agents: optionalOption(choiceOption("own", "all")),
  });
}

function namespacePatternOption(value: unknown, name: string): void {
  if (typeof value !== "string" || !isNamespacePattern(value)) {
    throw new TypeError(`${name} must be a path of 1..8 segments, or one followed by /**`);
  }
}

function watchPatterns({ prefix, tenant, agent }: Identity, { tier, action, agents }: WatchFilter): string[] {
  return TIERS.filter((candidate) => tier === undefined || tier === candidate).map((watched) => {
    const whose = watched === "semantic" || agents === "all" ? { tenant } : { tenant, agent };
    return eventPattern({ ...whose, tier: watched, ...(action && { action }) }, prefix);
  });
}

/** The event, if it is one and passes the filter. */
function readEvent(message: BusMessage, { namespace }: WatchFilter): MemoryEvent | undefined {
  const decoded = decodeMessage(message.payload, { contentType: message.headers[CONTENT_TYPE_HEADER] });
  const parsed = MemoryEventSchema.safeParse(decoded.ok ? decoded.message : undefined);
  if (!parsed.success) return undefined;
  const passes =
    namespace === undefined || selectsNamespace(parseNamespacePattern(namespace), parsed.data.namespace);
  return passes ? parsed.data : undefined;
}
