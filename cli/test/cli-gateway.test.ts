import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { A2eClient } from "../../gateway/test/a2e-client.js";
import { endChild, lineOf } from "./run-cli.js";
import { RunningHost } from "./running-host.js";

const host = new RunningHost();
beforeAll(() => host.start());
afterAll(() => host.stop());

describe("membus gateway", () => {
  it("stores what comes over HTTP where the other commands find it, and keeps sessions over a kill", async () => {
    const start = async (address: string) => {
      const gateway = host.spawn(["gateway", "--listen", address]);
      const line = await lineOf(gateway, /^membus gateway listens on/);
      return { gateway, url: line.split(" ").at(-1)! };
    };
    const first = await start("127.0.0.1:0");
    const client = await A2eClient.create(first.url);
    await client.openStream(first.url);
    await client.handshake(first.url);
    const memory_id = await client.init(first.url);
    const entries = [{ key: { name: "user_name" }, content: "Alice", tier: "episodic" }];
    await client.ask(first.url, { type: "memory/store/req", memory_id, entries });
    expect(await host.json(["recall", "user_name", "--agent", "alice"])).toBe("Alice");
    await endChild(first.gateway, "SIGKILL");
    const { gateway, url } = await start(first.url.slice("http://".length));
    await client.openStream(url);
    const found = await client.ask(url, {
      type: "memory/retrieve/req",
      memory_id,
      keys: entries.map(({ key }) => key),
    });
    expect(found.entries).toMatchObject([{ content: "Alice" }]);
    expect(await endChild(gateway, "SIGTERM")).toBe(0);
  });

  it("has a page that shows what is remembered, and with --edit changes it", async () => {
    const start = async (...flags: readonly string[]) => {
      const gateway = host.spawn(["gateway", "--listen", "127.0.0.1:0", ...flags]);
      const url = (await lineOf(gateway, /^membus gateway listens on/)).split(" ").at(-1)!;
      const page = await fetch(`${url}/`);
      const script = await fetch(`${url}/inspector.js`);
      const { edit } = (await (await fetch(`${url}/inspector/session`)).json()) as { edit: boolean };
      await endChild(gateway, "SIGTERM");
      return [page.status, await page.text(), script.status, edit];
    };
    const page = expect.stringContaining('<script type="module" src="/inspector.js">');
    expect(await start()).toEqual([200, page, 200, false]);
    expect(await start("--edit")).toEqual([200, page, 200, true]);
  });

  it("says what is wrong with its settings", async () => {
    const at = await host.cli(["gateway", "--listen", "nowhere"]);
    expect([at.code, at.stderr]).toEqual([
      2,
      expect.stringContaining("--listen takes an address and a port"),
    ]);
    const open = await host.cli(["gateway", "--listen", "0.0.0.0:0"]);
    expect([open.code, open.stderr]).toEqual([2, expect.stringContaining("tokens are needed")]);
  });
});

describe("membus a2e --stdio", () => {
  it("answers a line with a line, and ends with its input", async () => {
    const child = host.spawn(["a2e", "--stdio"]);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const ask = async (message: object) => {
      child.stdin.write(`${JSON.stringify({ version: "1.0", ...message })}\n`);
      return JSON.parse((await lines.next()).value!) as Record<string, unknown>;
    };
    expect(await ask({ type: "ping", id: "p" })).toMatchObject({ type: "pong", req_id: "p" });
    expect(await ask({ type: "handshake/req", id: "h", agent_id: "zoë" })).toMatchObject({ ok: true });
    const { memory_id } = await ask({ type: "memory/init/req", id: "i", namespace: "stdio" });
    const entries = [{ key: { id: "a" }, content: "line\u2028end", tier: "working" }];
    await ask({ type: "memory/store/req", id: "s", memory_id, entries });
    const found = await ask({ type: "memory/retrieve/req", id: "r", memory_id, keys: [{ id: "a" }] });
    expect(found.entries).toMatchObject([{ content: "line\u2028end", source: "zoë" }]);
    child.stdin.write("no JSON\n");
    expect(JSON.parse((await lines.next()).value!)).toMatchObject({ type: "error", code: "parse_error" });
    child.stdin.end();
    expect((await once(child, "close"))[0]).toBe(0);
  });
});
