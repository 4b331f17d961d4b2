import { expect, it } from "vitest";
import { memoryOfKey } from "../src/plugins/openclaw-key.js";

it.each([
  "agent:main:main",
  "agent:work:main",
  "agent:main:review",
  "agent:main:dashboard:6f1c",
  "agent:main:main:thread:17",
])("has the memory of the user in the session %s", (key) => {
  expect(memoryOfKey(key)).toEqual({});
});

it.each([
  ["agent:main:direct:42", "direct:42"],
  ["agent:main:telegram:direct:42", "telegram:direct:42"],
  ["agent:main:telegram:shop:direct:42", "telegram:shop:direct:42"],
  ["agent:main:matrix:direct:@ada:example.org", "matrix:direct:@ada:example.org"],
  ["agent:main:slack:direct:u42:thread:17", "slack:direct:u42"],
])("has the memory of a person in the session %s", (key, person) => {
  expect(memoryOfKey(key)).toEqual({ person });
});

it.each([
  "",
  "main",
  "global",
  "agent:main",
  "agent:main:",
  "agent:main:subagent:6f1c",
  "agent:main:subagent:6f1c:thread:17",
  "agent:main:subagent:direct:42",
  "agent:main:cron:nightly",
  "agent:main:cron:nightly:run:1",
  "agent:main:cron:nightly:direct:42",
  "agent:main:hook:automation",
  "agent:main:dashboard:incognito-6f1c",
  "agent:main:internal-session-effects:incognito-6f1c",
  "agent:main:telegram:slash:42",
  "agent:main:discord:channel:7",
  "agent:main:discord:channel:7:thread:17",
  "agent:main:telegram:group:-100:topic:42",
  "agent:main:telegram:group:direct:42",
  "agent:main:main:heartbeat",
])("has no memory in the session %j", (key) => {
  expect(memoryOfKey(key)).toBeUndefined();
});
