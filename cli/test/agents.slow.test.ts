import { afterAll, beforeAll, expect, it } from "vitest";
import { RunningHost } from "./running-host.js";

const host = new RunningHost();
beforeAll(() => host.start());
afterAll(() => host.stop());

/** Each agent has a separate key, because they share the semantic tier. */
const remember = (agent: string, ...flags: string[]) =>
  host.cli(["remember", `tea of ${agent}`, "green", "--agent", agent, ...flags]);

it("lists the agents that have entries, also after a restart of the host", async () => {
  expect((await host.cli(["agents"])).stdout).toBe("no agent has entries\n");
  await remember("bob", "--tier", "episodic");
  await remember("alice", "--tier", "semantic");
  await remember("bob", "--tier", "semantic");
  await remember("zoë", "--tier", "working", "--session", "s1");
  expect((await host.cli(["agents"])).stdout).toBe(
    "alice  semantic\nbob    episodic, semantic\nzoë    working\n",
  );
  await host.restart();
  expect(await host.json(["agents"])).toEqual({
    agents: [
      { name: "alice", tiers: ["semantic"] },
      { name: "bob", tiers: ["episodic", "semantic"] },
    ],
    incomplete: [],
  });
  await host.cli(["forget", "--tier", "episodic", "--all", "--agent", "bob"]);
  expect((await host.cli(["agents"])).stdout).toBe("alice  semantic\nbob    semantic\n");
});
