import { describe, expect, it } from "vitest";
import { createProgram } from "../src/program.js";

const COMMANDS = [
  "up",
  "store",
  "retrieve",
  "list",
  "forget",
  "remember",
  "recall",
  "import",
  "export",
  "watch",
  "learn",
  "chat",
  "gateway",
  "a2e",
  "reindex",
  "doctor",
  "eval",
  "backup",
  "restore",
  "verify",
  "log",
  "auth",
  "audit",
  "admin",
  "nats",
  "create-plugin",
  "conformance",
];

/** What `membus <args>` prints to standard output before it throws. */
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

  it.each(COMMANDS)("of %s says what it does", async (name) => {
    const text = await printed(name, "--help");
    const description = createProgram()
      .commands.find((command) => command.name() === name)!
      .description();
    expect(description.length).toBeGreaterThan(20);
    expect(text).toContain(`Usage: membus ${name}`);
    expect(text.replace(/\s+/g, " ")).toContain(description);
  });

  it("tells which setting comes first, and names the variables", async () => {
    const text = await printed("--help");
    expect(text).toContain(
      "from flags, then from the environment, then from membus.yaml, then from defaults",
    );
    expect(text).toMatch(/NATS_URL +nats\.url/);
    expect(text).toMatch(/MEMBUS_DATA +data/);
  });

  it("of up tells that it takes HTTP, with or without an address", async () => {
    expect(await printed("up", "--help")).toMatch(/--http \[address\] +open the bus to HTTP/);
  });

  it("prints the version", async () => {
    expect(await printed("--version")).toBe("0.1.0\n");
  });
});
