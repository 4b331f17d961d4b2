import {
  CONTENT_TYPE_HEADER,
  decodeMessage,
  eventPattern,
  isNamespacePattern,
  type MemoryEvent,
  MemoryEventSchema,
  type OptionsOf,
  option,
  optionSet,
  parseNamespacePattern,
  parseOptions,
  selectsNamespace,
  TIERS,
} from "@membus/protocol";
import type { Bus, BusMessage } from "@membus/protocol/plugin";
import type { Identity } from "./identity.js";

export const WatchFilterSchema = optionSet({
  /** Only events of this tier. */
  tier: option.tier().optional(),
  action: option.choice("stored", "forgotten", "expired", "evicted").optional(),
  /** One namespace, or a subtree `a/**`. By default all namespaces. */
  namespace: option
    .value<string>(
      (value) => typeof value === "string" && isNamespacePattern(value),
      "must be a path of 1..8 segments, or one followed by /**",
    )
    .optional(),
  /**
   * "all": entries of every agent of the tenant, as far as the server permits. By default only the agent's
   * own entries.
   */
  agents: option.choice("own", "all").optional(),
});

export interface WatchFilter extends OptionsOf<typeof WatchFilterSchema> {}

/** Subscription to events. */
export interface Watch {
  /** Ends the subscription. Resolves when the last callback has returned. */
  stop(): Promise<void>;
}

export type OnEvent = (event: MemoryEvent) => void | Promise<void>;

/**
 * Subscribes to the events of the agent and, in the shared tier or with `agents: "all"`, of all agents.
 * Resolves when the server has processed the subscriptions.
 */
export async function watchEvents(
  bus: Bus,
  identity: Identity,
  filter: WatchFilter,
  onEvent: OnEvent,
): Promise<Watch> {
  const resolved = parseOptions(WatchFilterSchema, filter);
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

function watchPatterns({ prefix, tenant, agent }: Identity, { tier, action, agents }: WatchFilter): string[] {
  return TIERS.filter((candidate) => tier === undefined || tier === candidate).map((watched) => {
    const owner = watched === "semantic" || agents === "all" ? { tenant } : { tenant, agent };
    return eventPattern({ ...owner, tier: watched, ...(action && { action }) }, prefix);
  });
}

/** Returns the event of a message, or undefined if it is invalid or does not match the filter. */
function readEvent(message: BusMessage, { namespace }: WatchFilter): MemoryEvent | undefined {
  const decoded = decodeMessage(message.payload, { contentType: message.headers[CONTENT_TYPE_HEADER] });
  const parsed = MemoryEventSchema.safeParse(decoded.ok ? decoded.message : undefined);
  if (!parsed.success) return undefined;
  const passes =
    namespace === undefined || selectsNamespace(parseNamespacePattern(namespace), parsed.data.namespace);
  return passes ? parsed.data : undefined;
}
