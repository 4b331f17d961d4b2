import { Command } from "commander";
import { expect, it } from "vitest";
import { rerunCommand, withoutCredentials } from "../src/cli/rerun-command.js";
import { addRunOptions } from "../src/cli/run-options.js";

/** Returns the command that a report shows after these arguments. */
function rerunAfter(...args: string[]): string {
  const program = new Command("membus-conformance");
  let shown = "";
  addRunOptions(program.command("host").argument("[implementation]"))
    .option("--nats <url>")
    .option("--password <text>")
    .option("--tenants <a,b>", "", (text) => text.split(","))
    .option("--restart-command <command>")
    .option("--through-host")
    .action((...given) => {
      shown = rerunCommand(given.at(-1) as Command)("store/created-then-updated", 12);
    });
  program.parse(["host", ...args], { from: "user" });
  return shown;
}

const REST = "--only store/created-then-updated --seed 12";

it("repeats the options of the implementation, without report and selection options", () => {
  const report = ["--json", "r.json", "--html", "-", "--strict", "--baseline", "b.yaml"];
  const chosen = ["--only", "forget", "--seed", "3", "--repeat", "5"];
  expect(rerunAfter("./p.js", ...report, ...chosen, "--check-timeout-ms", "900")).toBe(
    `npx membus-conformance host ./p.js --check-timeout-ms 900 ${REST}`,
  );
});

it("keeps lists and flags, and quotes shell characters", () => {
  const restart = "kill -9 $(cat 'a b'); ./start &";
  expect(rerunAfter("--tenants", "a,b", "--through-host", "--restart-command", restart)).toBe(
    `npx membus-conformance host --tenants a,b --restart-command 'kill -9 $(cat '\\''a b'\\''); ./start &' --through-host ${REST}`,
  );
});

it("shows no secret", () => {
  expect(rerunAfter("--nats", "nats://me:hush@127.0.0.1:4222", "--password", "hush")).toBe(
    `npx membus-conformance host --nats 'nats://***@127.0.0.1:4222' --password '***' ${REST}`,
  );
  expect(withoutCredentials("token@127.0.0.1:4222")).toBe("***@127.0.0.1:4222");
  expect(withoutCredentials("nats://127.0.0.1:4222")).toBe("nats://127.0.0.1:4222");
});
