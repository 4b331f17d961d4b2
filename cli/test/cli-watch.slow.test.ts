import { afterAll, beforeAll, expect, it } from "vitest";
import { endChild, lineOf, resultOf } from "./run-cli.js";
import { RunningHost } from "./running-host.js";

const host = new RunningHost();
beforeAll(() => host.start());
afterAll(() => host.stop());

it("prints a line for each event until it is interrupted", async () => {
  const watch = host.spawn(["watch", "--tier", "semantic"]);
  const result = resultOf(watch);
  await lineOf(watch, /^watching/);
  const seen = lineOf(watch, /^forgotten/);
  await host.json(["remember", "shared", "1", "--tier", "semantic", "--agent", "alice"]);
  await host.json(["remember", "private", "1", "--tier", "working", "--agent", "alice"]);
  await host.json(["forget", "--key", "shared", "--tier", "semantic", "--agent", "bob"]);
  await seen;
  await endChild(watch, "SIGINT");
  const { code, stdout } = await result;
  expect(code).toBe(0);
  expect(stdout).toBe(
    [
      'stored  semantic  default  {"name":"shared"}  author alice\n',
      'forgotten  semantic  default  {"name":"shared"}  author alice\n',
    ].join(""),
  );
});

it("prints complete events as JSON lines", async () => {
  const watch = host.spawn(["watch", "--json"]);
  await lineOf(watch, /^watching/);
  const seen = lineOf(watch, /"action":"stored"/);
  await host.json(["remember", "own", "1"]);
  expect(JSON.parse(await seen)).toMatchObject({
    action: "stored",
    tier: "episodic",
    key: { name: "own" },
    author: "cli",
  });
  expect(await endChild(watch, "SIGTERM")).toBe(0);
});
