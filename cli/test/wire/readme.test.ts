import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { connect } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RunningHost } from "../running-host.js";
import { exampleIn, parseNatsRequest, ROOT, shellBlocks } from "./readme.js";

const run = promisify(execFile);
const DEFAULT_URL = "nats://127.0.0.1:4222";
const START = "docs/start/javascript.md";

const host = new RunningHost();
beforeAll(() => host.start());
afterAll(() => host.stop());

/** Runs code as a module of a project with membus installed, and returns its output. */
async function runModule(code: string): Promise<string> {
  return (await run(process.execPath, ["--input-type=module", "--eval", code], { cwd: ROOT })).stdout;
}

/** Returns the arguments of a shell line. */
async function argumentsOf(line: string): Promise<string[]> {
  const { stdout } = await run("sh", ["-c", `printf '%s\\n' ${line}`]);
  return stdout.trimEnd().split("\n");
}

describe("the README", () => {
  it("begins with the two commands", () => {
    expect(shellBlocks().slice(0, 2)).toEqual(["npm ci && npm run demo", "npm ci && npm test"]);
  });

  it("starts a host with the built command", async () => {
    expect(shellBlocks()[2]).toBe("npm ci && npm run build\nnpx membus up");
    const { stdout } = await run("npx", ["--no-install", "membus", "up", "--help"], { cwd: ROOT });
    expect(stdout).toMatch(/^Usage: membus up /);
  });

  it("shows a client that prints the documented output", async () => {
    const code = exampleIn(START, "client");
    expect(code).toContain(DEFAULT_URL);
    const printed = "{ text: 'Earth orbits the Sun' } Alice\n";
    expect(await runModule(code.replace(DEFAULT_URL, host.url))).toBe(printed);
  });

  it("shows a request that works from any NATS client", async () => {
    const { subject, payload } = parseNatsRequest(exampleIn(START, "nats req"));
    const nats = await connect({ servers: host.url });
    const reply = (await nats.request(subject, payload)).json<Record<string, unknown>>();
    await nats.close();
    const { type, errors, stored } = reply;
    expect({ type, errors, stored }).toEqual({
      type: "memory/store/resp",
      errors: [],
      stored: [{ id: "fact1" }],
    });
  });

  it("shows commands that work in sequence", async () => {
    const printed: string[] = [];
    for (const line of exampleIn(START, "cli").split("\n")) {
      const [npx, membus, ...args] = await argumentsOf(line);
      expect([npx, membus]).toEqual(["npx", "membus"]);
      const { code, stdout, stderr } = await host.cli(args);
      expect(code, `${line}: ${stderr}`).toBe(0);
      printed.push(stdout);
    }
    const [remembered, recalled, found, explained, forgotten, doctor] = printed;
    expect(remembered).toMatch(/^(created|updated), revision \d+\n$/);
    expect(recalled).toBe("Alice\n");
    expect(found).toMatch(/Earth orbits the Sun.*\n1 of 1\n$/);
    expect(explained).toMatch(/Earth orbits the Sun.*\n +0\.\d+ = relevance/);
    expect(forgotten).toMatch(/^forgot 1 \({"episodic":1}\)\nto be erased from disk by 2.*Z\n/);
    expect(doctor).not.toContain("FAIL");
  });
});

it("membus lists the other commands named in the README", async () => {
  const { stdout } = await host.cli(["--help"]);
  for (const name of ["store", "import", "export", "watch"])
    expect(stdout).toMatch(new RegExp(`^ +${name} `, "m"));
});
