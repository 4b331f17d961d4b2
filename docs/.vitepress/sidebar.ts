import type { DefaultTheme } from "vitepress";

type Page = readonly [text: string, path: string];

function section(text: string, pages: readonly Page[]): DefaultTheme.SidebarItem {
  return { text, collapsed: true, items: pages.map(([title, path]) => ({ text: title, link: `/${path}` })) };
}

/** Every page of the site, in reading order. A test compares the list with the files. */
export const SIDEBAR: DefaultTheme.SidebarItem[] = [
  {
    text: "membus",
    items: [
      { text: "Overview", link: "/index" },
      { text: "Why not mem0 or Postgres?", link: "/why" },
      { text: "Which class when", link: "/which-class" },
    ],
  },
  section("Start", [
    ["JavaScript", "start/javascript"],
    ["Python", "start/python"],
    ["MCP", "start/mcp"],
    ["Coding agents", "start/coding-agents"],
  ]),
  section("Concepts", [
    ["Tier", "concepts/tier"],
    ["Scope", "concepts/scope"],
    ["Key", "concepts/key"],
    ["Score", "concepts/score"],
    ["Forget", "concepts/forget"],
  ]),
  section("Guides", [
    ["Memory in three lines", "guides/memory"],
    ["An agent with memory", "guides/agent-with-memory"],
    ["Models and tools", "guides/models-and-tools"],
    ["History that fits the context", "guides/history-that-fits"],
    ["Forgetting a user", "guides/forgetting-a-user"],
    ["Shared team knowledge", "guides/shared-team-knowledge"],
    ["Learning from conversations", "guides/learning-from-conversations"],
    ["Costs and limits of models", "guides/costs"],
    ["Learning from tools", "guides/learning-from-tools"],
    ["Time travel", "guides/time-travel"],
    ["A knowledge graph", "guides/knowledge-graph"],
    ["Blocks in the prompt", "guides/blocks"],
    ["Files", "guides/files"],
    ["Progressive memory", "guides/progressive-memory"],
    ["Coming from another memory", "guides/coming-from"],
    ["Export and move memories", "guides/export"],
    ["Differences in behaviour", "guides/differences"],
  ]),
  section("Integrations", [
    ["Overview", "integrations/index"],
    ["LangGraph", "integrations/langgraph"],
    ["LangChain", "integrations/langchain"],
    ["OpenAI Agents", "integrations/openai-agents"],
    ["AI SDK", "integrations/ai-sdk"],
    ["Anthropic memory tool", "integrations/anthropic"],
    ["mem0 and AgentScope", "integrations/mem0-and-agentscope"],
    ["ReMe, Gaia and MARSYS", "integrations/reme-gaia-marsys"],
    ["Coding agents", "integrations/coding-agents"],
    ["MCP server", "integrations/mcp"],
    ["MCP over HTTP", "integrations/mcp-http"],
    ["Any OpenAI client", "integrations/openai-clients"],
    ["A2E", "integrations/a2e"],
    ["Shared memories", "integrations/shared-memories"],
  ]),
  section("Protocol", [
    ["1 Envelope", "protocol/01-envelope"],
    ["2 Subjects", "protocol/02-subjects"],
    ["3 Operations", "protocol/03-operations"],
    ["4 Errors", "protocol/04-errors"],
    ["5 Plugin", "protocol/05-plugin"],
    ["6 Conformance", "protocol/06-conformance"],
    ["7 Records", "protocol/07-records"],
    ["8 Profile basic", "protocol/08-basic"],
  ]),
  section("Plugins and conformance", [
    ["Write a plugin", "plugins/write-a-plugin"],
    ["Ranking and words", "plugins/ranking"],
    ["Languages", "plugins/languages"],
    ["Embedders and rerankers", "plugins/embedders"],
    ["Conformance", "plugins/conformance"],
    ["Traceability", "plugins/traceability"],
  ]),
  section("Operate", [
    ["Production", "operate/production"],
    ["Access and keys", "operate/access"],
    ["Gateway", "operate/gateway"],
    ["Inspector", "operate/inspector"],
    ["Monitoring", "operate/monitoring"],
    ["Limits and quotas", "operate/limits"],
    ["Backups", "operate/backups"],
    ["Erasure", "operate/erasure"],
    ["Upgrades", "operate/upgrades"],
    ["Disks and memory", "operate/disks-and-memory"],
  ]),
  section("Reference", [
    ["JavaScript client", "reference/javascript-client"],
    ["Python client", "reference/python-client"],
    ["Command line", "reference/cli"],
    ["Settings", "reference/settings"],
    ["Options", "reference/options"],
    ["Error codes", "reference/errors"],
    ["membus eval", "reference/eval"],
    ["API (TypeDoc)", "reference/api"],
  ]),
  section("Internals", [
    ["Architecture", "internals/architecture"],
    ["Decisions", "internals/decisions"],
    ["Benchmarks", "internals/benchmarks"],
    ["Contributing", "internals/contributing"],
    ["Changelog", "changelog"],
  ]),
];
