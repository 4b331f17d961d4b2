import { NAMESPACES, type Program } from "./program.js";
import type { PythonProcess } from "./python-process.js";

const OTHERS = [
  { name: "Mem0Memory of Python", kept: "facts", call: "mem0" },
  { name: "MembusStore of Python", kept: "items", call: "store" },
  { name: "MembusSaver of Python", kept: "checkpoints of Python", call: "saver" },
] as const;

export function pythonPrograms(python: () => PythonProcess): Program[] {
  const client: Program = {
    name: "the client of Python",
    kept: "clients",
    isPython: true,
    async write(text) {
      for (const namespace of NAMESPACES) await python().call("write_client", { namespace, text });
    },
    find: (question, namespace) => python().call("find_client", { namespace, question }),
  };
  const others = OTHERS.map(
    ({ name, kept, call }): Program => ({
      name,
      kept,
      isPython: true,
      write: async (text) => void (await python().call(`write_${call}`, { text })),
      find: (question) => python().call(`find_${call}`, { question }),
    }),
  );
  return [client, ...others];
}
