import type { Clock } from "@membus/protocol";

const TIMEOUT_MS = 5_000;
/** Metadata, key sets and the state of a server have some kilobytes. */
const BYTES_MAX = 256 * 1024;

/**
 * Returns the JSON at `url`. Redirects are refused.
 * @throws {Error} for another status than 200, an invalid or long body, and after 5 seconds.
 */
export async function fetchJson(url: string, clock: Clock): Promise<unknown> {
  const controller = new AbortController();
  const stop = () => controller.abort(new Error(`no answer within ${TIMEOUT_MS} ms`));
  const cancel = clock.after(TIMEOUT_MS, stop, { background: true });
  try {
    const headers = { accept: "application/json, application/jwk-set+json" };
    const response = await fetch(url, { headers, redirect: "manual", signal: controller.signal });
    if (response.status !== 200) throw new Error(`status ${response.status}`);
    return JSON.parse(await textOf(response)) as unknown;
  } catch (cause) {
    throw new Error(`cannot read ${url}: ${reasonOf(cause)}`, { cause });
  } finally {
    cancel();
  }
}

/** The message of a failed `fetch` is in its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > BYTES_MAX) throw new Error(`more than ${BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
