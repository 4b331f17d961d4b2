import { describe, expect, it } from "vitest";
import { providerErrorOf, startClient } from "./client-fixture.js";
import { type Answer, echo, type Reply } from "./provider-server.js";

const reason = new Error("no longer wanted");

/** Fails the first `count` attempts with `reply`. */
const failing =
  (count: number, reply: Reply): Answer =>
  (request, attempt) =>
    attempt <= count ? reply : echo(request, attempt);

const streamed = (...events: readonly string[]): Reply => ({
  headers: { "content-type": "text/event-stream" },
  body: events.map((event) => `data: ${event}\n\n`).join(""),
});

it("sends JSON with the key to a path below the base URL, and returns JSON", async () => {
  const { client, server, logger } = await startClient(() => ({ body: { ok: [1] } }), { apiKey: "sk-1" });
  expect(await client.post("/echo", { input: ["ü"] }, new AbortController().signal)).toEqual({ ok: [1] });
  expect(server.requests).toMatchObject([{ path: "/v1/echo", body: { input: ["ü"] } }]);
  const { authorization, accept, "content-type": type } = server.requests[0]!.headers;
  expect({ authorization, accept, type }).toEqual({
    authorization: "Bearer sk-1",
    accept: "application/json",
    type: "application/json",
  });
  expect(logger.lines).toEqual([
    '{"component":"test","path":"/echo","attempt":0,"status":200} received a reply from the server',
  ]);
});

it("accepts a base URL with a slash at its end", async () => {
  const { server } = await startClient(echo);
  const { post } = await startClient(echo, { baseUrl: `${server.baseUrl}/` });
  await post();
  expect(server.requests[0]!.path).toBe("/v1/echo");
});

it("sends requests with the given fetch", async () => {
  const urls: unknown[] = [];
  const send: typeof fetch = async (url) => {
    urls.push(url);
    return Response.json({ ok: true });
  };
  const { post, server } = await startClient(echo, {}, { fetch: send });
  expect(await post()).toEqual({ ok: true });
  expect(urls).toEqual([`${server.baseUrl}/echo`]);
  expect(server.requests).toEqual([]);
});

describe("retries", () => {
  it.each([429, 500, 503, 408, 409])("an attempt with status %i", async (status) => {
    const reply = { status, headers: { "retry-after-ms": "1" } };
    const { server, post, logger } = await startClient(failing(2, reply), { retryCountMax: 2 });
    await post();
    expect(server.requests.map(({ body }) => body.input)).toEqual([["a"], ["a"], ["a"]]);
    expect(logger.lines.filter((line) => line.includes("retrying"))).toHaveLength(2);
  });

  it.each([{ hang: "after-headers" }, { hang: "lost" }] as const)("an attempt with %j", async (reply) => {
    const { server, post } = await startClient(failing(1, reply), {
      attemptTimeoutMs: 1_000,
      retryCountMax: 1,
    });
    await post();
    expect(server.requests).toHaveLength(2);
  });

  it("no more often than configured", async () => {
    const reply = { status: 500, headers: { "retry-after-ms": "1" } };
    const { server, post } = await startClient(failing(9, reply), { retryCountMax: 3 });
    expect((await providerErrorOf(post())).failure).toBe("unavailable");
    expect(server.requests).toHaveLength(4);
  });

  it("no permanent failure", async () => {
    const { server, post } = await startClient(failing(9, { status: 400 }), { retryCountMax: 3 });
    await providerErrorOf(post());
    expect(server.requests).toHaveLength(1);
  });

  it("after the pauses of Retry-After, else after half a second, a second and so on", async () => {
    const pausesMs: number[] = [];
    const clock = {
      now: () => 0,
      after: (delayMs: number, run: () => void) => {
        pausesMs.push(delayMs);
        const timer = setImmediate(run);
        return () => clearImmediate(timer);
      },
    };
    const answer: Answer = (_, attempt) => ({
      status: 503,
      headers: attempt === 1 ? { "retry-after": "7" } : {},
    });
    const { post } = await startClient(answer, { retryCountMax: 3 }, { clock });
    await providerErrorOf(post());
    expect(pausesMs).toHaveLength(3);
    expect(pausesMs[0]).toBe(7_000);
    expect(pausesMs[1]).toBeGreaterThan(749);
    expect(pausesMs[1]).toBeLessThan(1_001);
    expect(pausesMs[2]).toBeGreaterThan(1_499);
    expect(pausesMs[2]).toBeLessThan(2_001);
  });

  it("not if the server requires a longer pause than allowed", async () => {
    const reply = { status: 429, headers: { "retry-after": "30" } };
    const options = { retryCountMax: 2, retryAfterMsMax: 8_000 };
    const { server, post } = await startClient(failing(9, reply), options);
    expect((await providerErrorOf(post())).retryAfterMs).toBe(30_000);
    expect(server.requests).toHaveLength(1);
  });
});

