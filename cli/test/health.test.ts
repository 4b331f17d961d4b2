import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemoryClient } from "@membus/agent-client";
import { launchNatsServer, type NatsServer } from "@membus/nats-server";
import { connect } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NATS_SERVER } from "../../bus/test/nats-server.js";
import { parseMetrics } from "../../gateway/test/parse-metrics.js";
import { endChild, lineOf, runCli, spawnCli } from "./run-cli.js";

const cwd = mkdtempSync(join(tmpdir(), "membus-test-"));
let nats: NatsServer;
let up: ReturnType<typeof spawnCli>;
let base: string;
let memory: MemoryClient;

beforeAll(async () => {
  nats = await launchNatsServer({ binary: NATS_SERVER });
  up = spawnCli(["up", "--data", join(cwd, "data"), "--health-port", "0"], { cwd, url: nats.url });
  const listening = lineOf(up, /^membus is listening on/);
  base = (await lineOf(up, /health and metrics:/)).match(/http:\/\/[^/]+/)![0];
  await listening;
  memory = await MemoryClient.connect({ servers: nats.url, agent: "alice", timeoutMs: 60_000 });
});
afterAll(async () => {
  await memory.close();
  await endChild(up, "SIGKILL");
  await nats.kill();
  rmSync(cwd, { recursive: true });
});

interface Answer {
  readonly status: number | undefined;
  readonly body: string;
}

function ask(path: string, options: { method?: string; host?: string } = {}): Promise<Answer> {
  const { method = "GET", host } = options;
  return new Promise((resolve, reject) => {
    const sent = request(
      `${base}${path}`,
      { method, headers: host === undefined ? {} : { host } },
      (response) => {
        let body = "";
        response.setEncoding("utf8").on("data", (chunk) => {
          body += chunk;
        });
        response.on("end", () => resolve({ status: response.statusCode, body }));
      },
    );
    sent.on("error", reject).end();
  });
}

async function readMetrics(): Promise<Map<string, number>> {
  return parseMetrics((await ask("/metrics")).body);
}

describe("a host with a health port", () => {
  it("listens on loopback, and is live and ready", async () => {
    expect(base).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await ask("/healthz")).toEqual({ status: 200, body: "ok\n" });
    expect(await ask("/readyz")).toEqual({ status: 200, body: "ok\n" });
  });

  it("serves the same metrics as the service statistics", async () => {
    await memory.remember("a", 1, { tier: "episodic" });
    await memory.retrieve({ cursor: "x" }).catch(() => undefined);
    await expect
      .poll(async () => (await readMetrics()).get('membus_tier_flushed_at{tier="episodic"}'), {
        timeout: 60_000,
      })
      .toBeGreaterThan(1e9);
    const metrics = await readMetrics();
    expect(metrics.get("membus_serving")).toBe(1);
    expect(metrics.get('membus_requests_total{type="memory/store/req",code="ok"}')).toBe(1);
    expect(metrics.get('membus_requests_total{type="memory/retrieve/req",code="schema_violation"}')).toBe(1);
    expect(metrics.get('membus_request_seconds_bucket{type="memory/store/req",le="+Inf"}')).toBe(1);
    expect(metrics.get('membus_request_seconds_count{type="memory/store/req"}')).toBe(1);
    for (const tier of ["working", "episodic", "semantic"]) {
      expect(metrics.get(`membus_tier_maintain_failures{tier="${tier}"}`)).toBe(0);
    }
    expect(metrics.get('membus_tier_backlog_rows{tier="episodic"}')).toBe(0);
    expect(metrics.get("process_resident_memory_bytes")).toBeGreaterThan(2 ** 20);
    const connection = await connect({ servers: nats.url });
    const { data } = await connection.request("$SRV.STATS.membus", "", { timeout: 60_000 });
    await connection.close();
    expect(JSON.parse(new TextDecoder().decode(data))).toMatchObject({
      outcomes: { "memory/store/req": { ok: 1 }, "memory/retrieve/req": { schema_violation: 1 } },
      dropped: {},
      in_flight: { requests: 0, bytes: 0 },
      process: { rss_bytes: expect.any(Number), event_loop_delay_p99_ms: expect.any(Number) },
      tiers: {
        episodic: { flushed_at: expect.any(Number), flush_failures: 0, purged_at: expect.any(Number) },
      },
    });
  });

  it("rejects other paths, and requests with another host name", async () => {
    expect((await ask("/")).status).toBe(404);
    expect((await ask("/constructor")).status).toBe(404);
    expect((await ask("/healthz", { method: "POST" })).status).toBe(405);
    for (const host of ["evil.example", "evil.example:80", "localhost.evil.example", "a b"]) {
      expect((await ask("/metrics", { host })).status).toBe(403);
    }
    for (const host of ["localhost:1", "127.0.0.1", "[::1]:9", "10.0.0.7:80"]) {
      expect((await ask("/healthz", { host })).status).toBe(200);
    }
  });

  it("rejects a port in use", async () => {
    const taken = new URL(base).port;
    const args = ["up", "--data", join(cwd, "other"), "--health-port", taken];
    const { code, stderr } = await runCli(args, { cwd, url: nats.url });
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/cannot listen on .*another program uses this port/),
    ]);
  });

  it("is live but not ready without its nats-server", async () => {
    await nats.kill();
    await expect.poll(async () => (await ask("/readyz")).status).toBe(503);
    expect(await ask("/readyz")).toEqual({ status: 503, body: "not connected to NATS\n" });
    expect((await ask("/healthz")).status).toBe(200);
  });
});
