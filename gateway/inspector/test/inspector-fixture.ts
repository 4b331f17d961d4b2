import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { GatewayOptions } from "@membus/gateway";
import type { Clock } from "@membus/protocol";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { expect } from "vitest";
import type { Plugins } from "../../test/gateway-fixture.js";
import { InspectedGateway } from "../../test/inspected-gateway.js";
import { CHROMIUM } from "./chromium.js";

const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PHONE = { width: 360, height: 740 };
const DESK = { width: 1_280, height: 900 };

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** A page that must not log errors or call other servers. */
export interface WatchedPage {
  readonly page: Page;
  readonly problems: string[];
}

/** A host, a gateway and a browser. */
export class InspectorFixture {
  readonly gateways = new InspectedGateway();
  #browser: Browser | undefined;

  /**
   * @param plugins of tiers that are not in memory.
   * @param clock of the host.
   */
  async start(options: GatewayOptions = {}, plugins: Plugins = {}, clock?: Clock): Promise<void> {
    await this.gateways.open(options, plugins, clock);
    this.#browser = await chromium.launch({ executablePath: CHROMIUM!, args: FLAGS });
  }

  get alice() {
    return this.gateways.alice;
  }

  get url(): string {
    return this.gateways.url;
  }

  /** Opens a new browser context at `hash` of the inspector. Returns the memory of `agent` if it is given. */
  async open(
    hash: string,
    { agent, url = this.url, ...context }: { agent?: string; url?: string } & BrowserContextOptions = {},
  ): Promise<WatchedPage> {
    const opened = await this.#browser!.newContext({
      viewport: DESK,
      timezoneId: "UTC",
      locale: "en-US",
      ...context,
    });
    // Many browsers at once take long on a busy machine.
    opened.setDefaultTimeout(180_000);
    const page = await opened.newPage();
    const problems: string[] = [];
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) problems.push(message.text());
    });
    page.on("pageerror", (error) => problems.push(String(error)));
    page.on("request", (request) => {
      if (new URL(request.url()).origin !== new URL(url).origin) problems.push(`asked ${request.url()}`);
    });
    await page.goto(`${url}/${agent ? withAgent(hash, agent) : hash}`);
    if (agent !== undefined) await page.locator(`main[data-agent="${agent}"]`).waitFor();
    return { page, problems };
  }

  /**
   * Runs axe on a view once `ready` resolves: in light and dark, on a desktop and on a phone, which must not
   * scroll sideways.
   *
   * @param url of another gateway than the own one.
   */
  async expectAccessible(
    hash: string,
    agent: string,
    ready: (page: Page) => Promise<unknown>,
    url = this.url,
  ): Promise<void> {
    for (const colorScheme of ["light", "dark"] as const) {
      for (const viewport of [DESK, PHONE]) {
        const { page, problems } = await this.open(hash, { agent, url, colorScheme, viewport });
        await ready(page);
        expect({ colorScheme, ...viewport, violations: await violationsOf(page) }).toMatchObject({
          violations: [],
        });
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(
          viewport.width,
        );
        expect(problems).toEqual([]);
        await page.context().close();
      }
    }
  }

  async stop(): Promise<void> {
    await this.#browser?.close();
    await this.gateways.stop();
  }
}

async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate<{ violations: Violation[] }>("axe.run()");
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`),
  );
}

function withAgent(hash: string, agent: string): string {
  const address = hash === "" ? "#/overview" : hash;
  return `${address}${address.includes("?") ? "&" : "?"}agent=${encodeURIComponent(agent)}`;
}
