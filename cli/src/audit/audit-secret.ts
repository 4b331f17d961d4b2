import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { HostDependencies } from "@membus/host";
import type { Config } from "../config/config-schema.js";
import { createLogger } from "../logger.js";

const BYTES = 32;

/** Returns the path of the secret of a data folder. */
export function auditSecretPath(data: string): string {
  return join(data, "audit.key");
}

/** Returns the path of the secret that keys in the audit log are hashed with. */
export function auditKeyFile({ audit_key: file, data }: Pick<Config, "audit_key" | "data">): string {
  return file ?? auditSecretPath(data);
}

/** Returns the audit of a host, with the secret that `readSecret` reads. Nothing if the settings have none. Errors as there. */
export async function composeAudit(
  config: Config,
  readSecret: (file: string) => Promise<Uint8Array>,
): Promise<Pick<HostDependencies, "audit" | "auditSecret">> {
  if (!config.audit) return {};
  return { audit: createLogger("info"), auditSecret: await readSecret(auditKeyFile(config)) };
}

/** Returns the audit secret of a file. Creates it if it is absent, readable only by its owner. */
export async function ensureAuditSecret(file: string): Promise<Uint8Array> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  try {
    await writeFile(file, `${randomBytes(BYTES).toString("hex")}\n`, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return readAuditSecret(file);
}

/** @throws {TypeError} if the secret is absent or invalid. */
export async function readAuditSecret(file: string): Promise<Uint8Array> {
  const text = await readFile(file, "utf8").catch((error: Error) => {
    throw new TypeError(
      `cannot read the audit secret ${file} (created by \`membus up --audit\`, for a cluster by \`openssl rand -hex 32\`): ${error.message}`,
    );
  });
  const secret = Buffer.from(text.trim(), "hex");
  if (secret.length !== BYTES)
    throw new TypeError(`${file} is not an audit secret: it must have ${2 * BYTES} hex digits`);
  return secret;
}
