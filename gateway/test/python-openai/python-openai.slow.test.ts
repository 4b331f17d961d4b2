import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ScriptedOpenAi } from "../../../agentic/test/scripted-openai/index.js";
import { GatewayFixture } from "../gateway-fixture.js";
import { RawUpstream } from "../raw-upstream.js";
import { startRememberingModel } from "../remembering-model.js";
import { answerWith, type ScriptedItem } from "../response-events.js";
import { askFromPython, hasClient } from "./python-client.js";

const fixture = new GatewayFixture();

describe.skipIf(!hasClient)(
  "OpenAI's client for Python (needs the package openai, of python3 or of MEMBUS_TEST_PYTHON)",
  () => {
    let model: ScriptedOpenAi;
    beforeAll(async () => {
      await fixture.start();
      model = await startRememberingModel();
    });
    afterAll(async () => {
      await model.stop();
      await fixture.stop();
    });

    it.each([
      ["chat", "plain"],
      ["chat", "streamed"],
      ["responses", "plain"],
      ["responses", "streamed"],
    ])("%s, %s: a fact of one process is used by another that only knows the base URL", async (api, how) => {
      const openai = { upstream: model.baseUrl, agent: `python-${api}-${how}` };
      const { url } = await fixture.gateway({ openai });
      const asked = "In which city do I live?";
      expect(await askFromPython(url, [api, how, asked, "I live in Lisbon"])).toEqual([
        "You did not say.",
        expect.any(String),
      ]);
      expect(await askFromPython(url, [api, how, asked])).toEqual(["You live in Lisbon."]);
    });

    it.each([
      ["before its text", [], "", "r2"],
      ["after its text", [{ text: "Let me see. " }], "Let me see. ", "r2"],
    ] as const)(
      "accepts a stream in which the model calls memory %s, and continues the conversation",
      async (_, first, begun, last) => {
        const look = { call: "retrieve_from_memory", arguments: { thinking: "asked", keywords: ["Where"] } };
        const answers: readonly (readonly ScriptedItem[])[] = [
          [...first, look],
          [{ text: "In Lisbon" }],
          [{ text: "Yes" }],
        ];
        const upstream = await RawUpstream.start((response, { body }) => {
          const round = upstream.requests.length;
          answerWith(response, body, [`r${round}`, answers[round - 1]!]);
        });
        const { url } = await fixture.gateway({ openai: { upstream: upstream.baseUrl, mode: "agent" } });
        expect(await askFromPython(url, ["followed", "streamed", "Where?"])).toEqual([
          [`${begun}In Lisbon`, true, "Yes"],
        ]);
        expect(JSON.parse(upstream.requests[2]!.body.toString())).toMatchObject({
          previous_response_id: last,
        });
        await upstream.stop();
      },
    );
  },
);
