import { createHash } from "node:crypto";
import { systemClock } from "@membus/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Gateway } from "../src/index.js";
import { GatewayFixture } from "./gateway-fixture.js";

const fixture = new GatewayFixture();
beforeAll(() => fixture.start());
afterAll(() => fixture.stop());

const sha256 = (token: string) => createHash("sha256").update(token).digest("hex");
const JSON_BODY = { "content-type": "application/json" };
const ASKS = ["session", "namespaces?tenant=acme&agent=alice", "events?tenant=acme&agent=alice"];

async function enter(url: string, token: string) {
  const body = JSON.stringify({ token });
  return fetch(`${url}/inspector/session`, { method: "POST", headers: JSON_BODY, body });
}

describe("the inspector with tokens", () => {
  const tokens = [
    { sha256: sha256("for one"), tenant: "acme", agent: "alice" },
    { sha256: sha256("for all"), tenant: "acme" },
  ];
  let url = "";
  beforeAll(async () => {
    ({ url } = await fixture.gateway({ tokens }));
  });

  it("rejects requests without a valid token", async () => {
    expect((await enter(url, "wrong")).status).toBe(401);
    expect((await enter(url, "x".repeat(5_000))).status).toBe(401);
    for (const cookie of ["", `membus_inspector_${new URL(url).port}=guessed`]) {
      for (const path of ASKS) {
        const response = await fetch(`${url}/inspector/${path}`, { headers: { cookie } });
        expect([path, response.status]).toEqual([path, 401]);
      }
    }
  });

  it("exchanges a token for a cookie that scripts and other sites cannot read", async () => {
    const response = await enter(url, "for one");
    const [pair = "", ...attributes] = response.headers.get("set-cookie")!.split("; ");
    expect(pair).toMatch(/^membus_inspector_\d+=[\w-]{43}$/);
    expect(attributes).toEqual(["Path=/inspector", "Max-Age=43200", "HttpOnly", "SameSite=Strict"]);
    expect(await response.text()).toBe("{}");
  });

  it.each([
    ["for one", "namespaces?tenant=acme&agent=alice", 200],
    ["for one", "namespaces?tenant=acme&agent=bob", 403],
    ["for one", "namespaces?tenant=acme", 403],
    ["for one", "namespaces?tenant=other&agent=alice", 403],
    ["for one", "events?tenant=acme", 403],
    ["for one", "events?tenant=acme&agent=bob", 403],
    ["for all", "namespaces?tenant=acme&agent=bob", 200],
    ["for all", "namespaces?tenant=acme", 200],
    ["for all", "namespaces?tenant=other&agent=alice", 403],
    ["for all", "events?tenant=other", 403],
    ["for one", "health?tenant=acme", 403],
    ["for all", "health?tenant=acme", 200],
    ["for all", "health?tenant=other", 403],
  ])("with the token %s answers %s with %i", async (token, path, status) => {
    const [cookie = ""] = (await enter(url, token)).headers.get("set-cookie")!.split(";");
    expect((await fetch(`${url}/inspector/${path}`, { headers: { cookie } })).status).toBe(status);
  });

  it("returns which tenants and agents can be chosen", async () => {
    const choices = async (token: string) => {
      const [cookie = ""] = (await enter(url, token)).headers.get("set-cookie")!.split(";");
      return (await fetch(`${url}/inspector/session`, { headers: { cookie } })).json();
    };
    const fixed = { tenant: true, agent: true };
    expect(await choices("for one")).toEqual({
      tenant: "acme",
      agent: "alice",
      fixed,
      edit: false,
      prefix: "a2e",
    });
    const free = { tenant: true, agent: false };
    expect(await choices("for all")).toEqual({
      tenant: "acme",
      agent: "",
      fixed: free,
      edit: false,
      prefix: "a2e",
    });
  });

  it("ends a visit after twelve hours", async () => {
    let passedS = 0;
    const clock = { ...systemClock, now: () => systemClock.now() + passedS };
    const { url: timed } = await fixture.gateway({ tokens }, clock);
    const [cookie = ""] = (await enter(timed, "for one")).headers.get("set-cookie")!.split(";");
    const statusOf = async () => (await fetch(`${timed}/inspector/session`, { headers: { cookie } })).status;
    passedS = 11.9 * 3_600;
    expect(await statusOf()).toBe(200);
    passedS = 12 * 3_600;
    expect(await statusOf()).toBe(401);
  });

  it("keeps at most 1,000 visits and ends the oldest", async () => {
    const [first = ""] = (await enter(url, "for one")).headers.get("set-cookie")!.split(";");
    const statusOf = async () =>
      (await fetch(`${url}/inspector/session`, { headers: { cookie: first } })).status;
    for (let n = 0; n < 999; n++) await enter(url, "for all");
    expect(await statusOf()).toBe(200);
    await enter(url, "for all");
    expect(await statusOf()).toBe(401);
  });
});

