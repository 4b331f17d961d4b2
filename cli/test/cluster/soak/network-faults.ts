import { setTimeout as sleep } from "node:timers/promises";
import type { Direction, FaultyLink } from "../../../../cluster/test/faulty-link.js";
import type { HoldMessage } from "../../../../cluster/test/holding-proxy.js";
import type { Chance } from "../../crash/kill-loop/chance.js";
import type { HostLinks } from "../host-links.js";
import { type Fault, LEASE_MS, OUTAGE_MS } from "./fault.js";

/** Time that the servers take to create a stream, longer than a host waits for an answer. */
const CREATE_MS = 5_000;
const CREATE_SUBJECT = "$JS.API.STREAM.CREATE.";

const BOTH: readonly Direction[] = ["requests", "answers"];

/** Cuts a host from some servers for a while. Its connections then go on, or they have ended. */
const cut =
  (
    what: string,
    linksOf: (links: HostLinks) => readonly FaultyLink[],
    directions?: readonly Direction[],
  ): Fault =>
  async (stage, chance) => {
    const name = chance.one(stage.names);
    const links = linksOf(stage.links(name));
    const held = directions ?? [chance.one(BOTH)];
    for (const link of links) link.hold(...held);
    await sleep(chance.int(OUTAGE_MS));
    return `${held.join(" and ")} between ${name} and ${what} were cut, ${restore(links, chance)}`;
  };

function restore(links: readonly FaultyLink[], chance: Chance): string {
  const isLate = chance.one([true, false]);
  for (const link of links) isLate ? link.release() : link.repair();
  return isLate ? "and arrived late" : "and are lost";
}

/** Holds the first request for a stream. Repeated ones wait for the same moment. */
function slowCreation(): HoldMessage {
  const created = new Map<string, Promise<void>>();
  return (subject) => {
    if (!subject.startsWith(CREATE_SUBJECT)) return undefined;
    const done = created.get(subject) ?? sleep(CREATE_MS);
    created.set(subject, done);
    return done;
  };
}

export const NETWORK_FAULTS: readonly Fault[] = [
  cut("nats", ({ nats }) => nats, BOTH),
  cut("one nats-server", ({ nats }) => nats.slice(0, 1), BOTH),
  cut("the store", ({ store }) => [store], BOTH),
  cut("nats and the store", ({ all }) => all, BOTH),
  cut("nats", ({ nats }) => nats),
  cut("the store", ({ store }) => [store]),
  /** Delivers what a host has sent to the store after others have taken its shards. */
  async function delayWrites(stage, chance) {
    const name = chance.one(stage.names);
    const { nats, store } = stage.links(name);
    store.hold("requests");
    await sleep(chance.int(LEASE_MS));
    for (const link of nats) link.hold(...BOTH);
    await sleep(2 * LEASE_MS + chance.int(OUTAGE_MS));
    store.release();
    await sleep(chance.int(LEASE_MS));
    return `requests of ${name} to the store came after its lease, those to nats ${restore(nats, chance)}`;
  },
  /** Other hosts then create streams for the shards of the killed one. */
  async function delayStreams(stage, chance) {
    const links = stage.names.map((name) => stage.links(name));
    for (const host of links) host.holdMessages(slowCreation());
    const name = chance.one(stage.names);
    await stage.end(name, "SIGKILL");
    await sleep(LEASE_MS + CREATE_MS + chance.int(OUTAGE_MS));
    for (const host of links) host.holdMessages(() => undefined);
    await stage.start(name);
    return `streams took ${CREATE_MS} ms to be created while ${name} was killed`;
  },
];
