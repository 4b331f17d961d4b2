import { createHash } from "node:crypto";
import { exportSPKI, SignJWT, UnsecuredJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../../bus/test/free-port.js";
import { REVISIONS } from "../../../integrations/mcp/test/mcp-clients.js";
import type { GatewayOptions } from "../../src/index.js";
import { A2eClient } from "../a2e-client.js";
import { GatewayFixture } from "../gateway-fixture.js";
import { JSON_HEADERS, LISTEN, LISTEN_HEADERS } from "../raw-mcp.js";
import { AuthorizationServer } from "./authorization-server.js";
import { ClientDocument, connectWithConsent } from "./oauth-client.js";

const fixture = new GatewayFixture();
const document = new ClientDocument();
let issuer: AuthorizationServer;

beforeAll(async () => {
  await document.start();
  issuer = new AuthorizationServer(document.authority);
  await issuer.start();
  await fixture.start();
});
afterAll(async () => {
  await fixture.stop();
  await issuer.stop();
  await document.stop();
});

type OAuth = NonNullable<GatewayOptions["oauth"]>;

/** Starts a gateway, and returns the URL of its resource. */
async function protectedMcp(oauth: Partial<OAuth> = {}, options: GatewayOptions = {}): Promise<string> {
  const port = await freePort();
  const resource = `http://127.0.0.1:${port}/mcp`;
  await fixture.gateway({ ...options, port, oauth: { issuer: issuer.issuer, resource, ...oauth } });
  return resource;
}

const INITIALIZE = {
  "2025-11-25": {
    headers: JSON_HEADERS,
    message: {
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
    },
  },
  "2026-07-28": {
    headers: { ...JSON_HEADERS, "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" },
    message: {
      method: "tools/list",
      params: {
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {},
          "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
        },
      },
    },
  },
} as const;

async function call(
  url: string,
  token: string | undefined,
  revision: keyof typeof INITIALIZE = "2025-11-25",
) {
  const { headers, message } = INITIALIZE[revision];
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, ...message });
  const response = await fetch(url, { method: "POST", headers: { ...headers, ...authorization }, body });
  const text = await response.text();
  return { status: response.status, challenge: response.headers.get("www-authenticate"), text, response };
}

describe.each(REVISIONS)("a client of the MCP SDK, %s", (revision) => {
  it("finds the authorization server, gets a token and reads the memory of its user", async () => {
    issuer.user = `user of ${revision}`;
    const url = await protectedMcp({ scopes: ["memory"] });
    const { client, refusal, authorization } = await connectWithConsent(revision, `${url}/project`, document);
    expect(refusal?.constructor.name).toBe("UnauthorizedError");
    expect(Object.fromEntries(authorization)).toMatchObject({
      client_id: document.url,
      resource: url,
      scope: "memory",
      code_challenge_method: "S256",
    });
    const fields = { key: "plan", tier: "episodic" };
    await client.callTool({ name: "memory_remember", arguments: { ...fields, value: "secret" } });
    issuer.user = "mallory";
    const other = await connectWithConsent(revision, `${url}/project`, document);
    const found = async ({ callTool }: Pick<typeof client, "callTool">) =>
      (await callTool({ name: "memory_recall", arguments: fields })).structuredContent;
    expect(await found({ callTool: client.callTool.bind(client) })).toMatchObject({ value: "secret" });
    expect(await found({ callTool: other.client.callTool.bind(other.client) })).toMatchObject({
      found: false,
    });
    await client.close();
    await other.client.close();
  });
});

it("lets a client ask again for the scopes that its token lacks", async () => {
  const url = await protectedMcp({ scopes: ["memory", "write"] });
  const before = issuer.askedScopes.length;
  issuer.grantedScope = "memory";
  await expect(connectWithConsent("2026-07-28", url, document)).rejects.toThrow();
  issuer.grantedScope = undefined;
  expect(issuer.askedScopes.slice(before)).toEqual(["memory write", "memory write"]);
});

