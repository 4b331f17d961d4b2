import { parseOptions } from "@membus/protocol";
import { z } from "zod";
import type { ChatMessage, ChatModel, ModelReply, ModelRequest } from "../chat-model.js";
import type { CostMeter } from "../cost.js";
import { ModelError } from "../model-error.js";
import { answerInstruction } from "./answer-form.js";
import { findJson } from "./json-in-text.js";
import { jsonSchemaOf } from "./json-schema.js";
import { loadPrompt } from "./load-prompt.js";
import { outputLimit } from "./output-limit.js";
import {
  completeWithRetries,
  type ResolvedRetryOptions,
  type RetryOptions,
  RetryOptionsSchema,
} from "./retry.js";

/** Maximum number of characters of an invalid answer, and of its problem, that the model gets back. */
const ANSWER_LENGTH_MAX = 20_000;
const PROBLEM_LENGTH_MAX = 2_000;

/** The request of `generateObject`. `maxOutputTokens` can only lower the limit that the schema gives. */
export interface ObjectRequest<Schema extends z.ZodType>
  extends RetryOptions,
    Pick<ModelRequest, "maxOutputTokens" | "temperature" | "signal"> {
  readonly messages: readonly ChatMessage[];
  /**
   * Schema of the answer: an object, preferably without optional fields, because some providers cannot
   * enforce a schema with optional fields. Every list, text and number in it needs a maximum, from which the
   * output limit is derived.
   */
  readonly schema: Schema;
  /** Example of an answer for the prompt. Absent: derived from the schema, such as `{"facts":["text"]}`. */
  readonly example?: z.input<Schema> | undefined;
  /**
   * A question and its answer, which the model sees as an earlier turn. Small models imitate it better than
   * rules. The form of the answer is then in the first message, which must be a system message.
   */
  readonly demonstration?: { readonly question: string; readonly answer: z.input<Schema> } | undefined;
  /** Name of the answer, for the model: 1..64 letters, digits, `_` and `-`. */
  readonly name: string;
}

/**
 * Asks a model for an answer that matches `schema`, and returns it as zod parses it. JSON inside a code fence
 * or between other text is found. An invalid answer is requested once more, with its problem.
 *
 * The prompt ends with the form of the answer and an example. The output limit is derived from the schema, at
 * most 8,192 tokens.
 *
 * The meter counts every attempt, also when this throws.
 * @throws {ModelError} "invalid_output" if the second answer is invalid too, "refused" if the model refuses.
 * Other codes as `model.complete`, after the retries that the request allows. The signal's reason if aborted.
 * @throws {TypeError} for an unknown option, a value out of range, an invalid name, or a schema without bounds.
 */
export async function generateObject<Schema extends z.ZodType>(
  model: ChatModel,
  question: ObjectRequest<Schema>,
  meter: CostMeter,
): Promise<z.output<Schema>> {
  const {
    messages: given,
    schema,
    example,
    demonstration,
    name,
    maxOutputTokens,
    temperature,
    signal,
    ...retries
  } = question;
  const retry = parseOptions(RetryOptionsSchema, retries);
  if (!/^[\w-]{1,64}$/.test(name))
    throw new TypeError(`name must be 1..64 letters, digits, \`_\` or \`-\`, got \`${name}\``);
  const jsonSchema = jsonSchemaOf(schema);
  const limit = outputLimit(jsonSchema, name);
  const instruction = answerInstruction(jsonSchema, example);
  const messages =
    demonstration === undefined
      ? withInstruction(given, instruction)
      : withDemonstration(given, instruction, demonstration);
  const request: ModelRequest = {
    messages,
    schema: { name, schema: jsonSchema },
    maxOutputTokens: Math.min(limit, maxOutputTokens ?? limit),
    temperature,
    signal,
  };
  const first = await attempt(model, request, schema, meter, retry);
  if (first.ok) return first.value;
  const retryRequest = { ...request, messages: [...messages, ...correctionMessages(first)] };
  const second = await attempt(model, retryRequest, schema, meter, retry);
  if (second.ok) return second.value;
  throw new ModelError("invalid_output", `the model gave no valid ${name}: ${second.problem}`);
}

/** Appends the instruction to the last message of the user, or adds a message. */
function withInstruction(messages: readonly ChatMessage[], instruction: string): ChatMessage[] {
  const last = messages.at(-1);
  if (last?.role !== "user") return [...messages, { role: "user", content: instruction }];
  const { content } = last;
  const joined =
    typeof content === "string"
      ? `${content}\n\n${instruction}`
      : [...(content ?? []), { type: "text" as const, text: instruction }];
  return [...messages.slice(0, -1), { ...last, content: joined }];
}

/** Appends the instruction to the system message, and the question with its answer after it. */
function withDemonstration(
  [system, ...messages]: readonly ChatMessage[],
  instruction: string,
  { question, answer }: { readonly question: string; readonly answer: unknown },
): ChatMessage[] {
  if (system?.role !== "system") throw new TypeError("a demonstration requires a system message before it");
  return [
    { ...system, content: `${system.content}\n\n${instruction}` },
    { role: "user", content: question },
    { role: "assistant", content: JSON.stringify(answer) },
    ...messages,
  ];
}

type Attempt<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly text: string; readonly problem: string };

async function attempt<Schema extends z.ZodType>(
  model: ChatModel,
  request: ModelRequest,
  schema: Schema,
  meter: CostMeter,
  retry: ResolvedRetryOptions,
): Promise<Attempt<z.output<Schema>>> {
  try {
    const reply = await completeWithRetries(model, request, meter, retry);
    return readAnswer(reply, schema);
  } catch (error) {
    // An unreadable reply of the provider is retried like an invalid answer.
    if (!(error instanceof ModelError) || error.code !== "invalid_output") throw error;
    return { ok: false, text: "", problem: error.message };
  }
}

function readAnswer<Schema extends z.ZodType>(
  { text, finishReason }: ModelReply,
  schema: Schema,
): Attempt<z.output<Schema>> {
  const problems: string[] = [];
  for (const value of findJson(text)) {
    const checked = schema.safeParse(value);
    if (checked.success) return { ok: true, value: checked.data };
    problems.push(z.prettifyError(checked.error));
  }
  const cutOff = finishReason === "length" ? "It was cut off because it was too long. " : "";
  const problem = cutOff + (problems[0] ?? (text.trim() === "" ? "It was empty." : "It is not JSON."));
  return { ok: false, text, problem: problem.slice(0, PROBLEM_LENGTH_MAX) };
}

/**
 * Returns the messages of the second request. An empty answer is not repeated, because providers reject empty
 * messages.
 */
function correctionMessages({
  text,
  problem,
}: {
  readonly text: string;
  readonly problem: string;
}): ChatMessage[] {
  const correction: ChatMessage = { role: "user", content: loadPrompt("answer-again", { problem }) };
  if (text.trim() === "") return [correction];
  return [{ role: "assistant", content: text.slice(0, ANSWER_LENGTH_MAX) }, correction];
}
