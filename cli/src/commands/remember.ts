import type { Json, MemoryTier } from "@membus/protocol";
import type { Command } from "commander";
import { definedOnly } from "../flags/defined-only.js";
import { jsonOrText, numberFlag } from "../flags/json-argument.js";
import { openSession, withClient } from "../session.js";

interface RememberFlags {
  readonly tier?: MemoryTier;
  readonly tag?: string[];
  readonly ttl?: string;
  readonly score?: string;
}

export function registerRemember(program: Command): void {
  program
    .command("remember")
    .description("store a value under a key")
    .argument("<key>", "key")
    .argument("<value>", "value: JSON or text")
    .option("--tier <tier>", "working, episodic or semantic (default episodic, or working with --session)")
    .option("--tag <tag...>", "tags")
    .option("--ttl <seconds>", "time to live in seconds")
    .option("--score <importance>", "importance, 0..1")
    .action(async (key: string, value: string, flags: RememberFlags, command: Command) => {
      const { config, output } = await openSession(command);
      const options = definedOnly({
        tier: flags.tier ?? (config.session === "" ? "episodic" : "working"),
        tags: flags.tag,
        ttl: flags.ttl === undefined ? undefined : numberFlag("--ttl", flags.ttl),
        score: flags.score === undefined ? undefined : numberFlag("--score", flags.score, [0, 1]),
      });
      const content = jsonOrText(value) as Json;
      const receipt = await withClient(config, (client) => client.remember(key, content, options));
      output.result(receipt, () => `${receipt.outcome}, revision ${receipt.revision}`);
    });
}

export function registerRecall(program: Command): void {
  program
    .command("recall")
    .description("print the value stored under a key: from working, then episodic, then semantic memory")
    .argument("<key>", "key")
    .action(async (key: string, _flags: object, command: Command) => {
      const { config, output } = await openSession(command);
      const absent = Symbol("absent");
      const value = await withClient(config, (client) => client.recall<Json | typeof absent>(key, absent));
      if (value === absent) {
        output.note(`no value is stored under ${key}`);
        process.exitCode = 1;
      } else output.result(value, () => (typeof value === "string" ? value : JSON.stringify(value)));
    });
}
