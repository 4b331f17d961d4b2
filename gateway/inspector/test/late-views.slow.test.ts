import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM } from "./chromium.js";
import { InspectorFixture } from "./inspector-fixture.js";

const HEALTH_SCRIPT = "**/health-*.js";
/** Compressed bytes that the page loads at first. */
const FIRST_BYTES_MAX = 25_000;

interface LoadedFile {
  readonly name: string;
  readonly encodedBodySize: number;
}

describe.skipIf(CHROMIUM === undefined)(
  "views that are loaded on demand (where a Chromium is installed)",
  () => {
    const fixture = new InspectorFixture();
    beforeAll(() => fixture.start());
    afterAll(() => fixture.stop());

    const loaded = async (page: Page) => {
      const files = await page.evaluate<LoadedFile[]>(
        "performance.getEntriesByType('resource').map(({ name, encodedBodySize }) => ({ name, encodedBodySize }))",
      );
      return files.filter(({ name }) => /\.(js|css)$/.test(name));
    };
    const hasPlots = async (page: Page) => {
      const scripts = (await loaded(page)).filter((file) => file.name.endsWith(".js"));
      const texts = await Promise.all(scripts.map(async (file) => (await fetch(file.name)).text()));
      return texts.some((text) => text.includes("u-over"));
    };

    it("are not part of the first load", async () => {
      const { page, problems } = await fixture.open("", { agent: "alice" });
      await page.locator("[data-tile=Entries]").waitFor();
      const first = await loaded(page);
      expect(first.map(({ name }) => name.replace(/-[\w-]{8}\./, "."))).toEqual(
        expect.arrayContaining([`${fixture.url}/inspector.js`, `${fixture.url}/inspector.css`]),
      );
      expect(first).toHaveLength(2);
      const bytes = first.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
      expect(bytes).toBeGreaterThan(0);
      expect(bytes).toBeLessThan(FIRST_BYTES_MAX);
      expect(await hasPlots(page)).toBe(false);
      await page.getByRole("navigation").getByRole("link", { name: "Health" }).click();
      await page.locator(".plot canvas").first().waitFor();
      expect(await hasPlots(page)).toBe(true);
      expect(await page.evaluate("document.activeElement.textContent")).toBe("Health");
      expect(problems).toEqual([]);
    });

    it("show that they are loading", async () => {
      const { page, problems } = await fixture.open("", { agent: "alice" });
      let release = () => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      await page.route(HEALTH_SCRIPT, async (route) => {
        await released;
        await route.continue();
      });
      await page.getByRole("navigation").getByRole("link", { name: "Health" }).click();
      await page.getByRole("status").filter({ hasText: "Loading Health" }).waitFor();
      release();
      await page.locator("[data-host]").waitFor();
      expect(await page.getByText("Loading Health").count()).toBe(0);
      expect(problems).toEqual([]);
    });

    it("report a failure, and can be retried", async () => {
      const { page } = await fixture.open("", { agent: "alice" });
      await page.route(HEALTH_SCRIPT, (route) => route.fulfill({ status: 404, body: "{}" }));
      await page.getByRole("navigation").getByRole("link", { name: "Health" }).click();
      const alert = page.getByRole("alert");
      await alert
        .filter({ hasText: "Health could not be loaded: the gateway does not answer, or" })
        .waitFor();
      await page.route(`${fixture.url}/`, (route) => route.abort());
      await page.getByRole("button", { name: "Try again" }).click();
      await alert.filter({ hasText: /the gateway does not answer\.$/ }).waitFor();
      await page.unrouteAll();
      await page.getByRole("button", { name: "Try again" }).click();
      await page.locator("[data-host]").waitFor();
      expect(await alert.count()).toBe(0);
      expect(await page.locator("main").getAttribute("data-agent")).toBe("alice");
    });

    it("do not affect other views if they fail", async () => {
      const { page } = await fixture.open("", { agent: "alice" });
      await page.route("**/graph-*.js", (route) => route.abort());
      await page.getByRole("navigation").getByRole("link", { name: "Graph" }).click();
      await page.getByRole("alert").waitFor();
      await page.getByRole("navigation").getByRole("link", { name: "Memories" }).click();
      await page
        .getByRole("search")
        .or(page.getByRole("heading", { name: "Namespaces" }))
        .first()
        .waitFor();
      expect(await page.getByRole("alert").count()).toBe(0);
    });
  },
);
