import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig, type MarkdownOptions } from "vitepress";
import { FURTHER_PAGES, REPOSITORY, siteLink, slugOf } from "./links.js";
import { SIDEBAR } from "./sidebar.js";

/** Address of the repository's files on the web, without a trailing slash. If empty, links to source files are plain text. */
const SOURCE_URL = process.env.MEMBUS_SOURCE_URL ?? "";

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

type MarkdownIt = Parameters<NonNullable<MarkdownOptions["config"]>>[0];

/** Rewrites the relative links of the repository, which work on GitHub, to links of the site. */
function rewriteLinks(markdown: MarkdownIt): void {
  markdown.core.ruler.push("repository-links", ({ tokens, env }) => {
    const from = (env.realPath ?? env.path) as string;
    for (const { children } of tokens) {
      const closes: boolean[] = [];
      for (const token of children ?? []) {
        if (token.type === "image") {
          // Other images are bundled from their relative path.
          const target = siteLink(token.attrGet("src") ?? "", from, "");
          if (target !== undefined) token.attrSet("src", target);
        } else if (token.type === "link_open") {
          const target = siteLink(token.attrGet("href") ?? "", from, SOURCE_URL);
          closes.push(target === undefined);
          if (target !== undefined) token.attrSet("href", target);
          else Object.assign(token, { type: "text", content: "", tag: "" });
        } else if (token.type === "link_close" && closes.pop() === true) {
          Object.assign(token, { type: "text", content: "", tag: "" });
        }
      }
    }
  });
}

export default defineConfig({
  title: "membus",
  description: "A memory bus for AI agents on NATS",
  lang: "en",
  srcDir: relative(path(".."), REPOSITORY),
  // Only the pages of the site. Everything else of the repository is reached by links.
  srcExclude: [
    "{agent-client,agentic,bus,cli,deploy,examples,gateway,host,integrations,plugins,python}/**",
    "{README,STYLE}.md",
    "protocol/{README.md,vectors/**,schemas/**}",
    "conformance/mutants/**",
    "tools/{nats-server,tidy}/**",
    "tools/bench/{README.md,embedding-server/**,peers/**}",
  ],
  rewrites: { "docs/:page*": ":page*", "protocol/spec/:page": "protocol/:page", ...FURTHER_PAGES },
  outDir: path("dist"),
  cacheDir: `${REPOSITORY}node_modules/.cache/vitepress`,
  cleanUrls: false,
  lastUpdated: false,
  // TypeDoc writes these pages after VitePress has built the others.
  ignoreDeadLinks: [/^\/api\//],
  markdown: { anchor: { slugify: slugOf }, config: rewriteLinks },
  vite: { publicDir: path("../public"), server: { host: "127.0.0.1" } },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Start", link: "/start/javascript" },
      { text: "Guides", link: "/guides/agent-with-memory" },
      { text: "Integrations", link: "/integrations/index" },
      { text: "Operate", link: "/operate/production" },
      { text: "Reference", link: "/reference/cli" },
    ],
    sidebar: SIDEBAR,
  },
});
