import {
  eventPattern,
  InFlightCounter,
  isNamespacePattern,
  MemoryError,
  type OptionsOf,
  option,
  optionSet,
  parseNamespacePattern,
  parseOptions,
  selectsNamespace,
  TIERS,
} from "@membus/protocol";
import type { EventFeeds, FeedListener, OnEvent } from "./event-feeds.js";
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

/** Calls of `onEvent` that may be unfinished. */
const RUNNING_MAX = 10_000;

/** Subscription to events. */
export interface Watch {
  /** Number of events that were dropped, because 10,000 calls of `onEvent` had not finished. */
  readonly missed: number;
  /** Ends the subscription. Resolves when the last callback has returned. */
  stop(): Promise<void>;
}

/**
 * Subscribes to the events of the agent and, in the shared tier or with `agents: "all"`, of all agents.
 * Resolves when the server has processed the subscriptions.
 */
export async function watchEvents(
  feeds: EventFeeds,
  identity: Identity,
  filter: WatchFilter,
  onEvent: OnEvent,
): Promise<Watch> {
  const resolved = parseOptions(WatchFilterSchema, filter);
  const running = new InFlightCounter();
  let missed = 0;
  const receive = selected(resolved, (event) => {
    if (running.count >= RUNNING_MAX) return void missed++;
    const result = onEvent(event);
    return result instanceof Promise ? running.track(result) : undefined;
  });
  const listeners = watchPatterns(identity, resolved).map((pattern) => feeds.add(pattern, receive));
  const stop = async () => {
    await Promise.all(listeners.map((listener) => listener.remove()));
    await running.idle();
  };
  try {
    await feeds.flush();
    requirePermitted(listeners);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    get missed() {
      return missed;
    },
    stop,
  };
}

/** @throws {MemoryError} `unauthorized`, also if the refusal was reported to another watch. */
function requirePermitted(listeners: readonly FeedListener[]): void {
  if (!listeners.some(({ isRefused }) => isRefused)) return;
  throw new MemoryError("unauthorized", "the NATS server refuses a subscription to events");
}

function watchPatterns({ prefix, tenant, agent }: Identity, { tier, action, agents }: WatchFilter): string[] {
  return TIERS.filter((candidate) => tier === undefined || tier === candidate).map((watched) => {
    const owner = watched === "semantic" || agents === "all" ? { tenant } : { tenant, agent };
    return eventPattern({ ...owner, tier: watched, ...(action && { action }) }, prefix);
  });
}

/** Passes the events of the filter's namespace on. */
function selected({ namespace }: WatchFilter, onEvent: OnEvent): OnEvent {
  if (namespace === undefined) return onEvent;
  const pattern = parseNamespacePattern(namespace);
  return (event) => (selectsNamespace(pattern, event.namespace) ? onEvent(event) : undefined);
}
