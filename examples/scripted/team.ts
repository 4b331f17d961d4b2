import type { ReceivedChat, ScriptedAnswer } from "../../agentic/test/scripted-openai/index.js";
import { lastOf, wordsOf } from "./request.js";

const triple = (subject: string, predicate: string, object: string) => ({ subject, predicate, object });
const call = (name: string, args: object): ScriptedAnswer => ({ calls: [{ name, arguments: args }] });

/** The actions of each member, in order. The planner and the writer use the results of the graph. */
const STEPS: Readonly<Record<string, (request: ReceivedChat) => ScriptedAnswer[]>> = {
  scout: () => [
    call("graph_add", {
      triples: [triple("pump P2", "stopped at", "06:10"), triple("pump P2", "cools", "line 4")],
    }),
    call("add_memory", { content: "The operator fears for her job." }),
    { text: "The statements of the log are in the graph." },
  ],
  planner: (request) => [
    call("graph_search", { query: "line 4" }),
    call("graph_add", {
      triples: wordsOf(request).includes("pump P2 | cools | line 4")
        ? [triple("order 71", "made on", "line 4"), triple("order 72", "made on", "line 5")]
        : [],
    }),
    call("add_memory", { content: "Order 71 has a penalty of 9,000 a day." }),
    { text: "The lines of both orders are in the graph." },
  ],
  writer: (request) => [
    call("graph_paths", { from: "pump P2", to: "order 71" }),
    { text: `Connection: ${lastOf(request).text}` },
  ],
};

export function teamScript(request: ReceivedChat): ScriptedAnswer {
  const [, agent = ""] = /You are the (\w+)/.exec(wordsOf(request))!;
  const done = request.body.messages.filter(({ role }) => role === "assistant").length;
  return STEPS[agent]!(request)[done]!;
}
