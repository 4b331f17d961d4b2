import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { type Browser, chromium } from "playwright-core";
import { build } from "rolldown";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../../bus/test/free-port.js";
import { McpFixture } from "../../../integrations/mcp/test/mcp-fixture.js";
import { CHROMIUM } from "../../inspector/test/chromium.js";
import { GatewayFixture } from "../gateway-fixture.js";
import { AuthorizationServer } from "./authorization-server.js";

const CLIENT = fileURLToPath(new URL("web-client.ts", import.meta.url));
const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"];

describe.skipIf(CHROMIUM === undefined)("a page of another origin (where a Chromium is installed)", () => {
  const fixture = new GatewayFixture();
  const programs = new McpFixture();
  const issuer = new AuthorizationServer();
  const pages = createServer((_, response) => response.end());
  let browser: Browser;
  let script: string;
  let origin: string;

  beforeAll(async () => {
    await issuer.start();
    await fixture.start();
    await programs.useBus(fixture.natsUrl);
    await once(pages.listen(0, "127.0.0.1"), "listening");
    origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
    const { output } = await build({
      input: CLIENT,
      platform: "browser",
      write: false,
      output: { format: "iife" },
    });
    script = output[0].code;
    browser = await chromium.launch({ executablePath: CHROMIUM!, args: FLAGS });
  });
  afterAll(async () => {
    await browser?.close();
    pages.close();
    pages.closeAllConnections();
    await programs.stop();
    await fixture.stop();
    await issuer.stop();
  });

  /** Runs the client in a page. */
  async function reportOf(url: string) {
    const token = await issuer.issue(url);
    const page = await browser.newPage();
    await page.goto(origin);
    await page.addScriptTag({ content: script });
    return page.evaluate(([target, bearer]) => globalThis.useMcp(target!, bearer!), [url, token]);
  }

  function expected(url: string) {
    const metadata = url.replace("/mcp", "/.well-known/oauth-protected-resource/mcp");
    return {
      challenge: `Bearer resource_metadata="${metadata}"`,
      resource: url,
      tools: 5,
    };
  }

  it("uses a gateway that allows it", async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/mcp`;
    await fixture.gateway({ port, origins: [origin], oauth: { issuer: issuer.issuer, resource: url } });
    expect(await reportOf(url)).toEqual(expected(url));
  });

  it("uses membus-mcp that allows it", async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/mcp`;
    const oauth = ["--oauth-issuer", issuer.issuer, "--oauth-resource", url];
    await programs.serve(["--http", String(port), "--agent", "alice", "--allow-origin", origin, ...oauth]);
    expect(await reportOf(url)).toEqual(expected(url));
  });

  it("reads nothing of a gateway that does not allow it", async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/mcp`;
    await fixture.gateway({ port, oauth: { issuer: issuer.issuer, resource: url } });
    await expect(reportOf(url)).rejects.toThrow("Failed to fetch");
  });
});
