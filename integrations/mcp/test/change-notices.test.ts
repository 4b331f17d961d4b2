import type { AgentMemory } from "@membus/agent-client";
import type { MemoryEvent } from "@membus/protocol";
import { expect, it } from "vitest";
import { FakeClock } from "../../../host/test/fake-clock.js";
import { ChangeNotices } from "../src/change-notices.js";

const hashOf = (n: number) => n.toString(16).padStart(64, "0");
const uriOf = (n: number) => `membus://episodic/${hashOf(n)}`;

/** Notices with a function that reports a stored entry. */
async function openNotices(clock = new FakeClock()) {
  const notices = new ChangeNotices(false, clock);
  let report!: (event: MemoryEvent) => void;
  const memory = {
    namespace: "default",
    watch: async (_filter: object, onEvent: typeof report) => {
      report = onEvent;
      return { stop: async () => {} };
    },
  };
  await notices.watch(memory as unknown as AgentMemory);
  const stored = (n: number) =>
    report({ action: "stored", tier: "episodic", key_hash: hashOf(n), key: { n } } as unknown as MemoryEvent);
  return { notices, clock, stored };
}

/** A listener that records its calls. */
function recorder() {
  const calls: string[] = [];
  const listener = {
    resourceUpdated: (uri: string) => void calls.push(uri),
    resourcesChanged: () => void calls.push("list"),
  };
  return { calls, listener };
}

it("reports only the wanted resources to a listener, and every change of the list", async () => {
  const { notices, clock, stored } = await openNotices();
  const [all, some, none] = [recorder(), recorder(), recorder()];
  notices.listen(some.listener, new Set([uriOf(2), uriOf(9)]));
  notices.listen(none.listener, new Set());
  for (const n of [1, 2, 3, 2]) stored(n);
  await clock.advance(50);
  expect([some.calls, none.calls]).toEqual([[uriOf(2), "list"], ["list"]]);
  notices.listen(all.listener);
  for (const n of [1, 2]) stored(n);
  await clock.advance(50);
  expect(all.calls).toEqual([uriOf(1), uriOf(2), "list"]);
  expect(some.calls).toEqual([uriOf(2), "list", uriOf(2), "list"]);
});

it("passes nothing of a storm to a listener that wants other resources", async () => {
  const { notices, clock, stored } = await openNotices();
  const { calls, listener } = recorder();
  notices.listen(listener, new Set(Array.from({ length: 700 }, (_, n) => uriOf(100_000 + n))));
  for (let n = 0; n < 10_000; n++) stored(n);
  await clock.advance(50);
  expect(calls).toEqual(["list"]);
});
