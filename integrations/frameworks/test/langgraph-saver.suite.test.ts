import { randomUUID } from "node:crypto";
import { deltaChannelHistoryTests, validate } from "@langchain/langgraph-checkpoint-validation";
import type { MemoryClient } from "@membus/agent-client";
import { MembusSaver } from "../src/langgraph/index.js";
import { RealHost } from "./real-host.js";

// LangGraph's own suite from npm. It takes `describe` and `it` from globals.

const host = new RealHost();
let memory: MemoryClient;

const initializer = {
  checkpointerName: "MembusSaver",
  async beforeAll() {
    await host.start();
    memory = await host.connect({ agent: "alice" });
  },
  afterAll: () => host.close(),
  createCheckpointer: async () => new MembusSaver(memory, { namespace: `suite/${randomUUID()}` }),
};

validate(initializer);
deltaChannelHistoryTests(initializer);
