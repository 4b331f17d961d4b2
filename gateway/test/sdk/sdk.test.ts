import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GatewayFixture } from "../gateway-fixture.js";
import { BreakingProxy } from "./breaking-proxy.js";
import { allShown, hasSdk, shown, startAgent } from "./sdk.js";

const ROLLOUT = ["thirdparty-agent", "rollout"];
const fixture = new GatewayFixture();

describe.skipIf(!hasSdk)(
  "The A2E Python SDK (needs ../shared/peers with the SDK and a Python with its dependencies)",
  () => {
    beforeAll(() => fixture.start());
    afterAll(() => fixture.stop());

    it("works unchanged", async () => {
      const { url } = await fixture.gateway();
      const all = await allShown([url, "turns"]);
      const raised = (text: string) => ({ raised: "A2EClientError", text: expect.stringContaining(text) });
      expect(all).toEqual({
        capabilities: ["memory"],
        stored: [[{ id: "a" }, { id: "b" }], []],
        "bad entry": [[{ id: "good" }], ["schema_violation", "schema_violation"]],
        query: [[{ text: "Earth orbits the Sun" }, "semantic", ["fact"], 0, "alice", true]],
        ttl: [60],
        many: [200, [], 200],
        "forget nothing": 0,
        "forget tag": 200,
        "forget key": [1, 0],
        scripts: true,
        large: 1_600_000,
        "too large": raised("[too_large]"),
        recall: "Alice",
        "unknown type": raised("[invalid_message]"),
        isolation: [0, 1, "A2EClientError"],
      });
    });

    it("rejects and accepts handshakes by token", async () => {
      const sha256 = (token: string) => createHash("sha256").update(token).digest("hex");
      const tokens = [
        { sha256: sha256("right"), tenant: "default", agent: "alice" },
        { sha256: sha256("shared"), tenant: "default" },
      ];
      const { url } = await fixture.gateway({ tokens });
      const failed = { raised: "ConnectionError", text: "Handshake failed: auth_failed" };
      expect(await allShown([url, "handshakes"])).toEqual({
        right: { ok: null },
        "any agent": { ok: null },
        wrong: failed,
        none: failed,
        "other capabilities": [0, [{ id: "a" }]],
      });
    });

    it("works from eight threads", async () => {
      const { url } = await fixture.gateway();
      expect(await allShown([url, "threads"])).toEqual({ threads: [200, 200] });
    });

    it("runs the SDK's examples with the expected results", async () => {
      const { url } = await fixture.gateway();
      const seen = [];
      for await (const { name, value } of shown(startAgent([url, "cookbook"]))) seen.push([name, value]);
      const [foo, bar] = [
        { user_id: "foo", index: "1" },
        { user_id: "bar", index: "1" },
      ];
      const step = (index: number) => ({ episode_id: "e1", step_idx: index });
      expect(seen).toEqual([
        ["ping", true],
        ["init", [true, "cookbook-demo", true]],
        ["store", [[foo, bar, bar], []]],
        ["retrieve", [[foo, { text: "user prefers python" }, "semantic", ["preference"]]]],
        ["retrieve", [[bar, { current_file: "/tmp/test.py" }, "working", []]]],
        ["forget", 1],
        ["left", [0, 1]],
        ["init", [true, "default", true]],
        ["retrieve", []],
        ["store", [[step(0)], []]],
        ["retrieve", [[step(0), expect.objectContaining({ reward: 0.5 }), "episodic", ROLLOUT]]],
        ["store", [[step(1)], []]],
        ["retrieve", [[step(1), expect.objectContaining({ reward: 0.5 }), "episodic", ROLLOUT]]],
        ["recalled", 0.5],
      ]);
    });

    it("reconnects after a network failure", async () => {
      const { url } = await fixture.gateway();
      const proxy = await BreakingProxy.start(Number(new URL(url).port));
      const agent = startAgent([proxy.url, "breaks"]);
      const seen = [];
      for await (const { name, value } of shown(agent)) {
        seen.push([name, value]);
        if (name !== "ready") continue;
        const streams = proxy.connectionCount;
        proxy.breakAll();
        await proxy.connectedAfter(streams);
        agent.stdin.write("go\n");
      }
      expect(seen).toEqual([
        ["ready", true],
        ["after", [[{ id: "more" }], 2]],
      ]);
      await proxy.stop();
    });

    it("continues after a restart of the gateway", async () => {
      const first = await fixture.gateway();
      const agent = startAgent([first.url, "restarts"]);
      const seen = [];
      for await (const { name, value } of shown(agent)) {
        seen.push([name, value]);
        if (name === "ready") {
          await first.gateway.stop();
          await fixture.gateway({ port: Number(new URL(first.url).port) });
          agent.stdin.write("go\n");
        }
        if (name === "after") agent.stdin.write("end\n");
      }
      expect(seen).toEqual([
        ["ready", true],
        ["after", [{ ok: 2 }]],
        ["disconnected at once", true],
      ]);
    });
  },
);
