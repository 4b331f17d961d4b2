import { startHost } from "@membus/mutants";
import { delay, systemClock } from "@membus/protocol";
import type { Bus, BusMessage } from "@membus/protocol/plugin";
import { expect, it } from "vitest";
import { CHECKS, type Check, createHostWorld, runSuite } from "../src/index.js";
import { isRed } from "../src/run/outcome.js";

const REQUEST_MS = 15;
/** The answers to some requests at once then take more than a second. */
const VERY_SLOW_MS = 90;
const HOSTS = 8;

type Receive = (message: BusMessage) => void;

/** Changes how a host receives messages. */
function hearing(bus: Bus, passOn: (receive: Receive) => Receive): Bus {
  return new Proxy(bus, {
    get(target, name) {
      const own: unknown = Reflect.get(target, name);
      if (typeof own !== "function") return own;
      if (name !== "subscribe") return own.bind(target);
      return (subject: string, receive: Receive, ...rest: unknown[]) =>
        own.call(target, subject, passOn(receive), ...rest);
    },
  });
}

/** Delays each message, independent of others. */
function delayed(bus: Bus): Bus {
  return hearing(
    bus,
    (receive) => (message) => void delay(systemClock, REQUEST_MS).then(() => receive(message)),
  );
}

/** Processes one message after another, each with a delay. */
function inTurn(requestMs: number): (bus: Bus) => Bus {
  return (bus) => {
    let served: Promise<void> = Promise.resolve();
    return hearing(bus, (receive) => (message) => {
      served = served.then(() => delay(systemClock, requestMs)).then(() => receive(message));
    });
  };
}

/** Returns the red checks, with their reasons, of the working tier of a host with this bus. */
async function redOf(
  bus: (bus: Bus) => Bus,
  takesPlugins: boolean,
  checks: readonly Check[],
): Promise<string[]> {
  const host = await startHost({ bus });
  try {
    const { startHost: startOwn, ...asked } = host.implementation;
    const own = takesPlugins && startOwn ? { startHost: startOwn } : {};
    const world = await createHostWorld({ ...asked, ...own, tiers: ["working"] });
    const results = await runSuite(checks, world, { seed: 1 });
    const red = results.filter(({ outcome }) => isRed(outcome));
    return red.map(({ id, cases }) => `${id}: ${JSON.stringify(cases[0]?.discrepancy ?? cases[0]?.reason)}`);
  } finally {
    await host.stop();
  }
}

it("a host with 15 ms per request exceeds no time limit", async () => {
  expect((await redOf(delayed, true, CHECKS)).join("\n")).toBe("");
});

// Takes about a minute, because every message of the whole suite waits for its turn.
it("a host with 15 ms per request, strictly one after another, exceeds no time limit", async () => {
  // The checks mostly wait, so several hosts run parts of them concurrently.
  const parts = Array.from({ length: HOSTS }, (_, part) => CHECKS.filter((_, at) => at % HOSTS === part));
  const red = await Promise.all(parts.map((checks) => redOf(inTurn(REQUEST_MS), false, checks)));
  expect(red.flat().join("\n")).toBe("");
});

it("a host with 90 ms per request, strictly one after another, is found in its queue group", async () => {
  const checks = CHECKS.filter(({ id }) => id === "discovery/queue-group");
  expect(checks).toHaveLength(1);
  expect((await redOf(inTurn(VERY_SLOW_MS), false, checks)).join("\n")).toBe("");
});
