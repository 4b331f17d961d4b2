import { silentLogger } from "@membus/protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freePort } from "../../../bus/test/free-port.js";
import { AuthorizationServer } from "../../../gateway/test/oauth/authorization-server.js";
import { ClientDocument, connectWithConsent } from "../../../gateway/test/oauth/oauth-client.js";
import { JSON_HEADERS, LISTEN, LISTEN_HEADERS } from "../../../gateway/test/raw-mcp.js";
import { FakeClock } from "../../../host/test/fake-clock.js";
import { ChangeNotices } from "../src/change-notices.js";
import { memoryServers } from "../src/memory-server.js";
import { serveHttp } from "../src/program/http-server.js";
import { REVISIONS } from "./mcp-clients.js";
import { endOf, McpFixture } from "./mcp-fixture.js";

const fixture = new McpFixture();
const document = new ClientDocument();
let issuer: AuthorizationServer;
let url: string;

beforeAll(async () => {
  await document.start();
  issuer = new AuthorizationServer(document.authority);
  await issuer.start();
  await fixture.start();
  const port = await freePort();
  url = `http://127.0.0.1:${port}/mcp`;
  const oauth = ["--oauth-issuer", issuer.issuer, "--oauth-resource", url, "--oauth-scope", "memory"];
  await fixture.serve(["--http", String(port), "--agent", "alice", "--namespace", "a", ...oauth]);
});
afterAll(async () => {
  await fixture.stop();
  await issuer.stop();
  await document.stop();
});

it.each(REVISIONS)("lets its agent in with an access token, %s", async (revision) => {
  issuer.user = "alice";
  const { client, refusal } = await connectWithConsent(revision, url, document);
  expect(refusal?.constructor.name).toBe("UnauthorizedError");
  expect((await client.listTools()).tools).toHaveLength(5);
  await client.close();
});

it("refuses another agent, a missing scope and a missing token", async () => {
  const post = async (headers: Readonly<Record<string, string>>) => {
    const response = await fetch(url, { method: "POST", headers, body: "{}" });
    return [response.status, await response.json()];
  };
  const bearer = async (claims: object) => ({
    authorization: `Bearer ${await issuer.issue(url, { ...claims })}`,
  });
  expect(await post(await bearer({ sub: "bob" }))).toEqual([
    403,
    { error: "this server has the memory of another agent" },
  ]);
  expect(await post(await bearer({ scope: "" }))).toEqual([403, { error: "the token needs memory" }]);
  expect(await post({})).toEqual([401, { error: "an access token is needed" }]);
});

it("ends a stream when the token that opened it expires", async () => {
  const clock = new FakeClock();
  const [notices, logger] = [new ChangeNotices(false, clock), silentLogger];
  const factory = memoryServers({ memory: () => fixture.memory("a", "alice"), notices, logger });
  const oauth = { issuer: issuer.issuer, resource: url };
  const options = { host: "127.0.0.1", port: 0, agent: "alice", oauth, hosts: [], origins: [] };
  const server = await serveHttp(factory, options, { notices, clock, logger });
  const token = await issuer.issue(url, { exp: clock.now() + 60 });
  const headers = { ...JSON_HEADERS, ...LISTEN_HEADERS, authorization: `Bearer ${token}` };
  const stream = await fetch(server.url, { method: "POST", headers, body: LISTEN });
  expect(stream.status).toBe(200);
  await clock.advance(60_000);
  // Without an end of the stream this waits until the test times out.
  const messages = [...(await stream.text()).matchAll(/^data: (.+)$/gm)].map(([, text]) => JSON.parse(text!));
  expect(messages.map(({ method, result }) => method ?? result.resultType)).toEqual([
    "notifications/subscriptions/acknowledged",
    "complete",
  ]);
  await server.close();
});

it("opens no stream for a call with another method in its header", async () => {
  const headers = { ...JSON_HEADERS, ...LISTEN_HEADERS, authorization: `Bearer ${await issuer.issue(url)}` };
  for (const method of [{}, { "mcp-method": "tools/list" }]) {
    const { "mcp-method": _, ...others } = headers;
    const init = { method: "POST", headers: { ...others, ...method }, body: LISTEN };
    expect((await fetch(url, init)).status).toBe(400);
  }
});

it.each([
  [["--oauth-issuer", "https://login.example.org"], "--oauth-issuer needs --http"],
  [["--http", "0", "--oauth-scope", "a"], "--oauth-scope needs --oauth-issuer"],
  [["--http", "0", "--oauth-issuer", "https://login.example.org"], "--oauth-issuer needs --oauth-resource"],
])("explains flags that need others: %j", async (flags, message) => {
  const { code, stderr } = await endOf(fixture.spawn(flags));
  expect([code, stderr]).toEqual([1, `membus-mcp: ${message}\n`]);
});