describe("the inspector without tokens", () => {
  let url = "";
  beforeAll(async () => {
    ({ url } = await fixture.gateway({ tenant: "acme" }));
  });

  it("shows any tenant and agent", async () => {
    const session = await (await fetch(`${url}/inspector/session`)).json();
    const fixed = { tenant: false, agent: false };
    expect(session).toEqual({ tenant: "acme", agent: "", fixed, edit: false, prefix: "a2e" });
    expect((await fetch(`${url}/inspector/namespaces?tenant=other&agent=bob`)).status).toBe(200);
  });

  it("shows more tenants than it caches", async () => {
    for (let n = 0; n <= 101; n++) {
      const response = await fetch(`${url}/inspector/namespaces?tenant=t${n % 101}&agent=alice`);
      expect([n, response.status]).toEqual([n, 200]);
    }
  });

  it.each([
    ["namespaces", "tenant: is required"],
    ["namespaces?tenant=a.b&agent=alice", "tenant: invalid name"],
    [`namespaces?tenant=acme&agent=${"x".repeat(300)}`, "agent: invalid name"],
    ["namespaces?tenant=acme&agent=alice&tier=attic", "tier: must be one of working, episodic, semantic"],
  ])("refuses %s", async (path, message) => {
    const response = await fetch(`${url}/inspector/${path}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: "schema_violation", message } });
  });

  it("sends security headers with every response, and disables caching", async () => {
    for (const path of ["session", "namespaces?tenant=acme&agent=alice", "namespaces"]) {
      const { headers } = await fetch(`${url}/inspector/${path}`);
      expect(headers.get("content-security-policy")).toBe(
        "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      );
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
    }
  });

  it("rejects foreign pages and accepts its own", async () => {
    const statusOf = async (headers: Record<string, string>) =>
      (await fetch(`${url}/inspector/session`, { headers })).status;
    expect(await statusOf({ origin: url })).toBe(200);
    expect(await statusOf({ origin: "http://localhost:3000" })).toBe(403);
    expect(await statusOf({ origin: "https://evil.example" })).toBe(403);
  });

  it("rejects a body that is a form, too long, or not an object", async () => {
    const post = async (body: string, headers = JSON_BODY) =>
      (await fetch(`${url}/inspector/session`, { method: "POST", headers, body })).status;
    expect(await post("token=x", { "content-type": "text/plain" })).toBe(400);
    expect(await post("[]")).toBe(400);
    expect(await post("{")).toBe(400);
    expect(await post(`{"token":"${"x".repeat(10_000)}"}`)).toBe(413);
  });

  it("rejects other paths and methods", async () => {
    for (const path of [
      "/inspector",
      "/inspector/",
      "/inspector/constructor",
      "/inspector/../inspector.js",
    ]) {
      expect((await fetch(url + path)).status).not.toBe(500);
    }
    expect((await fetch(`${url}/inspector/constructor`)).status).toBe(404);
    expect((await fetch(`${url}/inspector/namespaces`, { method: "DELETE" })).status).toBe(404);
    expect((await fetch(`${url}/`, { method: "POST" })).status).toBe(404);
  });
});

describe("a gateway", () => {
  it("has an inspector only on loopback by default", async () => {
    const { url } = await fixture.gateway({ inspector: false });
    expect((await fetch(`${url}/inspector/session`)).status).toBe(404);
    expect((await fetch(`${url}/`)).status).toBe(404);
    const tokens = [{ sha256: sha256("any"), tenant: "acme" }];
    const everywhere = await fixture.gateway({ host: "0.0.0.0", tokens });
    const local = everywhere.url.replace("0.0.0.0", "127.0.0.1");
    expect((await fetch(`${local}/inspector/session`)).status).toBe(404);
    const enabled = await fixture.gateway({ host: "0.0.0.0", tokens, inspector: true });
    expect((await fetch(`${enabled.url.replace("0.0.0.0", "127.0.0.1")}/inspector/session`)).status).toBe(
      401,
    );
  });

  it("rejects --edit without the inspector", async () => {
    const parts = { bus: await fixture.bus(), sessions: "unused" };
    const options = { inspector: false, inspectorEdit: true };
    expect(() => new Gateway(parts, options)).toThrow("inspectorEdit requires the inspector, which is off");
  });
});
