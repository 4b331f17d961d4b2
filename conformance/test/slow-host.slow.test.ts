import { startHost } from "@membus/mutants";
import type { Bus, BusMessage } from "@membus/protocol";
import { delay, systemClock } from "@membus/protocol";
import { expect, it } from "vitest";
import { CHECKS, createHostWorld, runSuite } from "../src/index.js";
import { isRed } from "../src/run/outcome.js";

const REQUEST_MS = 25;

/** What a host hears comes to it later, whatever else is under way. */
function delayed(bus: Bus): Bus {
  return new Proxy(bus, {
    get(target, name) {
      const own: unknown = Reflect.get(target, name);
      if (typeof own !== "function") return own;
      if (name !== "subscribe") return own.bind(target);
      return (subject: string, receive: (message: BusMessage) => void, ...rest: unknown[]) => {
        const later = (message: BusMessage) =>
          void delay(systemClock, REQUEST_MS).then(() => receive(message));
        return own.call(target, subject, later, ...rest);
      };
    },
  });
}

it("a host that takes 25 ms a request runs into no limit of time", async () => {
  const host = await startHost({ bus: delayed });
  try {
    const world = await createHostWorld({ ...host.implementation, tiers: ["working"] });
    const results = await runSuite(CHECKS, world, { seed: 1 });
    const red = results.filter(({ outcome }) => isRed(outcome));
    expect(red.map(({ id, cases }) => [id, cases[0]?.discrepancy])).toEqual([]);
  } finally {
    await host.stop();
  }
});
