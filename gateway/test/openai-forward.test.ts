import { createHash } from "node:crypto";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { GatewayFixture } from "./gateway-fixture.js";
import { RawUpstream } from "./raw-upstream.js";

const fixture = new GatewayFixture();
let upstream: RawUpstream;
beforeAll(() => fixture.start());
afterAll(() => fixture.stop());
beforeEach(async () => {
  upstream = await RawUpstream.start();
});
afterEach(() => upstream.stop());

const sha256 = (token: string) => createHash("sha256").update(token).digest("hex");
const post = (body: string | Buffer, headers: Readonly<Record<string, string>> = {}) => ({
  method: "POST",
  headers: { "content-type": "application/json", ...headers },
  body: body as string,
});

describe("a forwarded request", () => {
  it("is passed on byte by byte, with query, headers and status", async () => {
    const { url } = await fixture.gateway({ openai: { upstream: upstream.baseUrl } });
    const answered = Buffer.from([0x7b, 0x00, 0xff, 0x7d]);
    upstream.answer = (response) => {
      response.writeHead(418, { "x-request-id": "r1", "content-type": "application/json" });
      response.end(answered);
    };
    const sent = Buffer.from('{ "input" : "caf\\u00e9" , "big": 12345678901234567890, "x": 1.0 }');
    const answer = await fetch(`${url}/v1/embeddings?api-version=7`, post(sent, { "openai-beta": "a" }));
    expect(answer.status).toBe(418);
    expect([...answer.headers].filter(([name]) => name.startsWith("x-"))).toEqual([
      ["x-membus-memory", "off"],
      ["x-request-id", "r1"],
    ]);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(answered);
    const [request] = upstream.requests;
    expect(request).toMatchObject({ method: "POST", url: "/v1/embeddings?api-version=7", body: sent });
    expect(request!.headers).toMatchObject({ "openai-beta": "a", "content-type": "application/json" });
  });

  it("is refused if it is compressed, unless it needs no memory", async () => {
    const { url } = await fixture.gateway({ openai: { upstream: upstream.baseUrl } });
    const body = gzipSync(
      JSON.stringify({ model: "m", messages: [{ role: "user", content: "I like tea" }] }),
    );
    const headers = { "content-encoding": "gzip", "x-membus-agent": "alice" };
    const refused = await fetch(`${url}/v1/chat/completions`, post(body, headers));
    expect([refused.status, await refused.json()]).toMatchObject([
      415,
      { error: { code: "unsupported_content_encoding" } },
    ]);
    expect(upstream.requests).toEqual([]);
    const passed = await fetch(
      `${url}/v1/chat/completions`,
      post(body, { ...headers, "x-membus-mode": "off" }),
    );
    expect(passed.status).toBe(200);
    expect(upstream.requests).toMatchObject([{ body, headers: { "content-encoding": "gzip" } }]);
  });

  it("may list models or read one, and leaves no other path", async () => {
    const { url } = await fixture.gateway({ openai: { upstream: upstream.baseUrl } });
    for (const path of ["/v1/models", "/v1/models/meta/llama%203", "/v1/models/meta%2Fllama..3"]) {
      expect((await fetch(url + path)).status).toBe(200);
    }
    const { port } = new URL(url);
    const refused = [
      "/v1/models/..%2fadmin",
      "/v1/models/a%5c..%5cadmin",
      "/v1/models/a%00",
      "/v1/models/%ff",
      "/v1/models/../admin",
      "/v1/models/%2e%2e/admin",
      "/v1/files",
      "/v1",
      "/v1//models",
    ];
    for (const path of refused) {
      const request = httpRequest({ port, path, agent: false }).end();
      const [response] = await once(request, "response");
      response.resume();
      expect([path, response.statusCode]).toEqual([path, 404]);
    }
    expect(upstream.requests.map((request) => request.url)).toEqual([
      "/v1/models",
      "/v1/models/meta/llama%203",
      "/v1/models/meta%2Fllama..3",
    ]);
  });

  it("gets 404 without a model server", async () => {
    const { url } = await fixture.gateway();
    const error = async (answer: Response) => [answer.status, await answer.json()];
    expect(await error(await fetch(`${url}/v1/chat/completions`, post("{}")))).toEqual([
      404,
      { error: "no such path: /v1 needs a model server, set by --openai or `gateway.openai`" },
    ]);
    expect(await error(await fetch(`${url}/v2/models`))).toEqual([404, { error: "no such path" }]);
  });
});

