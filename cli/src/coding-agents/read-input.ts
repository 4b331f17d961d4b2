import { systemClock, withTimeout } from "@membus/protocol";

const BYTES_MAX = 32 * 1024 * 1024;
const WAIT_MS = 5_000;

/**
 * Reads standard input as JSON.
 * @throws {TypeError} for another text, more than 32 MiB, or an input without an end.
 */
export async function readInput(input: NodeJS.ReadableStream): Promise<unknown> {
  const text = await withTimeout(systemClock, WAIT_MS, collect(input));
  if (text === undefined) throw new TypeError("the payload on standard input did not end within 5 seconds");
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new TypeError(`the payload on standard input is not JSON: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

async function collect(input: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of input) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes > BYTES_MAX) throw new TypeError("the payload on standard input has more than 32 MiB");
    chunks.push(part);
  }
  return Buffer.concat(chunks).toString("utf8");
}
