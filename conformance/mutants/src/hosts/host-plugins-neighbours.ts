import type { Bus, BusMessage } from "@membus/protocol";
import { hostMutant, type Mutant } from "../mutant.js";
import { interceptReplies, interceptRequests, rewriteRawRequests } from "./intercept.js";

/** Whether a host of a check's own gets it. What others ask is left as it is. */
function isOfOwnHost({ subject }: BusMessage): boolean {
  return subject.startsWith("conformance-");
}

/** All agents are one. */
function asOneAgent(bus: Bus): Bus {
  return rewriteRawRequests(bus, (message) => {
    const subject = message.subject.replace(".conformance-second.", ".conformance-first.");
    return isOfOwnHost(message) ? { ...message, subject } : message;
  });
}

/** So many requests at once, the others wait in the order in which they came. */
function firstComeFirstServed(countMax: number) {
  return (bus: Bus): Bus => {
    const waiting: (() => void)[] = [];
    let count = 0;
    const next = () => {
      while (count < countMax && waiting.length > 0) {
        count++;
        waiting.shift()!();
      }
    };
    const answering = interceptReplies(bus, (reply, send) => {
      send(reply);
      if (isOfOwnHost(reply.request)) count--;
      next();
    });
    return interceptRequests(answering, (message, deliver) => {
      if (!isOfOwnHost(message) || message.reply === undefined) return deliver(message);
      waiting.push(() => deliver(message));
      next();
    });
  };
}

export const neighboursMutants: readonly Mutant[] = [
  hostMutant({
    id: "host-plugins-agents-share-one-account",
    defect: "what all agents together have under way is counted, and not what each has",
    check: "host-plugins/neighbour-of-a-flood-finds-room",
    names: /the reply to a retrieve while another agent has all of 64 under way/,
    bus: asOneAgent,
  }),
  hostMutant({
    id: "host-plugins-agents-wait-in-one-queue",
    defect: "a plugin is called for requests in the order in which they came, whoever sent them",
    check: "host-plugins/neighbour-of-a-flood-is-next",
    names: /whether the next call of the plugin is for a retrieve while a plugin holds/,
    bus: asOneAgent,
  }),
  hostMutant({
    id: "host-plugins-first-come-first-served",
    defect: "eight requests are served at once, and the others wait in the order in which they came",
    check: "host-plugins/neighbour-of-a-flood-is-next",
    names: /whether the next call of the plugin is for a retrieve while a plugin holds/,
    bus: firstComeFirstServed(8),
  }),
];
