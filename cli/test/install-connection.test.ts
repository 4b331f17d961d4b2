import { expect, it } from "vitest";
import { installMachine } from "./install-machine.js";

const ADDRESS = "nats://10.0.0.5:4222";

/** Files with hooks, or with a plugin that runs them. */
const HOOK_FILES: readonly (readonly [string, string])[] = [
  ["claude-code", "home/.claude/settings.json"],
  ["codex", "home/.codex/hooks.json"],
  ["opencode", "home/.config/opencode/opencode.json"],
  ["pi", "home/.pi/agent/extensions/membus.js"],
  ["openclaw", "home/.openclaw/openclaw.json"],
  ["hermes", "home/.hermes/plugins/membus/__init__.py"],
];

/** Returns the words of a file, with one space between them. */
const words = (text: string) => text.replaceAll(/[\s",[\]]+/g, " ");

it.each(HOOK_FILES)("writes the address of a host into the hooks of %s", async (agent, path) => {
  const machine = await installMachine();
  const { code } = await machine.membus("install", agent, "--yes", "--nats", ADDRESS, "--no-start");
  expect(code).toBe(0);
  expect(words(await machine.read(path))).toContain(
    `hook ${agent} --nats nats://10.0.0.5:4222 --agent coding-agent --no-start`,
  );
  await machine.membus("install", agent, "--yes", "--nats", "nats://10.0.0.6:4222");
  const changed = words(await machine.read(path));
  expect(changed).toContain(`hook ${agent} --nats nats://10.0.0.6:4222 --agent coding-agent`);
  expect(changed).not.toMatch(/10\.0\.0\.5|--no-start/);
});

it.each([
  ["claude-code", "home/.claude.json"],
  ["codex", "home/.codex/config.toml"],
  ["cursor", "home/.cursor/mcp.json"],
  ["vscode", "home/.config/Code/User/mcp.json"],
  ["gemini", "home/.gemini/settings.json"],
  ["opencode", "home/.config/opencode/opencode.json"],
  ["pi", "home/.pi/agent/mcp.json"],
])("writes the address of a host into the MCP server of %s", async (agent, path) => {
  const machine = await installMachine();
  await machine.install(agent, "user", { connection: ["--nats", ADDRESS] });
  expect(words(await machine.read(path))).toContain("mcp --nats nats://10.0.0.5:4222 ");
});
