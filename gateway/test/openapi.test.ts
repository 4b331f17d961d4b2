import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OPERATIONS } from "../src/openapi/operations.js";
import { GatewayFixture } from "./gateway-fixture.js";

const fixture = new GatewayFixture();
beforeAll(() => fixture.start());
afterAll(() => fixture.stop());

interface Description {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

async function describeGateway(options: Parameters<GatewayFixture["gateway"]>[0]): Promise<Description> {
  const { url } = await fixture.gateway(options);
  const response = await fetch(`${url}/openapi.json`);
  expect(response.headers.get("content-type")).toContain("application/json");
  return (await response.json()) as Description;
}

const operationsIn = ({ paths }: Description) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );

describe("the OpenAPI document of a gateway", () => {
  const oauth = { issuer: "https://login.example.org", resource: "https://memory.example.org/mcp" };
  const everything = { mcp: true, oauth, openai: { upstream: "http://127.0.0.1:9/v1", key: "k" } };

  it("is valid, and has the version of the package", async () => {
    const document = await describeGateway(everything);
    const { valid, errors } = await new Validator().validate({ ...document });
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
    const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    expect(document.info.version).toBe(manifest.version);
  });

  it("has every operation of a gateway that serves everything", async () => {
    expect(operationsIn(await describeGateway(everything)).sort()).toEqual(Object.keys(OPERATIONS).sort());
  });

  it("leaves out what the gateway does not serve", async () => {
    const operations = operationsIn(await describeGateway({ mcp: false }));
    expect(operations.filter((name) => name.includes("/mcp") || name.includes("/v1/"))).toEqual([]);
    expect(operations).toContain("post /session");
  });

  it("names only operations that exist", async () => {
    const { url } = await fixture.gateway({ mcp: true });
    for (const name of operationsIn(await describeGateway({ mcp: true }))) {
      const [method, path] = name.split(" ") as [string, string];
      const response = await fetch(url + path.replace("{namespace}", "a"), { method });
      expect([name, (await response.text()).startsWith('{"error":"no such path')]).toEqual([name, false]);
    }
  });
});

describe("the page of the HTTP API", () => {
  async function page(options: Parameters<GatewayFixture["gateway"]>[0] = {}) {
    const { url } = await fixture.gateway(options);
    const response = await fetch(`${url}/docs`);
    return { headers: response.headers, text: await response.text() };
  }

  it("lists the operations of the document, with links to their schemas", async () => {
    const { text } = await page();
    expect(text).toContain('<article id="post-mcp-namespace-">');
    expect(text).toContain("<code><b>POST</b> /mcp/{namespace}</code> Send one MCP message");
    expect(text).toContain('<a href="#JsonRpcMessage">JsonRpcMessage</a>');
    expect(text).toContain('<article id="JsonRpcMessage">');
    expect(text).not.toContain("/v1/chat/completions");
    const links = [...text.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id!);
    expect(links.filter((id) => !text.includes(`id="${id}"`))).toEqual([]);
    expect(links.length).toBeGreaterThan(20);
  });

  it("has one language, one title and headings in order, and escapes texts", async () => {
    const { text } = await page();
    expect(text).toContain('<html lang="en">');
    expect(text.match(/<title>|<h1>/g)).toEqual(["<title>", "<h1>"]);
    const levels = [...text.matchAll(/<h([1-6])/g)].map(([, level]) => Number(level));
    expect(levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1)).toEqual([]);
    expect(text).toContain("&quot;const&quot;: &quot;2.0&quot;");
  });

  it("runs no script and loads nothing, except its own style", async () => {
    const { headers, text } = await page();
    const [, style] = /<style>(.*)<\/style>/s.exec(text)!;
    const hash = createHash("sha256").update(style!).digest("base64");
    const policy = headers.get("content-security-policy")!;
    expect(policy.split("; ").slice(0, 2)).toEqual(["default-src 'none'", `style-src 'sha256-${hash}'`]);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(text).not.toMatch(/<script|<link|<img|style=|url\(/);
    expect(text).toContain("color-scheme: light dark");
  });
});
