import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** A program that does not know the gateway. */
const PROGRAM = `
import OpenAI from "openai";
const client = new OpenAI();
const [api, content, stream] = process.argv.slice(1);
const model = "scripted";
const show = (text) => process.stdout.write(text);
if (api === "responses") {
  const request = { model, input: content };
  if (stream === "stream") {
    for await (const event of await client.responses.create({ ...request, stream: true })) {
      if (event.type === "response.output_text.delta") show(event.delta);
    }
  } else show((await client.responses.create(request)).output_text);
} else {
  const request = { model, messages: [{ role: "user", content }] };
  if (stream === "stream") {
    for await (const { choices } of await client.chat.completions.create({ ...request, stream: true })) {
      show(choices[0]?.delta.content ?? "");
    }
  } else show((await client.chat.completions.create(request)).choices[0].message.content);
}`;

export type Api = "chat" | "responses";

/** Runs the program with nothing but a base URL, and returns the answer of the model. */
export async function askFromProcess(
  gateway: string,
  api: Api,
  question: string,
  stream: boolean,
): Promise<string> {
  const args = ["--input-type=module", "--eval", PROGRAM, api, question, stream ? "stream" : "plain"];
  const env = { ...process.env, OPENAI_BASE_URL: `${gateway}/v1`, OPENAI_API_KEY: "sk-test" };
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, env, timeout: 60_000 });
  return stdout;
}
