import { inspect } from "node:util";
import { afterEach, describe, expect, it, vi } from "vitest";
import { providerErrorOf, startClient } from "./client-fixture.js";
import { echo, ProviderServer, type Reply } from "./provider-server.js";

const failureOf = async (reply: Reply, options = {}) => {
  const { post, server } = await startClient(() => reply, options);
  const error = await providerErrorOf(post());
  expect(server.requests).toHaveLength(1);
  return error;
};

describe("a status", () => {
  it.each([
    [401, "unauthorized", false],
    [403, "unauthorized", false],
    [413, "too_large", false],
    [429, "rate_limited", true],
    [408, "timeout", true],
    [409, "unavailable", true],
    [500, "unavailable", true],
    [503, "unavailable", true],
    [400, "invalid_request", false],
    [404, "invalid_request", false],
    [422, "invalid_request", false],
    [307, "invalid_request", false],
  ])("of %i is %s", async (status, failure, isRetryable) => {
    const error = await failureOf({ status, headers: { location: "http://127.0.0.1:1/" }, body: "no" });
    expect(error).toMatchObject({ status, failure, isRetryable, retryAfterMs: undefined });
    expect(error.message).toBe(`the server returned an error: ${status} no`);
  });

  it("returns message, code and parameter of the server's error", async () => {
    const body = { error: { message: "no such field", code: "unknown_field", param: "colour" } };
    const error = await failureOf({ status: 400, body });
    expect(error.message).toBe("the server returned an error: 400 no such field");
    expect(error).toMatchObject({ text: "no such field", code: "unknown_field", param: "colour" });
  });

  it.each([
    ["true", 400, true],
    ["false", 503, false],
  ])("with X-Should-Retry %s overrides the retry rule", async (value, status, isRetryable) => {
    const error = await failureOf({ status, headers: { "x-should-retry": value } });
    expect(error.isRetryable).toBe(isRetryable);
  });

  it("limits the length of the server's error", async () => {
    const error = await failureOf({ status: 400, body: "x".repeat(10_000) });
    expect(error.message.length).toBeLessThan(600);
    expect(error.text).toHaveLength(4_000);
  });
});

describe("Retry-After", () => {
  it.each([
    [{ "retry-after": "3" }, 3_000],
    [{ "retry-after-ms": "250.5", "retry-after": "3" }, 251],
    [{ "retry-after": "Tue, 01 Jan 2030 12:01:00 GMT" }, 60_000],
    [{ "retry-after": "Tue, 01 Jan 2030 11:00:00 GMT" }, 0],
    [{ "retry-after": "soon" }, undefined],
  ])("of %j is read in milliseconds", async (headers, retryAfterMs) => {
    const noon = Date.parse("2030-01-01T12:00:00Z") / 1000;
    const clock = { now: () => noon, after: () => () => {} };
    const reply = { status: 429, headers: headers as Record<string, string> };
    const { post } = await startClient(() => reply, {}, { clock });
    expect((await providerErrorOf(post())).retryAfterMs).toBe(retryAfterMs);
  });
});

describe("a reply", () => {
  it.each(["<html>", "", '{"data":[{'])("of %j is invalid", async (body) => {
    const error = await failureOf({ body });
    expect(error).toMatchObject({ failure: "invalid_reply", isRetryable: false });
    expect(error.cause).toBeUndefined();
    expect(error.message).toBe("the server sent an invalid reply: not JSON");
  });

  it.each([200, 500])("with status %i above the size limit is refused", async (status) => {
    const error = await failureOf({ status, body: "x".repeat(2_000) }, { responseBytesMax: 1_024 });
    expect(error).toMatchObject({ failure: "reply_too_long", isRetryable: false });
    expect(error.message).toBe("the reply of the server is longer than 1024 bytes. Raise responseBytesMax");
  });

  it("that ends early is unavailable", async () => {
    const error = await failureOf({ hang: "lost" });
    expect(error).toMatchObject({ failure: "unavailable", isRetryable: true });
    expect(error.message).toBe("the connection to the server was lost");
  });

  it.each(["before-headers", "after-headers"] as const)("that hangs %s times out", async (hang) => {
    const error = await failureOf({ hang }, { attemptTimeoutMs: 100 });
    expect(error).toMatchObject({ failure: "timeout", isRetryable: true, status: undefined });
    expect(error.message).toBe("the server did not answer within 100 ms");
  });
});

it("is unavailable, with the cause, if the server is not running", async () => {
  const closed = await ProviderServer.start(echo);
  const { baseUrl } = closed;
  await closed.close();
  const { post } = await startClient(echo, { baseUrl });
  const error = await providerErrorOf(post());
  expect(error).toMatchObject({ failure: "unavailable", isRetryable: true });
  expect(error.message).toBe("cannot connect to the server");
  expect(error.cause).toBeInstanceOf(Error);
  const { post: traced } = await startClient(echo, { baseUrl, showsOrigin: true });
  const { message } = await providerErrorOf(traced());
  expect(message).toBe(`cannot connect to the server at ${new URL(baseUrl).origin}`);
});

it("follows no redirect: neither texts nor key are sent elsewhere", async () => {
  const { server: elsewhere } = await startClient(echo);
  const headers = { location: `${elsewhere.baseUrl}/echo` };
  expect((await failureOf({ status: 308, headers }, { apiKey: "sk-1" })).status).toBe(308);
  expect(elsewhere.requests).toEqual([]);
});

describe("secrets", () => {
  const apiKey = "sk-very-secret-0123456789";
  afterEach(() => vi.unstubAllEnvs());

  it.each([
    [401, "application/json"],
    [500, "text/plain"],
    [200, "text/html"],
    [200, "text/event-stream"],
  ])("are not in an error or the log, although a %i of type %s repeats the key", async (status, type) => {
    const { post, stream, logger, server } = await startClient(
      ({ headers }) => ({
        status,
        headers: { "content-type": type, "set-cookie": `key=${apiKey}` },
        body: `data: {"error":{"message":"bad key: ${headers.authorization}","code":"${apiKey}"}}\n\n`,
      }),
      { apiKey },
    );
    const ofStream = stream().then((events) => events.next());
    const errors = await Promise.all([providerErrorOf(post()), providerErrorOf(ofStream)]);
    expect(server.requests[0]!.headers.authorization).toBe(`Bearer ${apiKey}`);
    expect(inspect(errors, { depth: 20, showHidden: true })).not.toContain("very-secret");
    expect(errors[1]!.message).toContain("bad key: Bearer [api key]");
    expect(logger.lines.join()).not.toMatch(/very-secret|"a"/);
  });

  it("are not read from the environment", async () => {
    vi.stubEnv("OPENAI_API_KEY", "sk-env");
    vi.stubEnv("OPENAI_ORG_ID", "org-env");
    vi.stubEnv("OPENAI_BASE_URL", "http://127.0.0.1:1/");
    const { post, server } = await startClient(echo);
    await post();
    const { headers } = server.requests[0]!;
    expect(headers.authorization).toBeUndefined();
    expect(Object.keys(headers).filter((name) => /^(x-|openai-)/.test(name))).toEqual([]);
  });
});
