import { AnswerText } from "./answer-text.js";
import type { Call } from "./call.js";
import { EventReader } from "./event-reader.js";
import type { MemoryTools } from "./memory-tools.js";
import {
  ANSWER_BYTES_MAX,
  type AnswerRound,
  type Continuation,
  type ModelApi,
  objectOf,
} from "./model-api.js";
import { begin, isEventStream, type MemoryState, passOn, piecesOf } from "./pass-on.js";

/** Answers of the model for one request. Memory tools are not offered for the last one. */
const ROUND_COUNT_MAX = 8;

export interface ToolRounds {
  readonly api: ModelApi;
  readonly call: Call;
  readonly memory: MemoryState;
  readonly tools: MemoryTools;
  /** Characters of the text that is kept. */
  readonly answerLengthMax: number;
  readonly eventBytesMax: number;
  ask(body: Buffer): Promise<Response>;
  /** Returns "unavailable" if the turn is not recorded in time. */
  record(answer: AnswerText): Promise<MemoryState>;
  keep(continuation: Continuation): void;
}

/** Passes answers on, and runs the calls of memory tools while an answer has no other calls. */
export async function passRounds(first: Buffer, rounds: ToolRounds): Promise<void> {
  const { api, call, tools, memory } = rounds;
  const beginRound = api.rounds();
  let body = first;
  for (let count = 1; ; count++) {
    const isLast = count === ROUND_COUNT_MAX;
    const answer = await rounds.ask(isLast ? body : api.withTools(body, tools.offered));
    if (!answer.ok && !call.hasBegun) return passOn(answer, call, memory);
    // Calls of tools that were not offered are not run.
    const round = beginRound((name) => !isLast && tools.has(name));
    const text = await passRound(answer, round, rounds);
    if (text === undefined) return;
    body = round.answeredIn(body, text, await tools.run(round.own, call.signal));
    call.madeProgress();
  }
}

/** @returns the text of an answer with calls that are run here, undefined if the answer was passed on. */
function passRound(answer: Response, round: AnswerRound, rounds: ToolRounds): Promise<string | undefined> {
  if (answer.ok && isEventStream(answer)) return passStream(answer, round, rounds);
  return rounds.call.hasBegun ? passError(answer, round, rounds) : passWhole(answer, round, rounds);
}

async function passWhole(
  answer: Response,
  round: AnswerRound,
  rounds: ToolRounds,
): Promise<string | undefined> {
  const { api, call, answerLengthMax } = rounds;
  const bytes = await wholeOf(answer, call);
  const json = bytes.toString("utf8");
  const answerText = new AnswerText(api, answerLengthMax);
  const left = round.takeWhole(json);
  answerText.add(json);
  if (round.isOurs) return answerText.text;
  begin(answer, call, await settleRound(round, answerText, rounds));
  call.endBody(left === json ? bytes : Buffer.from(left));
  return undefined;
}

async function passStream(
  answer: Response,
  round: AnswerRound,
  rounds: ToolRounds,
): Promise<string | undefined> {
  const { api, call, memory, answerLengthMax, eventBytesMax } = rounds;
  const answerText = new AnswerText(api, answerLengthMax);
  const reader = new EventReader(eventBytesMax);
  let settled: Promise<MemoryState> | undefined;
  const settle = () => (settled ??= settleRound(round, answerText, rounds));
  if (!call.hasBegun) begin(answer, call, memory);
  for await (const piece of piecesOf(answer, call)) {
    for (const event of reader.read(piece)) {
      const left = round.takeEvent(event);
      answerText.add(event.data);
      if (answerText.isFinished && !round.isOurs) await settle();
      for (const bytes of left) await call.write(bytes);
    }
    if (reader.isTooLong) throw new RangeError(`an event is longer than ${eventBytesMax} bytes`);
  }
  if (round.isOurs) return answerText.text;
  await settle();
  for (const bytes of round.takeRest()) await call.write(bytes);
  call.endBody(reader.rest);
  return undefined;
}

/** Records the turn before the answer ends, so that a client that has read it finds the memories. */
async function settleRound(
  round: AnswerRound,
  answerText: AnswerText,
  rounds: ToolRounds,
): Promise<MemoryState> {
  const results = await rounds.tools.run(round.own, rounds.call.signal);
  const continuation = round.continuation(results);
  if (continuation !== undefined) rounds.keep(continuation);
  return answerText.isFinished ? rounds.record(answerText) : rounds.memory;
}

/** Sends an error as an event of the stream that has begun. */
async function passError(answer: Response, round: AnswerRound, { call }: ToolRounds): Promise<undefined> {
  const { error } = objectOf((await wholeOf(answer, call)).toString("utf8")) ?? {};
  const unknown = { message: `the model server answered ${answer.status}`, code: "upstream_error" };
  await call.write(round.errorEvent(error ?? unknown));
  call.endBody();
}

async function wholeOf(answer: Response, call: Call): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of piecesOf(answer, call)) {
    pieces.push(piece);
    size += piece.length;
    if (size > ANSWER_BYTES_MAX) throw new RangeError(`the answer is longer than ${ANSWER_BYTES_MAX} bytes`);
  }
  return Buffer.concat(pieces);
}
