import type { MemoryKey } from "@membus/protocol";
import type { Command } from "commander";
import { definedOnly } from "../flags/defined-only.js";
import { jsonOrText } from "../flags/json-argument.js";
import { openSession } from "../session.js";

export function registerAudit(program: Command): void {
  const audit = program
    .command("audit")
    .description("look up values in the log lines written by `membus up --audit`");
  audit
    .command("hash <key>")
    .description("print the hash that stands for a key (text, or a JSON key)")
    .option(
      "--data <folder>",
      "data folder of the host, which contains the hash secret (default: audit_key, else ./.membus)",
    )
    .action(async (key: string, { data }: { data?: string }, command: Command) => {
      const { config, output } = await openSession(command, definedOnly({ data }));
      const { auditHash } = await import("@membus/host");
      const { keyHash } = await import("@membus/protocol");
      const { auditKeyFile, auditSecretPath, readAuditSecret } = await import("../audit/audit-secret.js");
      const file = data === undefined ? auditKeyFile(config) : auditSecretPath(data);
      const hash = auditHash(keyHash(keyOf(key)), await readAuditSecret(file));
      output.result({ hash }, () => hash);
    });
}

function keyOf(text: string): MemoryKey | string {
  const value = jsonOrText(text);
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as MemoryKey) : text;
}