describe("authorization", () => {
  it("uses the gateway's token, and sends the gateway's key upstream", async () => {
    const tokens = [{ sha256: sha256("right"), tenant: "acme", agent: "alice" }];
    const openai = { upstream: upstream.baseUrl, key: "sk-upstream" };
    const { url } = await fixture.gateway({ tokens, openai });
    const status = async (authorization: string) =>
      (await fetch(`${url}/v1/models`, { headers: { authorization } })).status;
    expect(await status("Bearer right")).toBe(200);
    expect(await status("Bearer wrong")).toBe(401);
    expect(await status("")).toBe(401);
    expect(upstream.requests.map(({ headers }) => headers.authorization)).toEqual(["Bearer sk-upstream"]);
    expect(JSON.stringify(fixture.logger.lines)).not.toMatch(/right|wrong|sk-upstream/);
  });

  it("never sends the gateway's token upstream", async () => {
    const tokens = [{ sha256: sha256("right"), tenant: "acme" }];
    const { url } = await fixture.gateway({ tokens, openai: { upstream: upstream.baseUrl } });
    await fetch(`${url}/v1/models`, { headers: { authorization: "Bearer right", cookie: "a=b" } });
    expect(upstream.requests[0]!.headers).not.toHaveProperty("authorization");
    expect(upstream.requests[0]!.headers).not.toHaveProperty("cookie");
  });

  it("passes the caller's own key on without tokens and key", async () => {
    const { url } = await fixture.gateway({ openai: { upstream: upstream.baseUrl } });
    await fetch(`${url}/v1/models`, { headers: { authorization: "Bearer sk-mine" } });
    expect(upstream.requests[0]!.headers.authorization).toBe("Bearer sk-mine");
  });

  it.each([
    "ftp://models.example.org",
    "https://user:pass@models.example.org/v1",
    "https://models.example.org/v1?x=y",
  ])("rejects %s as model server", async (bad) => {
    await expect(fixture.gateway({ openai: { upstream: bad } })).rejects.toThrow("upstream must be");
  });
});

describe("a model server", () => {
  const errorOf = async (response: Response) =>
    ((await response.json()) as { error: { code: string } }).error.code;

  it("that fails, is silent, or gets a request that is too large is reported as an error", async () => {
    const bounds = { requestBytesMax: 1_024, upstreamTimeoutMs: 300 };
    const silent = await fixture.gateway({ openai: { upstream: upstream.baseUrl, ...bounds } });
    upstream.answer = () => {};
    const late = await fetch(`${silent.url}/v1/models`);
    expect([late.status, await errorOf(late)]).toEqual([504, "upstream_timeout"]);
    const large = await fetch(`${silent.url}/v1/embeddings`, post("x".repeat(2_000)));
    expect([large.status, await errorOf(large)]).toEqual([413, "request_too_large"]);
    const unreachable = await fixture.gateway({ openai: { upstream: "http://127.0.0.1:1/v1" } });
    const answer = await fetch(`${unreachable.url}/v1/models`);
    expect([answer.status, await errorOf(answer)]).toEqual([502, "upstream_unavailable"]);
    expect(upstream.requests).toHaveLength(1);
  });

  it("gets a limited number of requests, and none of clients that left", async () => {
    const { url, gateway } = await fixture.gateway({
      openai: { upstream: upstream.baseUrl, requestCountMax: 1 },
    });
    const asked = new Promise<void>((resolve) => {
      upstream.answer = (response) => {
        response.write("x");
        resolve();
      };
    });
    const client = new AbortController();
    const first = fetch(`${url}/v1/models`, { signal: client.signal });
    await asked;
    const second = await fetch(`${url}/v1/models`);
    expect([second.status, await errorOf(second)]).toEqual([503, "overloaded"]);
    const body = (await first).text();
    client.abort();
    await expect(body).rejects.toThrow();
    await expect.poll(() => [upstream.abortCount, gateway.modelRequestCount]).toEqual([1, 0]);
  });

  it("gets a limited number of bytes at the same time", async () => {
    const { url } = await fixture.gateway({
      openai: { upstream: upstream.baseUrl, requestsBytesMax: 2_048 },
    });
    const answers: (() => void)[] = [];
    upstream.answer = (response) => void answers.push(() => response.end("{}"));
    const ask = () => fetch(`${url}/v1/embeddings`, post("x".repeat(1_500)));
    const first = ask();
    await expect.poll(() => answers.length).toBe(1);
    const second = await ask();
    expect([second.status, await errorOf(second)]).toEqual([503, "overloaded"]);
    answers[0]!();
    expect((await first).status).toBe(200);
    const third = ask();
    await expect.poll(() => answers.length).toBe(2);
    answers[1]!();
    expect((await third).status).toBe(200);
  });
});
