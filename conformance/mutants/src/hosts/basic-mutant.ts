import type { Message } from "@membus/protocol";
import type { Bus, BusMessage } from "@membus/protocol/plugin";
import { type HostMutant, hostMutant, type Mutant } from "../mutant.js";
import { asBasic, type BasicParts } from "./basic-host.js";
import { rewriteReplies, rewriteRequests } from "./intercept.js";

type Facts = Pick<HostMutant, "id" | "defect" | "check" | "names" | "tier">;

/**
 * Defines a host of the profile `basic` with one defect. The defect applies before the refusals of the
 * profile.
 */
export function basicMutant(facts: Facts, defect: (bus: Bus) => Bus, parts?: BasicParts): Mutant {
  return hostMutant({ ...facts, bus: (bus) => asBasic(defect(bus), parts) });
}

/** Rewrites the requests of one operation. */
export function reading(operation: string, change: (fields: Message) => Record<string, unknown>) {
  return (bus: Bus) =>
    rewriteRequests(bus, (fields) =>
      fields.type === `memory/${operation}/req` ? (change(fields) as Message) : fields,
    );
}

/** Rewrites the returned entries. */
export function returning(change: (entry: Message, reader: string) => Message) {
  return (bus: Bus) =>
    rewriteReplies(bus, (reply, { request }) =>
      Array.isArray(reply.entries)
        ? {
            ...reply,
            entries: reply.entries.map((entry: Message) => change(entry, readerOf(request))),
          }
        : reply,
    );
}

const readerOf = ({ subject }: BusMessage): string => subject.split(".")[2]!;
