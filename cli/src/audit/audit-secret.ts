import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const BYTES = 32;

/** Returns the path of the secret that keys in the audit log are hashed with. */
export function auditSecretPath(data: string): string {
  return join(data, "audit.key");
}

/** Returns the audit secret of a data folder. Creates it if it is absent, readable only by its owner. */
export async function ensureAuditSecret(data: string): Promise<Uint8Array> {
  await mkdir(data, { recursive: true, mode: 0o700 });
  const path = auditSecretPath(data);
  try {
    await writeFile(path, `${randomBytes(BYTES).toString("hex")}\n`, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return readAuditSecret(data);
}

/** @throws {TypeError} if the secret is absent or invalid. */
export async function readAuditSecret(data: string): Promise<Uint8Array> {
  const path = auditSecretPath(data);
  const text = await readFile(path, "utf8").catch((error: Error) => {
    throw new TypeError(
      `cannot read the audit secret ${path} (created by \`membus up --audit\`): ${error.message}`,
    );
  });
  const secret = Buffer.from(text.trim(), "hex");
  if (secret.length !== BYTES)
    throw new TypeError(`${path} is not an audit secret written by \`membus up --audit\``);
  return secret;
}
