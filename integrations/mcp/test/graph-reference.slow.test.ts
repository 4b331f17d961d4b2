import { afterAll, beforeAll, expect, it } from "vitest";
import { differences, startReference } from "./graph-oracle.js";
import { McpFixture } from "./mcp-fixture.js";

const fixture = new McpFixture();
beforeAll(() => fixture.start());
afterAll(() => fixture.stop());

it.each([
  ["stdio", "2026-07-28", 2],
  ["http", "former", 3],
] as const)(
  "answers 1,000 random calls over %s, %s, like the reference server",
  async (transport, revision, seed) => {
    const reference = await startReference();
    const ours = await fixture.client(transport, revision, ["--graph", "--namespace", `random-${seed}`]);
    const { different, calls } = await differences([ours, reference.client], seed, 1_000);
    const left = await Promise.all([ours, reference.client].map((client) => client.call("read_graph")));
    await reference.stop();
    expect(different).toEqual([]);
    expect(left[0]).toEqual(left[1]);
    expect([...calls.values()].every((count) => count > 20)).toBe(true);
  },
);
