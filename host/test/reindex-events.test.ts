import { type BusMessage, ReindexProgressSchema } from "@membus/protocol";
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
  const told = () => messages.map((message) => decoded(message));
  return { fixture, messages, told };
}

it("tells how far a tier has got, what has changed alone, and its end", async () => {
  const plugin = new ReindexedPlugin();
  const { fixture, messages, told } = fixtureOf(plugin);
  await fixture.host.start();
  await fixture.clock.advance(3_000);
  plugin.done = 4;
  await fixture.clock.advance(1_000);
  plugin.state = "paused";
  await fixture.clock.advance(1_000);
  Object.assign(plugin, { state: "done", done: TOTAL });
  await fixture.clock.advance(1_000);
  await fixture.clock.advance(5_000);
  const lines = () => told().map(({ state, done }) => `${state} ${done}`);
  expect(lines()).toEqual(["running 0", "running 4", "paused 4", "done 10"]);
  Object.assign(plugin, { state: "running", done: 1 });
  await fixture.clock.advance(1_000);
  expect(lines().slice(4)).toEqual(["running 1"]);
  const { id } = fixture.host;
  expect(new Set(messages.map(({ subject }) => subject))).toEqual(
    new Set([`a2e.$HOST.${id}.events.reindex.working`]),
  );
  expect(told()[1]).toMatchObject({
    type: "memory/reindex",
    host_id: id,
    tier: "working",
    ...NAMES,
    total: TOTAL,
  });
  for (const message of told()) expect(ReindexProgressSchema.safeParse(message).error).toBeUndefined();
});

it("says nothing of a tier that is done, of one without such figures, and where events are off", async () => {
  const done = new ReindexedPlugin();
  done.state = "done";
  for (const [plugin, options] of [
    [done, {}],
    [new MapPlugin(), {}],
    [new ReindexedPlugin(), { events: false }],
  ] as const) {
    const { fixture, told } = fixtureOf(plugin, options);
    await fixture.host.start();
    await fixture.clock.advance(5_000);
    expect(told()).toEqual([]);
    await fixture.stop();
  }
});

it("says no more once the host has stopped", async () => {
  const plugin = new ReindexedPlugin();
  const { fixture, told } = fixtureOf(plugin);
  await fixture.host.start();
  await fixture.clock.advanceUntil(fixture.host.stop());
  plugin.done = 4;
  await fixture.clock.advance(5_000);
  expect(told()).toHaveLength(1);
});

it("goes on beside a plugin whose figures fail, which is logged once", async () => {
  const plugin = new ReindexedPlugin();
  vi.spyOn(plugin, "stats").mockImplementation(() => {
    throw new Error("no figures");
  });
  const { fixture, told } = fixtureOf(plugin);
  await fixture.host.start();
  await fixture.clock.advance(3_000);
  vi.mocked(plugin.stats).mockRestore();
  await fixture.clock.advance(1_000);
  expect(told()).toHaveLength(1);
  expect(fixture.logger.messages("error")).toEqual(["the plugin's stats failed"]);
});

it("tries again what could not be published", async () => {
  const { fixture, told } = fixtureOf(new ReindexedPlugin());
  const { bus, host, logger, clock } = fixture;
  const publish = bus.publish.bind(bus);
  vi.spyOn(bus, "publish").mockImplementation((subject, ...rest) => {
    if (subject.includes("$HOST") && clock.now() < 1_800_000_001) throw new Error("no connection");
    publish(subject, ...rest);
  });
  await host.start();
  expect(logger.messages("warn")).toEqual([expect.stringContaining("tried again")]);
  await clock.advance(1_000);
  expect(told()).toHaveLength(1);
});
