import type { Bus, BusMessage, Message } from "@membus/protocol";
import { type HostMutant, hostMutant, type Mutant } from "../mutant.js";
import { asBasic, type BasicParts } from "./basic-host.js";
import { rewriteReplies, rewriteRequests } from "./intercept.js";

type Facts = Pick<HostMutant, "id" | "defect" | "check" | "names" | "tier">;

/** A host of the profile `basic` with one defect, which stands before what it refuses. */
export function basicMutant(facts: Facts, defect: (bus: Bus) => Bus, parts?: BasicParts): Mutant {
  return hostMutant({ ...facts, bus: (bus) => asBasic(defect(bus), parts) });
}

/** Other requests of one operation than were sent. */
export function reading(operation: string, change: (fields: Message) => Record<string, unknown>) {
  return (bus: Bus) =>
    rewriteRequests(bus, (fields) =>
      fields.type === `memory/${operation}/req` ? (change(fields) as Message) : fields,
    );
}

/** Other entries than were found. */
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
