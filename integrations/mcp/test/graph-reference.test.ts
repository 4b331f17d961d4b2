import { afterAll, beforeAll, expect, it } from "vitest";
import { differences, startReference } from "./graph-oracle.js";
import { type ConnectedClient, type ListedTool, REVISIONS } from "./mcp-clients.js";
import { McpFixture } from "./mcp-fixture.js";

const fixture = new McpFixture();
let theirs: ConnectedClient;
let stopReference: () => Promise<void>;
beforeAll(async () => {
  await fixture.start();
  ({ client: theirs, stop: stopReference } = await startReference());
});
afterAll(async () => {
  await stopReference();
  await fixture.stop();
});

/** Removes `$schema`: it does not affect which values are valid. */
function comparable({ name, title, description, inputSchema, outputSchema, annotations }: ListedTool) {
  const [input, output] = [inputSchema, outputSchema ?? {}].map((schema) =>
    Object.fromEntries(Object.entries(schema).filter(([field]) => field !== "$schema")),
  );
  return { name, title, description, input, output, annotations };
}

it.each(REVISIONS)("offers a client of %s the same tools", async (revision) => {
  const ours = await fixture.client("stdio", revision, ["--graph", "--namespace", "tools"]);
  const expected = (await theirs.tools()).map(comparable);
  expect(expected[0]).toMatchObject({ name: "create_entities", title: "Create Entities", annotations: {} });
  expect((await ours.tools()).map(comparable)).toEqual(expected);
});

it("answers 80 random calls like the reference server", async () => {
  const ours = await fixture.client("stdio", "former", ["--graph", "--namespace", "random"]);
  const { different, calls } = await differences([ours, theirs], 1, 80);
  expect(different).toEqual([]);
  expect(calls.size).toBe(9);
});

it("has the same resource", async () => {
  const ours = await fixture.client("stdio", "former", ["--graph", "--namespace", "random"]);
  const uri = "memory://knowledge-graph";
  expect(await ours.resources()).toEqual(await theirs.resources());
  expect(await ours.read(uri)).toBe(await theirs.read(uri));
  expect(JSON.parse(await ours.read(uri)).entities.length).toBeGreaterThan(0);
});
