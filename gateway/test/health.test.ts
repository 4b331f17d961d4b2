import { createHash } from "node:crypto";
import { once } from "node:events";
import { type IncomingHttpHeaders, request } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { A2eClient } from "./a2e-client.js";
import { GatewayFixture } from "./gateway-fixture.js";
import { parseMetrics } from "./parse-metrics.js";
import { RawUpstream } from "./raw-upstream.js";

const fixture = new GatewayFixture({ hasOwnHost: true });
let upstream: RawUpstream;
beforeAll(async () => {
  await fixture.start();
  upstream = await RawUpstream.start((response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ choices: [{ message: { role: "assistant", content: "Hi." } }] }));
  });
});
afterAll(async () => {
  await fixture.stop();
  await upstream.stop();
});

async function ask(url: string, path: string, headers: IncomingHttpHeaders = {}, method = "GET") {
  const sent = request(`${url}${path}`, { headers, method, agent: false }).end();
  const [response] = await once(sent, "response");
  let body = "";
  for await (const chunk of response.setEncoding("utf8")) body += chunk;
  return { status: response.statusCode as number, body };
}

async function figuresOf(url: string): Promise<Map<string, number>> {
  return parseMetrics((await ask(url, "/metrics")).body);
}

function complete(url: string): Promise<Response> {
  const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "Hello" }] });
  return fetch(`${url}/v1/chat/completions`, { method: "POST", body });
}

describe("a gateway", () => {
  it("is live and ready without a token, under each of its host names", async () => {
    const { url } = await fixture.gateway({ tokens: [{ sha256: "0".repeat(64), tenant: "default" }] });
    for (const path of ["/healthz", "/readyz"]) {
      expect(await ask(url, path)).toEqual({ status: 200, body: "ok\n" });
      expect(await ask(url, path, {}, "HEAD")).toEqual({ status: 200, body: "" });
      expect((await ask(url, path, {}, "POST")).status).toBe(404);
      expect((await ask(url, path, { host: "evil.example" })).status).toBe(403);
    }
    expect((await ask(url, "/metrics", { host: "evil.example" })).status).toBe(403);
  });

  it("is not ready without a NATS connection, or while it stops", async () => {
    const { url, gateway } = await fixture.gateway({ openai: { upstream: upstream.baseUrl } });
    const early = connect(Number(new URL(url).port), "127.0.0.1");
    await once(early, "connect");
    const answer = upstream.answer;
    const asked = new Promise<() => void>((resolve) => {
      upstream.answer = (response, received) => resolve(() => answer(response, received));
    });
    const completion = complete(url);
    const release = await asked;
    upstream.answer = answer;
    const stopped = gateway.stop();
    early.write("GET /readyz HTTP/1.1\r\nhost: localhost\r\n\r\n");
    const [text] = await once(early, "data");
    release();
    expect(String(text)).toMatch(/^HTTP\/1\.1 503 .*\r\n\r\nstopping\n$/s);
    expect((await completion).status).toBe(200);
    await stopped;
    const other = await fixture.gateway();
    await other.bus.close();
    expect(await ask(other.url, "/readyz")).toEqual({ status: 503, body: "not connected to NATS\n" });
    expect((await ask(other.url, "/healthz")).status).toBe(200);
  });

  it("requires a token for metrics beyond loopback", async () => {
    const sha256 = createHash("sha256").update("right").digest("hex");
    // An address of loopback that is not recognised as one.
    const { url } = await fixture.gateway({ host: "127.1", tokens: [{ sha256, tenant: "default" }] });
    for (const headers of [{}, { authorization: "Bearer wrong" }]) {
      expect(await ask(url, "/metrics", headers)).toEqual({
        status: 401,
        body: "the metrics need a token of the gateway\n",
      });
    }
    const shown = await ask(url, "/metrics", { authorization: "Bearer right" });
    expect(parseMetrics(shown.body).get('membus_gateway_refused_total{cause="unknown_token"}')).toBe(2);
  });
});

describe("the metrics", () => {
  it("count requests, messages and refusals, and measure resources", async () => {
    const { url } = await fixture.gateway({ openai: { upstream: upstream.baseUrl } });
    const client = await A2eClient.create(url);
    await client.openStream(url);
    await client.handshake(url);
    const memory_id = await client.init(url);
    const entries = [{ key: { id: "a" }, content: 1, tier: "episodic" }];
    await client.ask(url, { type: "memory/store/req", memory_id, entries });
    await client.ask(url, { type: "tool/list/req" });
    await client.post(url, "no JSON");
    await client.reply("");
    await new A2eClient("0".repeat(32)).post(url, "{}");
    await ask(url, "/nothing");
    await ask(url, "/health", { host: "evil.example" });
    await (await complete(url)).text();
    const figures = await figuresOf(url);
    const figure = (name: string) => figures.get(`membus_gateway_${name}`);
    expect(figure('requests_total{route="/session",status="200"}')).toBe(1);
    expect(figure('requests_total{route="/send",status="200"}')).toBe(5);
    expect(figure('requests_total{route="/send",status="404"}')).toBe(1);
    expect(figure('requests_total{route="none",status="404"}')).toBe(1);
    expect(figure('requests_total{route="/health",status="403"}')).toBe(1);
    expect(figure('requests_total{route="/v1/chat/completions",status="200"}')).toBe(1);
    expect(figure('request_seconds_bucket{le="+Inf",route="/send"}')).toBe(6);
    expect(figure('request_seconds_count{route="/v1/chat/completions"}')).toBe(1);
    expect(figure('messages_total{type="memory/store/req",code="ok"}')).toBe(1);
    expect(figure('messages_total{type="other",code="invalid_message"}')).toBe(1);
    expect(figure('messages_total{type="other",code="parse_error"}')).toBe(1);
    expect(figure('message_seconds_count{type="handshake/req"}')).toBe(1);
    expect(figure('refused_total{cause="unknown_session"}')).toBe(1);
    expect(figure('refused_total{cause="foreign_host"}')).toBe(1);
    expect(figure('upstream_rounds_total{status="200"}')).toBe(1);
    expect(figure("memory_unavailable_total")).toBe(0);
    expect([figure("streams"), figure("sessions")]).toEqual([1, expect.any(Number)]);
    expect(figure('waiting_bytes{kind="replies"}')).toBeGreaterThan(100);
    expect(figure('waiting_bytes{kind="bodies"}')).toBe(0);
    expect(figures.get("process_resident_memory_bytes")).toBeGreaterThan(2 ** 20);
    expect(figures.has("nodejs_eventloop_lag_p99_seconds")).toBe(true);
    client.breakStream();
    await expect.poll(async () => (await figuresOf(url)).get("membus_gateway_streams")).toBe(0);
  });

  it("count failures of the model server and of the host", async () => {
    const unreachable = await RawUpstream.start();
    const openai = { upstream: unreachable.baseUrl, memoryTimeoutMs: 300 };
    await unreachable.stop();
    const { url } = await fixture.gateway({ openai });
    await fixture.stopHost();
    expect(await ask(url, "/readyz")).toEqual({ status: 503, body: "no host answers: unavailable\n" });
    expect((await complete(url)).status).toBe(502);
    const figures = await figuresOf(url);
    expect(figures.get('membus_gateway_upstream_rounds_total{status="failed"}')).toBe(1);
    expect(figures.get("membus_gateway_memory_unavailable_total")).toBe(1);
  });
});
