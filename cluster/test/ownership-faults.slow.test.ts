import { MemoryError } from "@membus/protocol";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ClusterFixture } from "./cluster-fixture.js";
import { TestClock } from "./test-clock.js";
import { type TestHost, TestHosts } from "./test-hosts.js";

/** 12.5 s, more than a lease. */
const STEPS_PER_FAULT = 250;
const STEP_MS = 50;
const HOSTS = ["a", "b", "c"];

let fixture: ClusterFixture;
beforeAll(async () => {
  fixture = await ClusterFixture.open();
});
afterAll(() => fixture.close());

interface FaultyHost extends TestHost {
  readonly clock: TestClock;
}

/** Makes the requests of a host wait, or lose their answers, until the returned function is called. */
function breakLink({ link }: FaultyHost, isHeld: boolean): () => void {
  let mend: () => void = () => {};
  const mended = new Promise<void>((resolve) => {
    mend = resolve;
  });
  if (isHeld) link.before = () => mended;
  else link.after = () => Promise.reject(new MemoryError("unavailable", "no answer"));
  return () => {
    link.before = () => Promise.resolve();
    link.after = () => Promise.resolve();
    mend();
  };
}

interface Fault {
  /** Index of the host. */
  readonly host: number;
  readonly kind: "suspend" | "hold requests" | "lose answers" | "none";
  readonly suspendMs: number;
}

/** @returns a function that mends what the fault breaks. */
function applyFault(hosts: readonly FaultyHost[], { host, kind }: Fault): () => void {
  const broken = hosts[host]!;
  return kind === "hold requests" || kind === "lose answers"
    ? breakLink(broken, kind === "hold requests")
    : () => {};
}

const FAULTS = fc.array(
  fc.record({
    host: fc.nat({ max: HOSTS.length - 1 }),
    kind: fc.constantFrom<Fault["kind"]>("suspend", "hold requests", "lose answers", "none"),
    suspendMs: fc.nat({ max: 12_500 }),
  }),
  { minLength: 12, maxLength: 12 },
);

async function runFaults(faults: readonly Fault[]): Promise<void> {
  const all = new TestHosts(await fixture.openBucket());
  const hosts = HOSTS.map((host) => {
    const clock = new TestClock();
    return Object.assign(all.start({ host }, clock), { clock });
  });
  for (const fault of faults) {
    const mend = applyFault(hosts, fault);
    for (let step = 0; step < STEPS_PER_FAULT; step++) {
      const isSuspended = fault.kind === "suspend" && step * STEP_MS < fault.suspendMs;
      for (const [index, { clock }] of hosts.entries()) {
        if (isSuspended && index === fault.host) clock.suspend(STEP_MS);
        else await clock.advance(STEP_MS);
      }
      await all.settle();
      for (const owners of all.owners()) expect(owners.length).toBeLessThanOrEqual(1);
    }
    mend();
  }
  const acquired = hosts.flatMap(({ events }) => events.filter((event) => event.startsWith("+")));
  expect(acquired.length).toBeGreaterThan(4);
  expect(new Set(acquired).size).toBe(acquired.length);
}

it("no shard has two owners and no epoch two holders while hosts fail", async () => {
  await fc.assert(fc.asyncProperty(FAULTS, runFaults), { numRuns: 8, seed: 1, endOnFailure: true });
});
