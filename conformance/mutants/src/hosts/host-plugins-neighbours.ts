import type { Bus, BusMessage } from "@membus/protocol/plugin";
import { hostMutant, type Mutant } from "../mutant.js";
import { interceptReplies, interceptRequests, rewriteRawRequests } from "./intercept.js";

/** Returns whether the subject belongs to a host that a check started. Other messages stay unchanged. */
function isOfOwnHost({ subject }: BusMessage): boolean {
  return subject.startsWith("conformance-");
}

/** Replaces all agents with one. */
function asOneAgent(bus: Bus): Bus {
  return rewriteRawRequests(bus, (message) => {
    const subject = message.subject.replace(".conformance-second.", ".conformance-first.");
    return isOfOwnHost(message) ? { ...message, subject } : message;
  });
}

/** Serves at most `countMax` requests at a time, in the order of arrival. */
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
    defect: "the pending requests of all agents are counted together",
    check: "host-plugins/neighbour-of-a-flood-finds-room",
    names: /the reply to a retrieve while another agent has 64 pending requests/,
    bus: asOneAgent,
  }),
  hostMutant({
    id: "host-plugins-agents-wait-in-one-queue",
    defect: "a plugin is called in the order of the requests, regardless of their agents",
    check: "host-plugins/neighbour-of-a-flood-is-next",
    names: /whether the next call of the plugin is for a retrieve while a plugin holds/,
    bus: asOneAgent,
  }),
  hostMutant({
    id: "host-plugins-first-come-first-served",
    defect: "eight requests are served at a time, and the others wait in the order of arrival",
    check: "host-plugins/neighbour-of-a-flood-is-next",
    names: /whether the next call of the plugin is for a retrieve while a plugin holds/,
    bus: firstComeFirstServed(8),
  }),
];
