import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { DefaultTheme } from "vitepress";
import { describe, expect, it } from "vitest";
import { FURTHER_PAGES, pageOf, REPOSITORY, siteLink, slugOf } from "../.vitepress/links.js";
import { SIDEBAR } from "../.vitepress/sidebar.js";

const DOCS = fileURLToPath(new URL("../", import.meta.url));
const markdownIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /^[^.].*\.md$/.test(name));

function linksOf(items: readonly DefaultTheme.SidebarItem[]): string[] {
  return items.flatMap(({ link, items: inner }) => [
    ...(link === undefined ? [] : [link]),
    ...linksOf(inner ?? []),
  ]);
}

it("has every page in the sidebar once", () => {
  const chapters = markdownIn(`${REPOSITORY}protocol/spec`).map((name) => `protocol/${name}`);
  const pages = [...markdownIn(DOCS), ...chapters, ...Object.values(FURTHER_PAGES)];
  expect(linksOf(SIDEBAR).sort()).toEqual(pages.map((page) => `/${page.replace(/\.md$/, "")}`).sort());
});

describe("links", () => {
  const from = `${DOCS}guides/files.md`;

  it.each([
    ["../concepts/score.md#see-why", "/concepts/score.md#see-why"],
    ["../../protocol/spec/03-operations.md", "/protocol/03-operations.md"],
    ["../../conformance/README.md", "/plugins/conformance.md"],
    ["../public/architecture.svg", "/architecture.svg"],
    ["https://nats.io", "https://nats.io"],
    ["#files", "#files"],
    ["../../agentic/src/index.ts", "https://example.org/src/agentic/src/index.ts"],
  ])("leads %s to %s", (link, target) => {
    expect(siteLink(link, from, "https://example.org/src")).toBe(target);
  });

  it("drops links to source files without an address for them", () => {
    expect(siteLink("../../agentic/src/index.ts", from, "")).toBeUndefined();
  });

  it("knows which files are pages", () => {
    expect(pageOf("docs/start/mcp.md")).toBe("start/mcp.md");
    expect(pageOf("agentic/README.md")).toBeUndefined();
  });

  it("makes the anchors that GitHub makes", () => {
    expect(slugOf("docs.jsonl")).toBe("docsjsonl");
    expect(slugOf("A2E's own `SDK`")).toBe("a2es-own-sdk");
  });
});
