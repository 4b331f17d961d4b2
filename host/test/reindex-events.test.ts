import { ReindexProgressSchema } from "@membus/protocol";
import type { BusMessage } from "@membus/protocol/plugin";
import { expect, it, vi } from "vitest";
import { decoded, type FixtureOptions, HostFixture } from "./host-fixture.js";
import { MapPlugin } from "./map-plugin.js";

const TOTAL = 10;
const NAMES = { generation: 2, embedder: "model-2", analyzer: "words-1" };

class ReindexedPlugin extends MapPlugin {
  done = 0;
  state = "running";

  override stats() {
    return {
      ...super.stats(),
      ...NAMES,
      reindex_state: this.state,
      reindex_total: TOTAL,
      reindex_done: this.done,
    };
  }
}

function fixtureOf(plugin: MapPlugin, options: FixtureOptions["options"] = {}) {
  const fixture = new HostFixture({ plugins: { working: plugin }, options });
  const messages: BusMessage[] = [];
  fixture.bus.subscribe("a2e.*.*.events.>", (message) => void messages.push(message));
  const published = () => messages.map((message) => decoded(message));
  return { fixture, messages, published };
}

it("reports the progress of a tier, only changes, and its end", async () => {
  const plugin = new ReindexedPlugin();
  const { fixture, messages, published } = fixtureOf(plugin);
  await fixture.host.start();
  await fixture.clock.advance(3_000);
  plugin.done = 4;
  await fixture.clock.advance(1_000);
  plugin.state = "paused";
  await fixture.clock.advance(1_000);
  Object.assign(plugin, { state: "done", done: TOTAL });
  await fixture.clock.advance(1_000);
  await fixture.clock.advance(5_000);
  const lines = () => published().map(({ state, done }) => `${state} ${done}`);
  expect(lines()).toEqual(["running 0", "running 4", "paused 4", "done 10"]);
  Object.assign(plugin, { state: "running", done: 1 });
  await fixture.clock.advance(1_000);
  expect(lines().slice(4)).toEqual(["running 1"]);
  const { id } = fixture.host;
  expect(new Set(messages.map(({ subject }) => subject))).toEqual(
    new Set([`a2e.$HOST.${id}.events.reindex.working`]),
  );
  expect(published()[1]).toMatchObject({
    type: "memory/reindex",
    host_id: id,
    tier: "working",
    ...NAMES,
    total: TOTAL,
  });
  for (const message of published()) expect(ReindexProgressSchema.safeParse(message).error).toBeUndefined();
});

it("reports nothing for a completed tier, for a tier without figures, and if events are off", async () => {
  const done = new ReindexedPlugin();
  done.state = "done";
  for (const [plugin, options] of [
    [done, {}],
    [new MapPlugin(), {}],
    [new ReindexedPlugin(), { events: false }],
  ] as const) {
    const { fixture, published } = fixtureOf(plugin, options);
    await fixture.host.start();
    await fixture.clock.advance(5_000);
    expect(published()).toEqual([]);
    await fixture.stop();
  }
});

it("reports nothing after the host has stopped", async () => {
  const plugin = new ReindexedPlugin();
  const { fixture, published } = fixtureOf(plugin);
  await fixture.host.start();
  await fixture.clock.advanceUntil(fixture.host.stop());
  plugin.done = 4;
  await fixture.clock.advance(5_000);
  expect(published()).toHaveLength(1);
});

it("continues if the figures of a plugin fail, and logs the failure once", async () => {
  const plugin = new ReindexedPlugin();
  vi.spyOn(plugin, "stats").mockImplementation(() => {
    throw new Error("no figures");
  });
  const { fixture, published } = fixtureOf(plugin);
  await fixture.host.start();
  await fixture.clock.advance(3_000);
  vi.mocked(plugin.stats).mockRestore();
  await fixture.clock.advance(1_000);
  expect(published()).toHaveLength(1);
  expect(fixture.logger.messages("error")).toEqual(["could not read the plugin's stats"]);
});

it("retries a failed publish", async () => {
  const { fixture, published } = fixtureOf(new ReindexedPlugin());
  const { bus, host, logger, clock } = fixture;
  const publish = bus.publish.bind(bus);
  vi.spyOn(bus, "publish").mockImplementation((subject, ...rest) => {
    if (subject.includes("$HOST") && clock.now() < 1_800_000_001) throw new Error("no connection");
    publish(subject, ...rest);
  });
  await host.start();
  expect(logger.messages("warn")).toEqual([expect.stringContaining("retrying")]);
  await clock.advance(1_000);
  expect(published()).toHaveLength(1);
});
