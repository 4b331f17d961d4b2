import { spawn } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endChild, lineOf } from "../../../cli/test/run-cli.js";
import { endOf, McpFixture } from "./mcp-fixture.js";

const fixture = new McpFixture();
beforeAll(() => fixture.start());
afterAll(() => fixture.stop());

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

/** Returns a running server on standard input and output. */
async function started() {
  const child = fixture.spawn(["--verbose"]);
  const connected = lineOf(child, /connected to the bus/);
  const end = endOf(child);
  child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
  await lineOf(child, /"id":1/);
  await connected;
  return { child, end };
}

it.each(["SIGINT", "SIGTERM"] as const)("shuts down at %s", async (signal) => {
  const { child, end } = await started();
  child.kill(signal);
  expect(await end).toMatchObject({ code: 0, signal: null });
});

it("ends when its client disconnects, and writes only messages to standard output", async () => {
  const { child, end } = await started();
  child.stdin.end();
  const { code, stdout, stderr } = await end;
  expect(code).toBe(0);
  const [line, ...others] = stdout.split("\n");
  expect(JSON.parse(line!)).toMatchObject({ id: 1, result: { serverInfo: { name: "membus" } } });
  expect(others).toEqual([""]);
  expect(stderr).toContain("connected to the bus");
});

it("logs rejected calls, because they may be bugs", async () => {
  const child = fixture.spawn(["--graph"]);
  const logged = lineOf(child, /"level":"warn"/);
  const observations = [{ entityName: "Nobody", contents: ["waits"] }];
  const params = { name: "add_observations", arguments: { observations } };
  const input = [INITIALIZE, { jsonrpc: "2.0", id: 2, method: "tools/call", params }];
  child.stdin.write(input.map((message) => `${JSON.stringify(message)}\n`).join(""));
  await lineOf(child, /"isError":true.*"id":2/);
  child.stdin.end();
  expect(JSON.parse(await logged)).toMatchObject({ err: "Entity with name Nobody not found" });
});

it("can be stopped while it tries to connect", async () => {
  const child = fixture.spawn(["--nats", "nats://127.0.0.1:9"]);
  await lineOf(child, /cannot connect to the bus/);
  const end = endOf(child);
  child.stdin.end();
  expect(await end).toMatchObject({ code: 0, stdout: "" });
});

it("names the namespace after the folder", async () => {
  const folder = join(fixture.folder, "my project (2)");
  await mkdir(folder);
  const program = fileURLToPath(new URL("../bin/membus-mcp.js", import.meta.url));
  const call = { name: "memory_remember", arguments: { key: "a", value: "here" } };
  const input = [INITIALIZE, { jsonrpc: "2.0", id: 2, method: "tools/call", params: call }];
  const child = spawn(process.execPath, [program], { cwd: folder, env: fixture.environment() });
  child.stdin.write(input.map((message) => `${JSON.stringify(message)}\n`).join(""));
  await lineOf(child, /"id":2/);
  await endChild(child, "SIGTERM");
  expect(await (await fixture.memory("my-project-2-")).recall("a")).toBe("here");
});

it("shows help and version, and reports unknown flags", async () => {
  const runs = await Promise.all(
    [
      ["--help"],
      ["--version"],
      ["--nmaespace", "x"],
      ["--tier", "deep"],
      ["--http", "x"],
      ["--graph-chars-max", "1"],
    ].map((flags) => endOf(fixture.spawn(flags))),
  );
  expect(runs.map(({ code }) => code)).toEqual([0, 0, 1, 1, 1, 1]);
  expect(runs[0]!.stdout).toMatch(/Usage: membus-mcp[\s\S]*--read-only[\s\S]*MEMBUS_NATS_NKEY/);
  expect(runs[1]!.stdout).toBe("0.1.0\n");
  expect(runs[2]!.stderr).toContain("Did you mean --namespace?");
  expect(runs[3]!.stderr).toContain("working, episodic, semantic");
  expect(runs[4]!.stderr).toContain("--http: x is neither a port");
  expect(runs[5]!.stderr).toContain("graphCharsMax must be an integer of 1000..10000000");
});

it.each([
  ["--namespace", "a//b"],
  ["--agent", ""],
  ["--tenant", "a.b"],
  ["--nats", "http://127.0.0.1"],
  ["--nats", "127.0.0.1:99999"],
  ["--token", "secret"],
  ["--allow-host", "memory.test"],
  ["--import", "memory.jsonl"],
])("ends with an error about %s %s before it serves clients", async (...flags) => {
  const child = fixture.spawn(flags);
  child.stdin.on("error", () => {});
  child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
  const { code, stderr, stdout } = await endOf(child);
  expect([code, stdout, stderr]).toEqual([1, "", expect.stringMatching(/^membus-mcp: .{10,}\n$/)]);
});

