import type { BusState } from "@membus/protocol/plugin";
import { describe, expect, it } from "vitest";
import type { BusSetup } from "./bus-contract.js";
import { rejection, thrown } from "./expect-error.js";

const NOTHING = new Uint8Array();

/** Returns a promise and a function that fulfils it. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

export function describeClosing(setup: BusSetup): void {
  describe("closing", () => {
    describeDrain(setup);
    describeClose(setup);
    describeClosed(setup);
  });
}

function describeDrain(setup: BusSetup): void {
  it("waits in drain for running callbacks", async () => {
    const { bus } = await setup();
    const { opened, open } = gate();
    const steps: string[] = [];
    const subscription = bus.subscribe("a", async () => {
      await opened;
      steps.push("callback");
    });
    bus.publish("a", NOTHING);
    const drained = subscription.drain().then(() => steps.push("drained"));
    for (let turn = 0; turn < 3; turn++) await bus.flush();
    expect(steps).toEqual([]);
    open();
    await drained;
    expect(steps).toEqual(["callback", "drained"]);
    await subscription.drain();
  });
}

function describeClose(setup: BusSetup): void {
  it("lets running callbacks answer before it closes", async () => {
    const { bus } = await setup();
    const { opened, open } = gate();
    bus.subscribe("slow", async ({ reply }) => {
      await opened;
      bus.publish(reply!, Uint8Array.of(7));
    });
    const request = bus.request("slow", NOTHING, { timeoutMs: 10_000 });
    await bus.flush();
    const closed = bus.close();
    thrown(() => bus.subscribe("late", () => {}), "unavailable");
    open();
    expect([...(await request).payload]).toEqual([7]);
    await closed;
  });

  it("closes and logs a warning if a callback never ends", async () => {
    const { bus, logger } = await setup({ closeTimeoutMs: 50 });
    bus.subscribe("stuck", () => new Promise(() => {}));
    bus.publish("stuck", NOTHING);
    await bus.flush();
    await bus.close();
    expect(bus.state).toBe("closed");
    expect(logger.messages("warn")).toEqual(["closing the bus while callbacks are running"]);
  });

  it("fails pending requests", async () => {
    const { bus } = await setup();
    bus.subscribe("silent", () => {});
    const failed = rejection(bus.request("silent", NOTHING, { timeoutMs: 600_000 }), "unavailable");
    await bus.flush();
    await bus.close();
    expect((await failed).detail).toEqual({ reason: "closed" });
  });
}

function describeClosed(setup: BusSetup): void {
  it("rejects all calls with unavailable", async () => {
    const { bus } = await setup();
    await bus.close();
    const errors = [
      thrown(() => bus.publish("a", NOTHING), "unavailable"),
      thrown(() => bus.subscribe("a", () => {}), "unavailable"),
      await rejection(bus.request("a", NOTHING, { timeoutMs: 1_000 }), "unavailable"),
      await rejection(bus.requestMany("a", NOTHING, { waitMs: 1_000 }), "unavailable"),
      await rejection(bus.flush(), "unavailable"),
    ];
    for (const error of errors) expect(error.detail).toEqual({ reason: "closed" });
    await bus.close();
  });

  it("notifies its listeners once, except removed ones", async () => {
    const { bus, logger } = await setup();
    const [seen, unseen]: [BusState[], BusState[]] = [[], []];
    bus.onState(() => {
      throw new RangeError("broken");
    });
    bus.onState((state) => void seen.push(state));
    bus.onState((state) => void unseen.push(state))();
    expect(bus.state).toBe("connected");
    await bus.close();
    expect(seen).toEqual(["closed"]);
    expect(unseen).toEqual([]);
    expect(logger.messages("error")).toEqual(["bus state listener failed"]);
  });
}
