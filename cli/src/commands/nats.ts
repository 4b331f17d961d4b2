import { INSTALL_METHODS, type InstallMethod } from "@membus/nats-server";
import type { Command } from "commander";
import { definedOnly } from "../flags/defined-only.js";
import { openSession } from "../session.js";

export function registerNats(program: Command): void {
  const nats = program.command("nats").description("manage the nats-server that membus runs");
  nats
    .command("install")
    .description("install a nats-server without root: the pinned release, go install, or the Debian package")
    .option("--method <method>", `use only this method: ${INSTALL_METHODS.join(", ")}`)
    .option("--force", "install even if a nats-server is found")
    .action(async (flags: { method?: InstallMethod; force?: boolean }, command: Command) => {
      const { output } = await openSession(command);
      const { ensureNatsServer, installNatsServer } = await import("@membus/nats-server");
      const options = { env: process.env, onStep: output.note, ...definedOnly({ method: flags.method }) };
      const install =
        flags.force === true || flags.method !== undefined ? installNatsServer : ensureNatsServer;
      const binary = await install(options);
      output.result(binary, () => `${binary.path} (${binary.version})`);
    });
}
