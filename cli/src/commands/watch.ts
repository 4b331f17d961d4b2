import type { MemoryTier } from "@membus/protocol";
import type { Command } from "commander";
import { definedOnly } from "../flags/defined-only.js";
import { openSession, withClient } from "../session.js";
import { untilSignalled } from "../until-signalled.js";

export function registerWatch(program: Command): void {
  program
    .command("watch")
    .description("print a line for every entry that is stored, forgotten, expired or evicted")
    .option(
      "--tier <tier>",
      "tier to watch: semantic shows all agents of the tenant, other tiers only this agent",
    )
    .action(async (flags: { tier?: MemoryTier }, command: Command) => {
      const { config, output } = await openSession(command);
      await withClient(config, async (client) => {
        const watch = await client.watch(definedOnly(flags), (event) => {
          const { action, tier, namespace, key, author } = event;
          output.result(
            event,
            () => `${action}  ${tier}  ${namespace}  ${JSON.stringify(key)}  author ${author}`,
          );
        });
        output.note("watching (press Ctrl-C to stop)");
        await untilSignalled();
        await watch.stop();
      });
    });
}
