import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { launchNatsServer, type NatsServer } from "@membus/nats-server";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NATS_SERVERS } from "../../../bus/test/nats-server.js";
import { endChild, lineOf, spawnCli } from "../run-cli.js";
import { parseNatsRequest, ROOT } from "./readme.js";

const run = promisify(execFile);

describe.each([
  { name: "default settings", flags: [] },
  { name: "another prefix and tenant", flags: ["--prefix", "test", "--tenant", "acme"] },
])("the output of `membus up` with $name", ({ flags }) => {
  const directory = mkdtempSync(join(tmpdir(), "membus-banner-"));
  let server: NatsServer;
  let nats: NatsConnection;
  let stop: () => Promise<unknown>;
  let lines: string[];

  beforeAll(async () => {
    server = await launchNatsServer({ binary: NATS_SERVERS[0]! });
    const up = spawnCli(["up", "--data", join(directory, "data"), ...flags], {
      url: server.url,
      cwd: directory,
    });
    stop = () => endChild(up, "SIGTERM");
    let printed = "";
    up.stdout.on("data", (chunk) => {
      printed += chunk;
    });
    await lineOf(up, /Ctrl-C/);
    lines = printed.split("\n").map((line) => line.trim());
    nats = await connect({ servers: server.url });
  });
  afterAll(async () => {
    await nats?.close();
    await stop?.();
    await server?.kill();
    rmSync(directory, { recursive: true });
  });

  it("shows the address and the data folder", () => {
    expect(lines[0]).toBe(`membus is listening on ${server.url}`);
    expect(lines[1]).toBe(`data folder: ${join(directory, "data")}`);
  });

  it("shows a request that works as printed", async () => {
    const line = lines.find((candidate) => candidate.startsWith("nats req"))!;
    expect(line).toContain(`-s ${server.url} `);
    const { subject, payload } = parseNatsRequest(line);
    const reply = (await nats.request(subject, payload)).json();
    expect(reply).toMatchObject({ errors: [], stored: [{ name: "greeting" }] });
  });

  it("shows a client program that works as printed", async () => {
    const begin = lines.findIndex((line) => line.startsWith("import "));
    const code = lines.slice(begin, lines.indexOf("", begin)).join("\n");
    const module = `${code}\nconsole.log(await memory.recall("user_name"));\nawait memory.close();`;
    const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", module], { cwd: ROOT });
    expect(stdout).toBe("Alice\n");
  });
});
