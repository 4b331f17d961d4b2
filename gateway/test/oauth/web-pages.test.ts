import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../../bus/test/free-port.js";
import { McpFixture } from "../../../integrations/mcp/test/mcp-fixture.js";
import { GatewayFixture } from "../gateway-fixture.js";
import { JSON_HEADERS, LISTEN, LISTEN_HEADERS } from "../raw-mcp.js";
import { AuthorizationServer } from "./authorization-server.js";

const APP = "https://app.example.org";
const METADATA = "/.well-known/oauth-protected-resource";

const fixture = new GatewayFixture();
const programs = new McpFixture();
const issuer = new AuthorizationServer();
/** URLs of the servers with and without OAuth. */
const urls = { gateway: "", "membus-mcp": "", "gateway without oauth": "" };

beforeAll(async () => {
  await issuer.start();
  await fixture.start();
  await programs.useBus(fixture.natsUrl);
  const [port, programPort] = [await freePort(), await freePort()];
  urls.gateway = `http://127.0.0.1:${port}/mcp`;
  urls["membus-mcp"] = `http://127.0.0.1:${programPort}/mcp`;
  const oauth = { issuer: issuer.issuer, resource: urls.gateway };
  await fixture.gateway({ port, origins: [APP], oauth });
  urls["gateway without oauth"] = `${(await fixture.gateway({ origins: [APP] })).url}/mcp`;
  const flags = [
    "--agent",
    "alice",
    "--allow-origin",
    APP,
    "page.example.org",
    "--oauth-issuer",
    issuer.issuer,
  ];
  await programs.serve(["--http", String(programPort), ...flags, "--oauth-resource", urls["membus-mcp"]]);
});
afterAll(async () => {
  await programs.stop();
  await fixture.stop();
  await issuer.stop();
});

/** Sends the preflight request that a browser sends before a message. */
function preflight(url: string, origin: string, method = "POST"): Promise<Response> {
  const wanted = "authorization,content-type,mcp-protocol-version";
  const headers = {
    origin,
    "access-control-request-method": method,
    "access-control-request-headers": wanted,
  };
  return fetch(url, { method: "OPTIONS", headers });
}

/** Returns the headers of a response that a browser reads. */
function crossOriginOf({ headers }: Response): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...headers].filter(([name]) => name.startsWith("access-control-") || name === "vary"),
  );
}

describe.each(["gateway", "membus-mcp"] as const)("%s", (server) => {
  it("lets the page of an allowed origin send messages", async () => {
    const response = await preflight(urls[server], APP);
    const own = server === "gateway" ? ",X-Membus-Agent" : "";
    expect([response.status, crossOriginOf(response)]).toEqual([
      204,
      {
        "access-control-allow-origin": APP,
        "access-control-allow-methods": "POST",
        "access-control-allow-headers": `Authorization,Content-Type,MCP-Protocol-Version,Mcp-Method,Mcp-Name,Mcp-Session-Id,Last-Event-ID${own}`,
        "access-control-expose-headers": "WWW-Authenticate,Mcp-Session-Id,Retry-After",
        "access-control-max-age": "600",
        vary: "Origin, Access-Control-Request-Headers",
      },
    ]);
  });

  it("lets the page of an allowed origin read answers, refusals and streams", async () => {
    const read = {
      "access-control-allow-origin": APP,
      "access-control-expose-headers": "WWW-Authenticate,Mcp-Session-Id,Retry-After",
      vary: "Origin",
    };
    const headers = { ...JSON_HEADERS, origin: APP };
    const refused = await fetch(urls[server], { method: "POST", headers, body: "{}" });
    expect([refused.status, crossOriginOf(refused)]).toEqual([401, read]);
    expect(refused.headers.get("www-authenticate")).toContain("resource_metadata=");
    const listening = { ...headers, ...LISTEN_HEADERS, ...(await authorization(server)) };
    const stream = await fetch(urls[server], { method: "POST", headers: listening, body: LISTEN });
    expect([stream.status, crossOriginOf(stream)]).toEqual([200, read]);
    await stream.body!.cancel();
  });

  it("refuses the page of another origin without a header that a browser accepts", async () => {
    for (const origin of ["https://evil.example", "null", "https://app.example.org.evil.example"]) {
      const response = await preflight(urls[server], origin);
      expect([origin, response.status, crossOriginOf(response)]).toEqual([origin, 403, {}]);
      const sent = await fetch(urls[server], {
        method: "POST",
        headers: { ...JSON_HEADERS, origin },
        body: "{}",
      });
      expect([origin, sent.status, crossOriginOf(sent)]).toEqual([origin, 403, {}]);
    }
  });

  it("lets a page of any origin read its metadata, and nothing else", async () => {
    const { origin: base } = new URL(urls[server]);
    for (const suffix of ["", "/mcp"]) {
      const url = `${base}${METADATA}${suffix}`;
      expect(crossOriginOf(await preflight(url, "https://any.example", "GET"))).toMatchObject({
        "access-control-allow-origin": "*",
        "access-control-allow-headers": "MCP-Protocol-Version",
      });
      const response = await fetch(url, { headers: { origin: "https://any.example" } });
      expect([response.status, crossOriginOf(response)]).toEqual([
        200,
        { "access-control-allow-origin": "*" },
      ]);
      expect(await response.json()).toMatchObject({ resource: urls[server] });
    }
    for (const path of [
      "/.well-known/oauth-protected-resourcex",
      "/.well-known/oauth-authorization-server",
      "/",
    ]) {
      const response = await fetch(base + path, { headers: { origin: "https://any.example" } });
      expect([path, response.status, crossOriginOf(response)]).toEqual([path, 403, {}]);
    }
  });

  it("refuses an unknown host name also at its metadata", async () => {
    const url = new URL(METADATA, urls[server]);
    const asked = httpRequest(url, {
      headers: { host: "evil.example", origin: "http://evil.example" },
    }).end();
    const [response] = await once(asked, "response");
    response.resume();
    expect(response.statusCode).toBe(403);
  });

  it("refuses the method OPTIONS without an origin", async () => {
    const response = await fetch(urls[server], { method: "OPTIONS", headers: await authorization(server) });
    expect([response.status, crossOriginOf(response)]).toEqual([405, {}]);
  });
});

async function authorization(server: "gateway" | "membus-mcp") {
  return { authorization: `Bearer ${await issuer.issue(urls[server])}` };
}

it("has no public path in a gateway without oauth", async () => {
  const { origin } = new URL(urls["gateway without oauth"]);
  const response = await fetch(origin + METADATA, { headers: { origin: "https://any.example" } });
  expect(response.status).toBe(403);
  expect((await preflight(urls["gateway without oauth"], APP)).status).toBe(204);
});

it("allows pages of a host in membus-mcp, and pages on loopback only if they are listed", async () => {
  const allowed = async (origin: string) =>
    crossOriginOf(await preflight(urls["membus-mcp"], origin))["access-control-allow-origin"];
  expect(await allowed("http://page.example.org:3000")).toBe("http://page.example.org:3000");
  expect(await allowed("http://app.example.org")).toBeUndefined();
  expect(await allowed("http://localhost:3000")).toBeUndefined();
});
