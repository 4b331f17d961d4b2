import { TIERS } from "@membus/protocol";
import type { PluginRetrieveRequest, PluginRetrieveResult } from "@membus/protocol/plugin";
import { expect, it } from "vitest";
import { HostFixture } from "./host-fixture.js";
import { MapPlugin } from "./map-plugin.js";

/** Plugin that answers every retrieve as if an index had chosen the entries, also with `exact` if it is wrong. */
class IndexedPlugin extends MapPlugin {
  constructor(readonly ignoresExact = false) {
    super({ approximate: true });
  }

  override async onRetrieve(...[selector, request]: Parameters<MapPlugin["onRetrieve"]>) {
    const page: PluginRetrieveResult = await super.onRetrieve(selector, request);
    const isExact = request.exact && !this.ignoresExact;
    return (isExact ? page : { ...page, total_relation: "gte", approximate: true }) as Awaited<
      ReturnType<MapPlugin["onRetrieve"]>
    >;
  }
}

const entriesOf = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ key: { n }, content: "tea", tier: "semantic" }));

it("a reply names all approximate tiers in their order (clause RET-49)", async () => {
  const plugins = Object.fromEntries(TIERS.map((tier) => [tier, new IndexedPlugin()]));
  const fixture = await HostFixture.start({ plugins });
  expect((await fixture.retrieve({})).approximate).toEqual([...TIERS]);
  expect(await fixture.retrieve({ exact: true })).not.toHaveProperty("approximate");
});

it("an approximate page of a request with `exact` is refused (clause RET-50)", async () => {
  const fixture = await HostFixture.start({ plugins: { semantic: new IndexedPlugin(true) } });
  await fixture.store(entriesOf(1));
  expect(await fixture.retrieve({ exact: false })).toMatchObject({ approximate: ["semantic"] });
  expect(await fixture.retrieve({ exact: true })).toMatchObject({ code: "runtime_error" });
  expect(fixture.logger.lines[0]!.fields.err).toEqual(new Error("returned an unexpected approximate page"));
});

it("all pages of a cursor are exact, or none", async () => {
  const requests: PluginRetrieveRequest[] = [];
  const plugin = new IndexedPlugin();
  const retrieve = plugin.onRetrieve.bind(plugin);
  plugin.onRetrieve = (selector, request) => {
    requests.push(request);
    return retrieve(selector, request);
  };
  const fixture = await HostFixture.start({ plugins: { semantic: plugin } });
  await fixture.store(entriesOf(3));
  const { cursor } = await fixture.retrieve({ exact: true, limit: 1 });
  expect(await fixture.retrieve({ limit: 1, cursor })).toMatchObject({ code: "schema_violation" });
  await fixture.retrieve({ exact: true, limit: 1, cursor });
  expect(requests.map(({ exact }) => exact)).toEqual([true, true]);
});
