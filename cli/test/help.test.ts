import { describe, expect, it } from "vitest";
import { createProgram } from "../src/program.js";

const COMMANDS = [
  "up",
  "gateway",
  "a2e",
  "nats",
  "remember",
  "recall",
  "store",
  "retrieve",
  "list",
  "forget",
  "watch",
  "import",
  "export",
  "chat",
  "learn",
  "install",
  "uninstall",
  "mcp",
  "hook",
  "outbox",
  "doctor",
  "stats",
  "agents",
  "cluster",
  "backup",
  "restore",
  "migrate",
  "verify",
  "reindex",
  "auth",
  "audit",
  "admin",
  "log",
  "create-plugin",
  "conformance",
  "eval",
];

/** Returns the standard output of `membus <args>`, which throws after printing help. */
async function printed(...args: string[]): Promise<string> {
  let text = "";
  const program = createProgram();
  for (const command of [program, ...program.commands]) {
    command.configureOutput({ writeOut: (part) => (text += part) });
  }
  await expect(program.parseAsync(["node", "membus", ...args])).rejects.toMatchObject({ exitCode: 0 });
  return text;
}

describe("help", () => {
  it("lists every command", () => {
    const visible = createProgram().createHelp().visibleCommands(createProgram());
    expect(visible.map((command) => command.name())).toEqual([...COMMANDS, "help"]);
  });

  it.each(COMMANDS)("of %s shows its description", async (name) => {
    const text = await printed(name, "--help");
    const description = createProgram()
      .commands.find((command) => command.name() === name)!
      .description();
    expect(description.length).toBeGreaterThan(20);
    expect(text).toContain(`Usage: membus ${name}`);
    expect(text.replace(/\s+/g, " ")).toContain(description);
  });

  it("groups the commands", async () => {
    const text = await printed("--help");
    const titles = ["Run a bus:", "Use memory:", "Operate a host:", "Develop and measure:"];
    expect(text.split("\n").filter((line) => titles.includes(line))).toEqual(titles);
  });

  it("shows the precedence of settings and the environment variables", async () => {
    const text = await printed("--help");
    expect(text).toContain("Precedence of settings: flags, environment variables, membus.yaml, defaults");
    expect(text).toMatch(/NATS_URL +nats\.url/);
    expect(text).toMatch(/MEMBUS_DATA +data/);
  });

  it("of up shows that --http has an optional address", async () => {
    expect(await printed("up", "--help")).toMatch(/--http \[address\] +also run the HTTP gateway/);
  });

  it("prints the version", async () => {
    expect(await printed("--version")).toBe("0.1.0\n");
  });
});
