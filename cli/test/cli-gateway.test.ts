import { createHash } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { A2eClient } from "../../gateway/test/a2e-client.js";
import { connectHttp } from "../../integrations/mcp/test/mcp-clients.js";
import { endChild, lineOf, resultOf, spawnCli } from "./run-cli.js";
import { RunningHost } from "./running-host.js";

const host = new RunningHost();
beforeAll(() => host.start());
afterAll(() => host.stop());

describe("membus gateway", () => {
  it("shows the page for people, and says how to choose another port", async () => {
    const gateway = host.spawn(["gateway", "--listen", "127.0.0.1:0"]);
    const page = (await lineOf(gateway, /^memories in a browser:/)).split(" ").at(-1)!;
    expect((await fetch(page)).status).toBe(200);
    const { host: address } = new URL(page);
    const second = await host.cli(["gateway", "--listen", address]);
    expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining("`membus gateway --listen") });
    await endChild(gateway, "SIGTERM");
  });

  it("stores entries over HTTP for all commands, and keeps sessions after a kill", async () => {
    const start = async (address: string) => {
      const gateway = host.spawn(["gateway", "--listen", address]);
      const line = await lineOf(gateway, /^membus gateway is listening on/);
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

  it("logs rejections without tokens, session ids or contents", async () => {
    const secrets = ["sk-right", "sk-wrong", "sk-upstream", "in confidence"];
    const sha256 = createHash("sha256").update("sk-right").digest("hex");
    // No server listens on this port.
    const openai = { upstream: "http://127.0.0.1:9/v1", api_key_env: "UPSTREAM_KEY" };
    const settings = { log_level: "debug", gateway: { tokens: [{ sha256, tenant: "default" }], openai } };
    const path = join(host.directory, "refusing.yaml");
    writeFileSync(path, JSON.stringify(settings));
    const options = { url: host.url, cwd: host.directory, env: { UPSTREAM_KEY: "sk-upstream" } };
    const gateway = spawnCli(["gateway", "--listen", "127.0.0.1:0", "--config", path], options);
    const ended = resultOf(gateway);
    const url = (await lineOf(gateway, /^membus gateway is listening on/)).split(" ").at(-1)!;
    const client = await A2eClient.create(url);
    await client.openStream(url);
    expect(await client.handshake(url, { auth_token: "sk-wrong" })).toMatchObject({ reason: "auth_failed" });
    expect(await client.handshake(url, { auth_token: "sk-right" })).toMatchObject({ ok: true });
    const memory_id = await client.init(url);
    const entries = [{ key: { id: "a" }, content: "in confidence", tier: "nowhere" }];
    await client.ask(url, { type: "memory/store/req", memory_id, entries });
    await client.post(url, '{"auth_token":"sk-right", in confidence');
    await client.reply("");
    const statuses = [];
    for (const token of ["sk-wrong", "sk-right"]) {
      const headers = { authorization: `Bearer ${token}` };
      const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "in confidence" }] });
      const answer = await fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body });
      statuses.push(answer.status);
      const accept = "application/json, text/event-stream";
      const posted = { method: "POST", headers: { ...headers, accept, "content-type": "application/json" } };
      statuses.push((await fetch(`${url}/mcp`, { ...posted, body: '{"in confidence' })).status);
    }
    expect(statuses).toEqual([401, 401, 502, 400]);
    expect((await fetch(`${url}/send?token=sk-right`, { method: "POST" })).status).toBe(400);
    expect(await endChild(gateway, "SIGTERM")).toBe(0);
    const { stdout, stderr } = await ended;
    expect(stderr).toContain('"cause":"unknown_token"');
    expect(stderr).toContain('"cause":"no_session"');
    expect(stderr).toContain("a request to the model server failed");
    for (const secret of [...secrets, client.id]) expect(stdout + stderr).not.toContain(secret);
  });

  it("serves a page that shows memories, and with --edit changes them", async () => {
    const start = async (...flags: readonly string[]) => {
      const gateway = host.spawn(["gateway", "--listen", "127.0.0.1:0", ...flags]);
      const url = (await lineOf(gateway, /^membus gateway is listening on/)).split(" ").at(-1)!;
      const page = await fetch(`${url}/`);
      const html = await page.text();
      const [path] = /\/inspector-[\w-]+\.js/.exec(html) ?? [];
      const script = await fetch(url + path);
      const { edit } = (await (await fetch(`${url}/inspector/session`)).json()) as { edit: boolean };
      await endChild(gateway, "SIGTERM");
      return [page.status, script.headers.get("content-type"), edit];
    };
    const script = "text/javascript; charset=utf-8";
    expect(await start()).toEqual([200, script, false]);
    expect(await start("--edit")).toEqual([200, script, true]);
  });

  it("serves MCP, read-only if configured", async () => {
    await host.cli([
      "remember",
      "city",
      "Lisbon",
      "--agent",
      "ann",
      "--namespace",
      "trip",
      "--tier",
      "episodic",
    ]);
    const path = join(host.directory, "reading.yaml");
    writeFileSync(path, JSON.stringify({ gateway: { mcp_read_only: true } }));
    const toolCounts = [];
    for (const flags of [[], ["--config", path]]) {
      const gateway = host.spawn(["gateway", "--listen", "127.0.0.1:0", ...flags]);
      const url = (await lineOf(gateway, /^membus gateway is listening on/)).split(" ").at(-1)!;
      const client = await connectHttp("former", `${url}/mcp/trip`, undefined, { "x-membus-agent": "ann" });
      toolCounts.push((await client.tools()).length);
      const { structured } = await client.call("memory_recall", { key: "city" });
      expect(structured).toMatchObject({ found: true, value: "Lisbon" });
      await client.close();
      expect(await endChild(gateway, "SIGTERM")).toBe(0);
    }
    expect(toolCounts).toEqual([5, 2]);
  });

  it("reports invalid settings", async () => {
    const at = await host.cli(["gateway", "--listen", "nowhere"]);
    expect([at.code, at.stderr]).toEqual([
      2,
      expect.stringContaining("--listen must be an address and port"),
    ]);
    const open = await host.cli(["gateway", "--listen", "0.0.0.0:0"]);
    expect([open.code, open.stderr]).toEqual([2, expect.stringContaining("tokens are required")]);
  });
});

describe("membus a2e --stdio", () => {
  it("answers each line with a line, and exits at the end of its input", async () => {
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
