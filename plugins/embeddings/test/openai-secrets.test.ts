import { inspect } from "node:util";
import { afterEach, expect, it, vi } from "vitest";
import { startOpenAi } from "./openai-fixture.js";
import { memoryErrorOf } from "./provider-fixture.js";
import { echo } from "./provider-server.js";

const apiKey = "sk-very-secret-0123456789";

afterEach(() => vi.unstubAllEnvs());

it.each([401, 400, 500])(
  "keeps the key out of an error and the log, although a %i repeats it",
  async (status) => {
    const { embedder, logger, server } = await startOpenAi(
      ({ headers }) => ({
        status,
        headers: { "x-request-id": "r1", "set-cookie": `key=${apiKey}` },
        body: { error: { message: `bad key: ${headers.authorization}`, code: apiKey } },
      }),
      { apiKey, maxRetries: 0 },
    );
    const error = await memoryErrorOf(embedder.embed(["a"], "query"));
    expect(server.requests[0]!.headers.authorization).toBe(`Bearer ${apiKey}`);
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(apiKey);
    expect(String(error.cause)).toContain("bad key: Bearer [api key]");
    expect(logger.lines.join()).toContain(`failed with status ${status}`);
    expect(logger.lines.join()).not.toContain(apiKey);
  },
);

it.each(["text/html", "application/json"])(
  "keeps the key out of an error about an unreadable %s reply that repeats it",
  async (type) => {
    const { embedder, logger } = await startOpenAi(
      ({ headers }) => ({ headers: { "content-type": type }, body: String(headers.authorization) }),
      { apiKey, maxRetries: 0 },
    );
    const error = await memoryErrorOf(embedder.embed(["a"], "query"));
    expect(error.code).toBe("runtime_error");
    expect(inspect(error, { depth: 20, showHidden: true })).not.toMatch(/very-secret/);
    expect(logger.lines.join()).not.toContain("very-secret");
  },
);

it("keeps the key and the texts out of the log and of the embedder's properties", async () => {
  const { embedder, logger } = await startOpenAi(echo, { apiKey });
  await embedder.embed(["the cat is called Tom"], "query");
  expect(logger.lines.length).toBe(1);
  expect(logger.lines[0]).toContain("succeeded with status 200");
  expect(logger.lines[0]).not.toMatch(/Tom|sk-/);
  expect(inspect(embedder, { depth: 20, showHidden: true })).not.toContain(apiKey);
});

it("uses nothing from the environment", async () => {
  vi.stubEnv("OPENAI_API_KEY", "sk-env");
  vi.stubEnv("OPENAI_ADMIN_KEY", "sk-env-admin");
  vi.stubEnv("OPENAI_ORG_ID", "org-env");
  vi.stubEnv("OPENAI_PROJECT_ID", "project-env");
  vi.stubEnv("OPENAI_BASE_URL", "http://127.0.0.1:1/");
  vi.stubEnv("OPENAI_CUSTOM_HEADERS", "X-Env: 1\nAuthorization: Bearer sk-env-header");
  const { server, embedder } = await startOpenAi(echo);
  await embedder.embed(["a"], "query");
  const { headers } = server.requests[0]!;
  expect(headers.authorization).toBeUndefined();
  expect(Object.keys(headers).filter((name) => /^(x-|openai-)/.test(name))).toEqual([]);
});
