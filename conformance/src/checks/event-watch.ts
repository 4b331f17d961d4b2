import { eventSubject, type MemoryEvent } from "@membus/protocol";
import type { HostContext, ReceivedEvent } from "../context.js";
import { newRequestId } from "../fixtures/request-id.js";
import type { EntryInput } from "../memory-agent.js";

/** The events of one check's own entries, although others publish beside it. */
export interface EventWatch {
  /** An entry that the watch knows by its key. */
  entry(name: string, fields?: Partial<EntryInput>): EntryInput;
  /** What came, having waited for so many, and a moment longer for what should not come. */
  seen(count: number): Promise<readonly ReceivedEvent[]>;
  /** The same, where nothing can be found wrong with events that a host does not publish, as it may. */
  told(count: number): Promise<readonly ReceivedEvent[]>;
}

/** Subscribes to the events of a tenant. An event is the check's own by its key, or by its namespace. */
export async function watchEvents({ events, entry, caller, expect }: HostContext): Promise<EventWatch> {
  const mark = newRequestId();
  const { tenant, namespace } = caller;
  const isOwn = ({ event }: ReceivedEvent) =>
    event.namespace === namespace ||
    `${event.namespace}`.startsWith(`${namespace}/`) ||
    `${JSON.stringify(event)}`.includes(mark);
  const inbox = await events(`${tenant}.*.events.memory.>`, isOwn);
  const seen = async (count: number) => {
    await inbox.reach(count);
    return [...(await inbox.settle())];
  };
  return {
    entry: (name, fields) => entry({ key: { id: `${mark} ${name}` }, ...fields }),
    seen,
    async told(count) {
      const told = await seen(count);
      expect.broughtAbout(
        told.length >= count,
        `needs the ${count} events of what the check did, and this host published ${told.length}`,
      );
      return told;
    },
  };
}

/** Those of one action, in the order they came. */
export function ofAction(told: readonly ReceivedEvent[], action: MemoryEvent["action"]): ReceivedEvent[] {
  return told.filter(({ event }) => event.action === action);
}

/** What went away. */
export function notStored(told: readonly ReceivedEvent[]): ReceivedEvent[] {
  return told.filter(({ event }) => event.action !== "stored");
}

/** What the events are of. */
export function keysOf(told: readonly ReceivedEvent[]): unknown[] {
  return told.map(({ event }) => event.key);
}

/** Where an event of `agent` belongs (clause SUBJ-6). */
export function subjectOf(
  { prefix, tier }: Pick<HostContext, "prefix" | "tier">,
  { tenant, agent }: { readonly tenant: string; readonly agent: string },
  action: MemoryEvent["action"],
): string {
  return eventSubject({ tenant, agent, tier, action }, prefix);
}