describe("a gateway with oauth", () => {
  it("describes itself without a token, also for paths below the resource", async () => {
    const url = await protectedMcp({ scopes: ["memory"] });
    const { origin } = new URL(url);
    for (const suffix of ["", "/mcp", "/mcp/project"]) {
      const response = await fetch(`${origin}/.well-known/oauth-protected-resource${suffix}`);
      expect(await response.json()).toEqual({
        resource: url,
        authorization_servers: [issuer.issuer],
        bearer_methods_supported: ["header"],
        scopes_supported: ["memory"],
        resource_name: "membus",
      });
    }
    const { status } = await fetch(`${origin}/.well-known/oauth-protected-resource/mcpx`);
    expect(status).toBe(404);
  });

  it.each(["2025-11-25", "2026-07-28"] as const)(
    "accepts a token and explains its absence, %s",
    async (revision) => {
      issuer.user = "alice";
      const url = await protectedMcp({ scopes: ["memory"] });
      expect(await call(url, await issuer.issue(url), revision)).toMatchObject({ status: 200 });
      const metadata = url.replace("/mcp", "/.well-known/oauth-protected-resource/mcp");
      expect(await call(url, undefined, revision)).toMatchObject({
        status: 401,
        challenge: `Bearer scope="memory", resource_metadata="${metadata}"`,
      });
    },
  );

  it("ends a stream when the token that opened it expires", async () => {
    const url = await protectedMcp();
    const token = await issuer.issue(url, { exp: Math.floor(Date.now() / 1_000) + 1 });
    const headers = { ...JSON_HEADERS, ...LISTEN_HEADERS, authorization: `Bearer ${token}` };
    const stream = await fetch(url, { method: "POST", headers, body: LISTEN });
    expect(stream.status).toBe(200);
    // Without an end of the stream this waits until the test times out.
    expect(await stream.text()).toContain("subscriptions");
  });

  it("refuses tokens that are not for it", async () => {
    const url = await protectedMcp();
    const now = Math.floor(Date.now() / 1_000);
    const past = { iat: now - 900, exp: now - 300 };
    const key = Buffer.from(await exportSPKI(issuer.publicKey));
    const claims = { iss: issuer.issuer, aud: url, sub: "alice", exp: now + 600 };
    const other = new AuthorizationServer();
    await other.start();
    const refused = {
      "for another resource": issuer.issue("https://memory.example.org/mcp"),
      "another issuer": other.issue(url),
      "another key": other.issue(url, { iss: issuer.issuer }),
      expired: issuer.issue(url, past),
      "without end": issuer.issue(url, { exp: undefined }),
      "not yet valid": issuer.issue(url, { nbf: now + 600 }),
      "alg none": new UnsecuredJWT(claims).encode(),
      "signed with the public key": new SignJWT(claims)
        .setProtectedHeader({ alg: "HS256", kid: "k1" })
        .sign(key),
      "unknown key id": issuer.issue(url, {}, { kid: "k2" }),
      "a logout token": issuer.issue(url, {}, { typ: "logout+jwt" }),
      "no JWT": "wrong",
    };
    const reasons: Record<string, unknown> = {};
    for (const [name, token] of Object.entries(refused)) {
      const { status, challenge, text } = await call(url, await token);
      expect([name, status, challenge?.startsWith('Bearer error="invalid_token"')]).toEqual([
        name,
        401,
        true,
      ]);
      reasons[name] = JSON.parse(text).error;
    }
    await other.stop();
    const invalid = "the token is not valid";
    expect(reasons).toEqual({
      "for another resource": "the token is for another resource",
      "another issuer": invalid,
      "another key": invalid,
      expired: "the token has expired",
      "without end": invalid,
      "not yet valid": invalid,
      "alg none": invalid,
      "signed with the public key": invalid,
      "unknown key id": invalid,
      "a logout token": "the token is no access token",
      "no JWT": invalid,
    });
    expect((await call(url, await issuer.issue(url, { iss: "https://login.example.org" }))).text).toBe(
      '{"error":"the token has another issuer"}',
    );
    expect(JSON.stringify(fixture.logger.lines)).not.toContain("eyJ");
  });

  it("tolerates a small difference of clocks", async () => {
    const url = await protectedMcp({ clockToleranceS: 60 });
    const now = Math.floor(Date.now() / 1_000);
    expect((await call(url, await issuer.issue(url, { exp: now - 5 }))).status).toBe(200);
  });

  it("names the scopes that a token lacks", async () => {
    const url = await protectedMcp({ scopes: ["memory", "write"] });
    const metadata = url.replace("/mcp", "/.well-known/oauth-protected-resource/mcp");
    expect(await call(url, await issuer.issue(url))).toMatchObject({
      status: 403,
      challenge: `Bearer error="insufficient_scope", error_description="the token needs memory write", scope="memory write", resource_metadata="${metadata}"`,
    });
    const scp = await issuer.issue(url, { scope: undefined, scp: ["write", "memory"] });
    expect((await call(url, scp)).status).toBe(200);
  });

  it("answers 503 while the keys cannot be read", async () => {
    issuer.keysStatus = 500;
    const url = await protectedMcp({ jwksUrl: `${issuer.issuer}/keys` });
    const { status, response, challenge } = await call(url, await issuer.issue(url));
    expect([status, response.headers.get("retry-after"), challenge]).toEqual([503, "5", null]);
    issuer.keysStatus = 200;
  });

  it("reads the keys once for many tokens and unknown key ids", async () => {
    const url = await protectedMcp();
    const before = issuer.requests.length;
    const tokens = [
      issuer.issue(url),
      issuer.issue(url, {}, { kid: "a" }),
      issuer.issue(url, {}, { kid: "b" }),
    ];
    for (const token of tokens) await call(url, await token);
    expect(issuer.requests.slice(before)).toEqual(["/.well-known/oauth-authorization-server", "/keys"]);
  });

  it("takes agent and tenant from claims, not from a header", async () => {
    const url = await protectedMcp({ agentClaim: "agent", tenantClaim: "org" });
    const status = async (claims: Readonly<Record<string, unknown>>) =>
      (await call(url, await issuer.issue(url, claims))).status;
    expect(await status({ agent: "a", org: "acme" })).toBe(200);
    expect(await status({ org: "acme" })).toBe(403);
    expect(await status({ agent: "a" })).toBe(403);
    expect(await status({ agent: "a", org: "acme.*" })).toBe(403);
    expect(await status({ agent: "a".repeat(1_000), org: "acme" })).toBe(403);
    expect(await status({ agent: ["a"], org: "acme" })).toBe(403);
  });

  it("still accepts its static tokens, and needs one for all other paths", async () => {
    const sha256 = createHash("sha256").update("static").digest("hex");
    const url = await protectedMcp({}, { tokens: [{ sha256, tenant: "acme", agent: "bob" }] });
    expect((await call(url, "static")).status).toBe(200);
    expect((await call(url, "other")).status).toBe(401);
    const closed = await protectedMcp({}, { openai: { upstream: "http://127.0.0.1:9/v1", key: "k" } });
    expect((await call(closed, undefined)).status).toBe(401);
    const { origin } = new URL(closed);
    expect((await fetch(`${origin}/`)).status).toBe(404);
    expect((await fetch(`${origin}/v1/models`)).status).toBe(401);
    const a2e = await A2eClient.create(origin);
    await a2e.openStream(origin);
    expect(await a2e.handshake(origin)).toMatchObject({ ok: false, reason: "auth_failed" });
    a2e.breakStream();
  });

  it("refuses options that would be insecure", async () => {
    const resource = "https://memory.example.org/mcp";
    const secure = "must be an https URL, or http on loopback, without credentials, query or fragment";
    await expect(protectedMcp({ issuer: "http://login.example.org" })).rejects.toThrow(
      `oauth.issuer ${secure}`,
    );
    await expect(protectedMcp({ resource: `${resource}#a` })).rejects.toThrow(`oauth.resource ${secure}`);
    await expect(protectedMcp({ algorithms: ["HS256" as never] })).rejects.toThrow(
      "oauth.algorithms[0] must be one of",
    );
    await expect(protectedMcp({}, { inspector: true })).rejects.toThrow(
      "with oauth, the inspector requires tokens",
    );
    await expect(protectedMcp({}, { mcp: false })).rejects.toThrow("oauth requires mcp, which is off");
  });
});
