import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { freePort } from "../../bus/test/free-port.js";
import { A2eClient } from "../../gateway/test/a2e-client.js";
import { RawUpstream } from "../../gateway/test/raw-upstream.js";
import { endChild, lineOf, runCli, spawnCli } from "./run-cli.js";

let directory: string;
let children: ChildProcessWithoutNullStreams[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "membus-test-"));
  children = [];
});
afterEach(async () => {
  await Promise.all(children.map((child) => endChild(child, "SIGKILL")));
  rmSync(directory, { recursive: true });
});

/** Starts `membus up` with its embedded nats-server. */
async function up(args: readonly string[]) {
  const port = String(await freePort());
  const child = spawnCli(["up", "--data", join(directory, "data"), "--port", port, ...args], {
    cwd: directory,
  });
  children.push(child);
  const url = (await lineOf(child, /^membus gateway is listening on/)).split(" ").at(-1)!;
  return { child, url, nats: `nats://127.0.0.1:${port}` };
}

function answerHello(response: ServerResponse): void {
  response.setHeader("content-type", "application/json");
  const message = { role: "assistant", content: "Hello." };
  response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: "stop" }] }));
}

function complete(url: string, content: string): Promise<Response> {
  const body = JSON.stringify({ model: "m", messages: [{ role: "user", content }] });
  return fetch(`${url}/v1/chat/completions`, { method: "POST", body });
}

const entry = { key: { name: "user_name" }, content: "Alice", tier: "episodic" };

describe("membus up --http", () => {
  it("stores entries over HTTP for NATS clients, and keeps entries and sessions after a kill", async () => {
    const first = await up(["--http", "0"]);
    expect(first.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const client = await A2eClient.create(first.url);
    await client.openStream(first.url);
    await client.handshake(first.url);
    const memory_id = await client.init(first.url);
    await client.ask(first.url, { type: "memory/store/req", memory_id, entries: [entry] });
    const recall = ["recall", "user_name", "--agent", "alice", "--nats", first.nats];
    expect((await runCli(recall, { cwd: directory })).stdout).toBe("Alice\n");
    expect((await fetch(`${first.url}/readyz`)).status).toBe(200);
    await endChild(first.child, "SIGKILL");
    const { child, url } = await up(["--http", first.url.slice("http://".length)]);
    await client.openStream(url);
    const retrieve = { type: "memory/retrieve/req", memory_id, keys: [entry.key] };
    expect((await client.ask(url, retrieve)).entries).toMatchObject([{ content: "Alice" }]);
    expect(await endChild(child, "SIGTERM")).toBe(0);
  });

  it("completes requests in progress, including memory, before the host stops", async () => {
    const model = await RawUpstream.start();
    const received = new Promise<() => void>((resolve) => {
      model.answer = (response) => resolve(() => answerHello(response));
    });
    const settings = { http: 0, gateway: { openai: { upstream: model.baseUrl } } };
    writeFileSync(join(directory, "membus.yaml"), JSON.stringify(settings));
    const { child, url } = await up([]);
    const completion = complete(url, "I live in Lisbon");
    const answer = await received;
    const stopping = lineOf(child, /^stopping/);
    const ended = endChild(child, "SIGTERM");
    await stopping;
    answer();
    const response = await completion;
    expect([response.status, response.headers.get("x-membus-memory")]).toEqual([200, "attached"]);
    expect(await ended).toBe(0);
    model.answer = answerHello;
    const again = await up([]);
    expect((await complete(again.url, "Tell me about Lisbon")).status).toBe(200);
    expect(model.requests.at(-1)!.body.toString()).toContain("I live in Lisbon");
    await model.stop();
  });

  it("listens on the configured address", async () => {
    const listen = `127.0.0.1:${await freePort()}`;
    writeFileSync(join(directory, "membus.yaml"), JSON.stringify({ gateway: { listen } }));
    const port = String(await freePort());
    const child = spawnCli(["up", "--data", join(directory, "data"), "--port", port, "--http", "--json"], {
      cwd: directory,
    });
    children.push(child);
    const shown = JSON.parse(await lineOf(child, /^\{/)) as { url: string; http: string };
    expect([shown.url, shown.http]).toEqual([`nats://127.0.0.1:${port}`, `http://${listen}`]);
    expect(await endChild(child, "SIGTERM")).toBe(0);
  });

  it("rejects invalid settings before it starts anything", async () => {
    const fails = async (...args: string[]) => {
      const { code, stderr } = await runCli(["up", ...args], { cwd: directory });
      return [code, stderr];
    };
    const wrong = (text: string) => [2, expect.stringContaining(text)];
    expect(await fails("--http", "nowhere")).toEqual(wrong("--http must be an address and port"));
    expect(await fails("--http", "0", "--read-only")).toEqual(wrong("cannot be combined with --read-only"));
    expect(await fails("--http", "0", "--auth", directory)).toEqual(wrong("requires `gateway.tokens`"));
    const tokens = [{ sha256: "0".repeat(64), tenant: "acme" }];
    writeFileSync(join(directory, "with-tokens.yaml"), JSON.stringify({ gateway: { tokens } }));
    expect(await fails("--http", "0", "--auth", directory, "--config", "with-tokens.yaml")).toEqual(
      wrong(`run \`membus auth add-gateway --folder ${directory}\``),
    );
    expect(await fails("--http", "0.0.0.0:0", "--port", String(await freePort()))).toEqual(
      wrong("tokens are required"),
    );
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    const { port } = taken.address() as { port: number };
    const [code, stderr] = await fails("--http", String(port), "--port", String(await freePort()));
    expect([code, stderr]).toEqual([1, expect.stringContaining(`cannot listen on 127.0.0.1:${port}`)]);
    await new Promise((resolve) => taken.close(resolve));
  });
});
