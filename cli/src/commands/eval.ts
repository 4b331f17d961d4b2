import type { Command } from "commander";
import { CONTEXT_TURNS_MAX, type EvalFlags, evalConfig } from "../eval/eval-flags.js";
import { openSession } from "../session.js";

export function registerEval(program: Command): void {
  program
    .command("eval")
    .description("measure how well questions find their documents: yours, or those that come with membus")
    .argument("[folder]", "docs.jsonl and queries.jsonl (default: the set that comes with membus)")
    .argument("[file]", "with --json: where the JSON goes, instead of standard output")
    .option("--tier <tier>", "working, episodic (default) or semantic")
    .option("--mode <mode>", "hybrid (default), vector or text")
    .option("--embedder <provider>", "of the temporary host, instead of that of membus.yaml")
    .option("--no-namespace", "all documents in one namespace, instead of one per `conv`")
    .option("--no-group", "the `session` is not the group")
    .option("--no-date", "the `date` is not the time")
    .option("--context <count>", `documents before it in its session, 0..${CONTEXT_TURNS_MAX} (default 2)`)
    .option("--plain", "short for --no-group --no-date --context 0")
    .option("--all", "score questions with `main: false` too")
    .option("--run <file>", "write what was found: a line a question, {id, ranked}")
    .option("--baseline <file>", "what an earlier run wrote with --json: print the differences")
    .option("--fail-on-loss", "end with 1 when a measure is worse than the baseline beyond chance")
    .option("--nats-server <path>", "the nats-server to run")
    .addHelpText("after", HELP)
    .action(
      async (folder: string | undefined, file: string | undefined, flags: EvalFlags, command: Command) => {
        // Settings are the program's: `--no-namespace` of this command is not its `--namespace`.
        const { config, output } = await openSession(command.parent!);
        const { runEval } = await import("../eval/eval-command.js");
        await runEval({ folder, file }, flags, evalConfig(config, flags), output);
      },
    );
}

const HELP = `
Documents and questions are stored and asked through a host of its own, in a temporary folder, unless NATS_URL or
--nats names one that runs: there they stand in a namespace of their own, and are forgotten afterwards.

docs.jsonl      {"id": "d1", "conv": "trip", "session": 1, "date": "1:56 pm on 8 May, 2023",
                 "speaker": "user", "text": "The train leaves at nine", "caption": "a photo of a platform"}
queries.jsonl   {"id": "q1", "conv": "trip", "type": "temporal", "question": "When do we leave?", "gold": ["d1"]}
Only id and text, and id, question and gold, are needed.

  membus eval                                   the set that comes with membus
  membus eval ./mine --json before.json         yours; the result as JSON
  membus eval ./mine --plain --baseline before.json
  membus eval ./mine --mode text                words alone`;
