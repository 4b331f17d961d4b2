import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { RecordingLogger } from "../../../bus/test/recording-logger.js";
import { FakeClock } from "../../../host/test/fake-clock.js";
import { AuthorizationServer } from "../../test/oauth/authorization-server.js";
import { ProtectedResource } from "../src/index.js";
import { metadataUrls } from "../src/oauth/issuer-metadata.js";

const RESOURCE = "https://memory.example.org/mcp";
const UNAVAILABLE = {
  status: 503,
  reason: "the keys of the authorization server cannot be read. Retry later",
};

const issuer = new AuthorizationServer();
beforeAll(() => issuer.start());
afterAll(() => issuer.stop());
afterEach(() => {
  Object.assign(issuer, { keysStatus: 200, metadata: {}, isSilent: false });
  issuer.requests.length = 0;
});

function newResource() {
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const resource = new ProtectedResource({ issuer: issuer.issuer, resource: RESOURCE }, { clock, logger });
  const token = issuer.issue(RESOURCE, { exp: clock.now() + 600 });
  return { clock, logger, check: async () => resource.check(await token) };
}

it("asks an issuer that fails again after five seconds", async () => {
  issuer.keysStatus = 500;
  const { clock, logger, check } = newResource();
  for (let count = 0; count < 3; count++) expect(await check()).toEqual(UNAVAILABLE);
  expect(issuer.requests).toEqual(["/.well-known/oauth-authorization-server", "/keys"]);
  expect(logger.messages("warn")).toEqual(["cannot read the keys of the authorization server"]);
  issuer.keysStatus = 200;
  expect(await check()).toEqual(UNAVAILABLE);
  await clock.advance(5_000);
  expect(await check()).toMatchObject({ agent: "alice" });
});

it("waits at most five seconds for an issuer", async () => {
  issuer.isSilent = true;
  const { clock, check } = newResource();
  const checked = check();
  // The other place of the metadata is tried after the first.
  for (const count of [1, 2]) {
    await expect.poll(() => issuer.requests.length).toBe(count);
    await clock.advance(5_000);
  }
  expect(await checked).toEqual(UNAVAILABLE);
});

it.each([
  [{ issuer: "https://login.example.org" }, "the metadata has another issuer"],
  [{ jwks_uri: "http://login.example.org/keys" }, "the metadata has no https jwks_uri"],
  [{ jwks_uri: undefined }, "the metadata has no https jwks_uri"],
  [{ padding: "a".repeat(300_000) }, "more than 262144 bytes"],
])("refuses invalid metadata of an issuer, case %#", async (metadata, problem) => {
  issuer.metadata = metadata;
  const { logger, check } = newResource();
  expect(await check()).toEqual(UNAVAILABLE);
  expect(String(logger.lines[0]?.fields.err)).toContain(problem);
  expect(issuer.requests).toEqual([
    "/.well-known/oauth-authorization-server",
    "/.well-known/openid-configuration",
  ]);
});

it("logs why an issuer cannot be reached", async () => {
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const nowhere = "http://127.0.0.1:9";
  const resource = new ProtectedResource({ issuer: nowhere, resource: RESOURCE }, { clock, logger });
  expect(await resource.check(await issuer.issue(RESOURCE, { iss: nowhere }))).toEqual(UNAVAILABLE);
  expect(String(logger.lines[0]?.fields.err)).toMatch(/fetch failed: .*(ECONNREFUSED|bad port)/);
});

it("looks for metadata in the order of the MCP specification", () => {
  expect(metadataUrls("https://login.example.org")).toEqual([
    "https://login.example.org/.well-known/oauth-authorization-server",
    "https://login.example.org/.well-known/openid-configuration",
  ]);
  expect(metadataUrls("https://login.example.org/realms/a/")).toEqual([
    "https://login.example.org/.well-known/oauth-authorization-server/realms/a",
    "https://login.example.org/.well-known/openid-configuration/realms/a",
    "https://login.example.org/realms/a/.well-known/openid-configuration",
  ]);
});