it.each([{ MEMBUS_INBOX_PREFIX: "a..b" }, { MEMBUS_NATS_TLS_CA: "none.pem" }, { NATS_URL: "http://x" }])(
  "does not listen with an invalid variable: %j",
  async (env) => {
    const { code, stderr } = await endOf(fixture.spawn(["--http", "0"], env));
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^membus-mcp: .{10,}\n$/)]);
  },
);

it("logs an invalid message in one line", async () => {
  const { child, end } = await started();
  const logged = lineOf(child, /rejected a message/);
  child.stdin.write('{"hello": "you"}\n');
  expect(JSON.parse(await logged)).toEqual({
    level: "warn",
    message: "rejected a message",
    err: "invalid JSON-RPC message",
  });
  child.stdin.end();
  expect(await end).toMatchObject({ code: 0 });
});

it("names a file that it cannot read", async () => {
  const { code, stderr } = await endOf(fixture.spawn(["--creds", "none.creds"]));
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^membus-mcp: cannot read --creds: ENOENT/)]);
});

describe("over HTTP", () => {
  const TOKEN = "a-long-token";
  const BODY = JSON.stringify({ ...INITIALIZE, id: 7 });
  const CONTENT = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  let url: string;
  beforeAll(async () => {
    url = await fixture.serve([
      "--token",
      TOKEN,
      "--allow-host",
      "memory.test",
      "--allow-origin",
      "app.test",
    ]);
  });

  /** Returns the status of a request with these headers. */
  function statusOf(headers: Record<string, string>, path = "/mcp"): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      const asked = request(new URL(path, url), { method: "POST", headers: { ...CONTENT, ...headers } });
      asked.on("response", (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      asked.on("error", reject).end(BODY);
    });
  }

  const authorization = `Bearer ${TOKEN}`;
  it.each([
    ["the token", { authorization }, 200],
    ["no token", {}, 401],
    ["another token", { authorization: "Bearer other" }, 401],
    ["an allowed host name", { authorization, host: "memory.test:80" }, 200],
    ["an unknown host name", { authorization, host: "evil.test" }, 403],
    ["a page on loopback", { authorization, origin: "http://localhost:3000" }, 200],
    ["an allowed page", { authorization, origin: "https://app.test" }, 200],
    ["an unknown page", { authorization, origin: "https://evil.test" }, 403],
  ] as const)("answers a request with %s", async (_, headers, status) => {
    expect(await statusOf(headers)).toBe(status);
  });

  it("distinguishes a missing token from a wrong one", async () => {
    const answerTo = async (headers: Record<string, string>) => {
      const response = await fetch(url, { method: "POST", headers: { ...CONTENT, ...headers }, body: BODY });
      return [response.status, response.headers.get("www-authenticate"), await response.json()];
    };
    expect(await answerTo({})).toEqual([401, "Bearer", { error: "a bearer token is needed" }]);
    expect(await answerTo({ authorization: "Bearer other" })).toEqual([
      401,
      "Bearer",
      { error: "this token is not known" },
    ]);
  });

  it("serves only /mcp", async () => {
    expect(await statusOf({ authorization }, "/")).toBe(404);
  });

  it("requires a token to listen beyond loopback", async () => {
    const { code, stderr } = await endOf(fixture.spawn(["--http", "0.0.0.0:0"]));
    expect([code, stderr]).toEqual([
      1,
      "membus-mcp: a token is needed to listen on 0.0.0.0: every client could read the memory\n",
    ]);
  });

  it("reports a port in use, and shuts down with an open stream", async () => {
    const { port } = new URL(url);
    const taken = await endOf(fixture.spawn(["--http", port]));
    expect([taken.code, taken.stderr]).toEqual([
      1,
      expect.stringContaining("another program uses this port"),
    ]);
    const child = fixture.spawn(["--http", "0"]);
    const end = endOf(child);
    const own = /http:\S+/.exec(await lineOf(child, /is listening on/))![0];
    const client = await fixture.clientOf(own, "2026-07-28");
    await client.subscribe("membus://episodic/x");
    child.kill("SIGTERM");
    expect(await end).toMatchObject({ code: 0, signal: null, stdout: "" });
  });
});
