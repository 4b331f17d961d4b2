import { isJsonObject } from "@membus/protocol";
import { objectOf } from "./model-api.js";
import { withoutOldTurns } from "./old-turns.js";

/** Requests for one answer, each with fewer messages. */
const ATTEMPTS_MAX = 4;

/** Bytes of an error that are read. A longer one is passed on. */
const ERROR_BYTES_MAX = 64 * 1024;

/** Fraction of the context that the messages of a shortened request take, and of the text without known sizes. */
const CONTEXT_SHARE = 0.7;
const TEXT_SHARE = 0.5;

const DROPPED_HEADER = "x-membus-dropped-messages";

/**
 * Sends a request. If the model rejects it as too long for its context, sends it again without its oldest turns.
 * The header `X-Membus-Dropped-Messages` of the answer has the number of messages that were left out. If no
 * shorter request is accepted, returns the first rejection.
 *
 * @param list name of the field with the messages.
 */
export async function askInContext(
  body: Buffer,
  list: string,
  ask: (body: Buffer) => Promise<Response>,
): Promise<Response> {
  const first = await examine(await ask(body));
  let last = first;
  let [current, dropped] = [body, 0];
  for (let attempts = 1; attempts < ATTEMPTS_MAX && last.share !== undefined; attempts++) {
    const shorter = withoutOldTurns(current, list, last.share);
    if (shorter === undefined) break;
    current = shorter.body;
    dropped += shorter.dropped;
    last = await examine(await ask(current));
  }
  const { answer, share } = last.share === undefined ? last : first;
  if (!answer.ok || dropped === 0 || share !== undefined) return answer;
  const headers = new Headers(answer.headers);
  headers.set(DROPPED_HEADER, String(dropped));
  return new Response(answer.body, { status: answer.status, headers });
}

interface Examined {
  readonly answer: Response;
  /** Fraction of the messages that fits. undefined: the messages are not too long. */
  readonly share: number | undefined;
}

/** Reads the body of a short error. The returned answer still has it. */
async function examine(answer: Response): Promise<Examined> {
  if (answer.ok || answer.body === null) return { answer, share: undefined };
  const reader = answer.body.getReader();
  const pieces: Uint8Array[] = [];
  let size = 0;
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    pieces.push(piece.value);
    size += piece.value.length;
    if (size > ERROR_BYTES_MAX)
      return { answer: withBody(answer, resumed(pieces, reader)), share: undefined };
  }
  const bytes = Buffer.concat(pieces);
  return {
    answer: withBody(answer, bytes),
    share: await shareThatFits(answer.status, bytes.toString("utf8")),
  };
}

function withBody(
  { status, statusText, headers }: Response,
  body: ConstructorParameters<typeof Response>[0],
): Response {
  return new Response(body, { status, statusText, headers });
}

/** A stream of the pieces that were read, then of the others. */
function resumed(
  pieces: Uint8Array[],
  reader: ReadableStreamDefaultReader<Uint8Array>,
): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const piece = pieces.shift() ?? (await reader.read()).value;
      if (piece === undefined) controller.close();
      else controller.enqueue(piece);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

async function shareThatFits(status: number, text: string): Promise<number | undefined> {
  const error = objectOf(text)?.error;
  const { contextErrorOf } = await import("@membus/agentic/model");
  const context = isJsonObject(error) ? contextErrorOf(status, error) : undefined;
  if (context === undefined) return undefined;
  const { contextTokens, requestTokens } = context;
  if (contextTokens === undefined || requestTokens === undefined) return TEXT_SHARE;
  return Math.min(CONTEXT_SHARE, (CONTEXT_SHARE * contextTokens) / requestTokens);
}