describe("an aborted call rejects with the signal's reason", () => {
  it.each(["before-headers", "after-headers"] as const)("while the server hangs %s", async (hang) => {
    const stop = new AbortController();
    const { server, post } = await startClient(
      () => {
        setImmediate(() => stop.abort(reason));
        return { hang };
      },
      { retryCountMax: 2 },
    );
    await expect(post(stop.signal)).rejects.toBe(reason);
    expect(server.requests).toHaveLength(1);
  });

  it("during the pause before a retry", async () => {
    const stop = new AbortController();
    const reply = { status: 429, headers: { "retry-after": "7" } };
    const { server, post, logger } = await startClient(() => reply, { retryCountMax: 2 });
    const rejected = expect(post(stop.signal)).rejects.toBe(reason);
    await expect.poll(() => logger.lines.join()).toContain("retrying");
    stop.abort(reason);
    await rejected;
    expect(server.requests).toHaveLength(1);
  });

  it("without a request if it was aborted earlier", async () => {
    const { server, post } = await startClient(echo);
    await expect(post(AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(server.requests).toEqual([]);
  });

  it("during a stream", async () => {
    const stop = new AbortController();
    const { stream } = await startClient(() => ({ hang: "after-headers" }));
    const next = (await stream(stop.signal)).next();
    stop.abort(reason);
    await expect(next).rejects.toBe(reason);
  });
});

describe("a stream", () => {
  const readAll = async (reply: Reply, options = {}) => {
    const { stream, server } = await startClient(() => reply, options);
    const events: unknown[] = [];
    const reading = (async () => {
      for await (const event of await stream()) events.push(event);
    })();
    const error = await reading.then(
      () => undefined,
      (given: unknown) => given,
    );
    expect(server.requests[0]!.headers.accept).toBe("text/event-stream");
    return { events, error };
  };

  it("yields the JSON of its events up to [DONE]", async () => {
    const { events, error } = await readAll(streamed('{"a":1}', "[1]", "[DONE]", '{"a":2}'));
    expect([events, error]).toEqual([[{ a: 1 }, [1]], undefined]);
  });

  it.each<[string, Reply, object]>([
    ["an event that is not JSON", streamed('{"a":1}', "{"), { failure: "invalid_reply" }],
    [
      "an event with an error",
      streamed('{"a":1}', '{"error":{"message":"overloaded","code":"busy"}}'),
      {
        failure: "unavailable",
        code: "busy",
        message: "the server ended the stream with an error: overloaded",
      },
    ],
    ["too many bytes", streamed('{"a":1}', `"${"x".repeat(2_000)}"`), { failure: "reply_too_long" }],
    ["an error status", { status: 401 }, { failure: "unauthorized" }],
  ])("ends with an error for %s", async (_, reply, expected) => {
    const { error } = await readAll(reply, { responseBytesMax: 1_500 });
    expect(error).toMatchObject(expected);
  });

  it("ends the request if its iteration ends", async () => {
    const { stream, server } = await startClient((_, attempt) =>
      attempt === 1 ? streamed('{"a":1}', '{"a":2}') : streamed("[DONE]"),
    );
    for await (const event of await stream()) {
      expect(event).toEqual({ a: 1 });
      break;
    }
    for await (const event of await stream()) expect(event).toBeUndefined();
    expect(server.requests).toHaveLength(2);
  });
});
