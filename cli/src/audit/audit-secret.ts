import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const BYTES = 32;

/** The file of the secret that keys are hashed with; without it the hashes of an audit say nothing. */
export function auditSecretPath(data: string): string {
  return join(data, "audit.key");
}

/** The secret of a data folder, made where there is none yet: its owner alone may read it. */
export async function ownAuditSecret(data: string): Promise<Uint8Array> {
  await mkdir(data, { recursive: true, mode: 0o700 });
  const path = auditSecretPath(data);
  try {
    await writeFile(path, `${randomBytes(BYTES).toString("hex")}\n`, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return readAuditSecret(data);
}

/** @throws {TypeError} where there is none. */
export async function readAuditSecret(data: string): Promise<Uint8Array> {
  const path = auditSecretPath(data);
  const text = await readFile(path, "utf8").catch((error: Error) => {
    throw new TypeError(`${path} cannot be read, which \`membus up --audit\` makes: ${error.message}`);
  });
  const secret = Buffer.from(text.trim(), "hex");
  if (secret.length !== BYTES) throw new TypeError(`${path} is not what \`membus up --audit\` writes`);
  return secret;
}
