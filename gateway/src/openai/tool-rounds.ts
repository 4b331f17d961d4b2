import { AnswerCalls } from "./answer-calls.js";
import { AnswerText } from "./answer-text.js";
import type { Call } from "./call.js";
import { EventBlocks } from "./event-blocks.js";
import type { MemoryTools, ToolCall } from "./memory-tools.js";
import { begin, isEventStream, type MemoryState, passOn, piecesOf } from "./pass-on.js";

/** Answers that are asked of the model for one request; for the last, memory's tools are not offered. */
const ROUND_COUNT_MAX = 8;

export interface ToolRounds {
  readonly call: Call;
  readonly memory: MemoryState;
  readonly tools: MemoryTools;
  readonly answerBytesMax: number;
  ask(body: Buffer): Promise<Response>;
  record(answer: string): Promise<void>;
}

/** Of an answer that has to be read before it is known whose it is. */
const WHOLE_BYTES_MAX = 16 * 1024 * 1024;

interface Said {
  readonly text: string;
  readonly calls: readonly ToolCall[];
}

/** Passes on what the model says, and answers its calls of memory's tools, as long as it calls these alone. */
export async function passRounds(first: Buffer, rounds: ToolRounds): Promise<void> {
  const { call, tools, memory } = rounds;
  let body = first;
  for (let round = 1; ; round++) {
    const answer = await rounds.ask(round < ROUND_COUNT_MAX ? tools.offeredIn(body) : body);
    if (!answer.ok && !call.response.headersSent) return passOn(answer, call, memory);
    const said = await passRound(answer, rounds);
    if (said === undefined) return;
    body = await tools.answeredIn(body, said, call.signal);
    call.moves();
  }
}

function passRound(answer: Response, rounds: ToolRounds): Promise<Said | undefined> {
  if (answer.ok && isEventStream(answer)) return passStream(answer, rounds);
  return rounds.call.response.headersSent ? passError(answer, rounds) : passWhole(answer, rounds);
}

/** @returns what is to be answered here; undefined where the answer was passed on. */
async function passWhole(answer: Response, rounds: ToolRounds): Promise<Said | undefined> {
  const { call, memory, tools, answerBytesMax, record } = rounds;
  const bytes = await wholeOf(answer, call);
  const json = bytes.toString("utf8");
  const [calls, heard] = [new AnswerCalls(tools), new AnswerText(answerBytesMax)];
  const left = calls.take(json);
  heard.add(json);
  if (isOurs(calls)) return { text: heard.text, calls: calls.own };
  await tools.run(calls.own, call.signal);
  if (heard.isFinished) await record(heard.text);
  begin(answer, call, memory);
  call.response.end(left === json ? bytes : left);
  return undefined;
}

async function passStream(answer: Response, rounds: ToolRounds): Promise<Said | undefined> {
  const { call, memory, tools, answerBytesMax, record } = rounds;
  const [calls, heard] = [new AnswerCalls(tools), new AnswerText(answerBytesMax)];
  const blocks = new EventBlocks(answerBytesMax);
  if (!call.response.headersSent) begin(answer, call, memory);
  for await (const piece of piecesOf(answer, call)) {
    for (const { bytes, data } of blocks.add(piece)) {
      const left = calls.take(data);
      heard.add(data);
      // Its end is not that of the answer.
      if (heard.isFinished && isOurs(calls)) continue;
      if (data === "[DONE]" && heard.isFinished) await record(heard.text);
      await call.write(left === data ? bytes : Buffer.from(`data: ${left}\n\n`));
    }
    if (blocks.isLost) throw new RangeError(`an event is longer than ${answerBytesMax} bytes`);
  }
  if (heard.isFinished && isOurs(calls)) return { text: heard.text, calls: calls.own };
  await tools.run(calls.own, call.signal);
  if (heard.isFinished) await record(heard.text);
  call.response.end(blocks.rest);
  return undefined;
}

/** One that comes when the stream has begun is an event of it. */
async function passError(answer: Response, { call }: ToolRounds): Promise<undefined> {
  const text = (await wholeOf(answer, call)).toString("utf8");
  const error = { message: `the model server answered ${answer.status}`, code: "upstream_error" };
  await call.write(Buffer.from(`data: ${oneLine(text) ?? JSON.stringify({ error })}\n\n`));
  call.response.end();
}

function isOurs(calls: AnswerCalls): boolean {
  return calls.own.length > 0 && !calls.hasOthers;
}

async function wholeOf(answer: Response, call: Call): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of piecesOf(answer, call)) {
    pieces.push(piece);
    size += piece.length;
    if (size > WHOLE_BYTES_MAX) throw new RangeError(`the answer is longer than ${WHOLE_BYTES_MAX} bytes`);
  }
  return Buffer.concat(pieces);
}

function oneLine(json: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(json));
  } catch {
    return undefined;
  }
}
