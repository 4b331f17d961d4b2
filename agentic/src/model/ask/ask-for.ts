import type { ResolvedOptions } from "@membus/protocol";
import { z } from "zod";
import type { ChatMessage, ChatModel, ModelReply, ModelRequest } from "../chat-model.js";
import type { CostMeter } from "../cost.js";
import { ModelError } from "../model-error.js";
import { jsonIn } from "./json-in-text.js";
import { jsonSchemaOf } from "./json-schema.js";
import { loadPrompt } from "./load-prompt.js";
import { completeWithRetries, type RetryOptions, resolveRetryOptions } from "./retry.js";

/** Of an answer that is no use, so much goes back to the model; and so much of what is wrong with it. */
const ANSWER_LENGTH_MAX = 20_000;
const PROBLEM_LENGTH_MAX = 2_000;

/** What `askFor` asks. */
export interface Question<Schema extends z.ZodType>
  extends RetryOptions,
    Pick<ModelRequest, "maxOutputTokens" | "temperature" | "signal"> {
  readonly messages: readonly ChatMessage[];
  /** What the answer has to be: an object, at best without optional fields, which not every provider holds a model to. */
  readonly schema: Schema;
  /** What the answer is called, for the model: 1..64 letters, digits, `_` and `-`. */
  readonly name: string;
}

/**
 * An answer in the form of `schema`, as zod gives it. JSON in a code fence or with words around it is found. An answer that
 * is none, or is not in the form, is asked for once more with what was wrong with it.
 *
 * The meter gets every attempt, also when this throws.
 * @throws {ModelError} "invalid_output" if the second answer is no better, "refused" if the model does not want to; others
 * as `model.complete` does, after the retries that the question allows. Aborted by its signal, the signal's reason.
 * @throws {TypeError} for an unknown option, one out of range, or a name that none can have.
 */
export async function askFor<Schema extends z.ZodType>(
  model: ChatModel,
  question: Question<Schema>,
  meter: CostMeter,
): Promise<z.output<Schema>> {
  const { messages, schema, name, maxOutputTokens, temperature, signal, ...retries } = question;
  const retry = resolveRetryOptions(retries);
  if (!/^[\w-]{1,64}$/.test(name)) throw new TypeError(`no name for an answer: \`${name}\``);
  const request: ModelRequest = {
    messages,
    schema: { name, schema: jsonSchemaOf(schema) },
    maxOutputTokens,
    temperature,
    signal,
  };
  const first = await attempt(model, request, schema, meter, retry);
  if (first.ok) return first.value;
  const again = { ...request, messages: [...messages, ...complaintOf(first)] };
  const second = await attempt(model, again, schema, meter, retry);
  if (second.ok) return second.value;
  throw new ModelError("invalid_output", `the model gave no usable ${name}: ${second.problem}`);
}

type Attempt<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly text: string; readonly problem: string };

async function attempt<Schema extends z.ZodType>(
  model: ChatModel,
  request: ModelRequest,
  schema: Schema,
  meter: CostMeter,
  retry: ResolvedOptions<RetryOptions>,
): Promise<Attempt<z.output<Schema>>> {
  try {
    const reply = await completeWithRetries(model, request, meter, retry);
    return readAnswer(reply, schema);
  } catch (error) {
    // A reply that the adapter cannot read is asked for again as one that we cannot.
    if (!(error instanceof ModelError) || error.code !== "invalid_output") throw error;
    return { ok: false, text: "", problem: error.message };
  }
}

function readAnswer<Schema extends z.ZodType>(
  { text, finishReason }: ModelReply,
  schema: Schema,
): Attempt<z.output<Schema>> {
  const problems: string[] = [];
  for (const value of jsonIn(text)) {
    const checked = schema.safeParse(value);
    if (checked.success) return { ok: true, value: checked.data };
    problems.push(z.prettifyError(checked.error));
  }
  const cutOff = finishReason === "length" ? "It was cut off: it was too long. " : "";
  const problem = cutOff + (problems[0] ?? (text.trim() === "" ? "It was empty." : "It is not JSON."));
  return { ok: false, text, problem: problem.slice(0, PROBLEM_LENGTH_MAX) };
}

/** An empty answer is not repeated: providers refuse a message with nothing in it. */
function complaintOf({ text, problem }: { readonly text: string; readonly problem: string }): ChatMessage[] {
  const complaint: ChatMessage = { role: "user", content: loadPrompt("answer-again", { problem }) };
  if (text.trim() === "") return [complaint];
  return [{ role: "assistant", content: text.slice(0, ANSWER_LENGTH_MAX) }, complaint];
}
