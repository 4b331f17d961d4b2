import type { DefaultTheme } from "vitepress";

/** Introduction for language models. */
const INTRODUCTION = `# membus

> A memory bus for AI agents. Agents publish typed messages (memory/store, memory/retrieve, memory/forget) on NATS, and a host routes
> them to one storage plugin per tier. Clients for JavaScript and Python, an HTTP gateway, MCP, and integrations of agent frameworks.
`;

/** Returns llms.txt: the pages of the site by section, with links from the root of the site. */
export function llmsText(sidebar: readonly DefaultTheme.SidebarItem[]): string {
  const sections = sidebar.map(({ text, items = [] }) => {
    const title = text === "membus" ? "Overview" : text;
    const pages = items.map((page) => `- [${page.text}](${addressOf(page.link!)})`);
    return [`## ${title}`, "", ...pages].join("\n");
  });
  return `${[INTRODUCTION, ...sections].join("\n\n").replaceAll("\n\n\n", "\n\n")}\n`;
}

/** A folder is its own page. Other pages have the ending of the built files. */
function addressOf(link: string): string {
  if (link.endsWith("/")) return link;
  return link.endsWith("/index") ? link.slice(0, -"index".length) : `${link}.html`;
}
