import type { MemoryKey } from "@membus/protocol";
import {
  type ListResourcesResult,
  ResourceNotFoundError,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import { memoryUri, parseReference, URI_TEMPLATE } from "./memory-uri.js";
import type { ServerParts } from "./server-parts.js";
import { keyText, toView } from "./tools/memory-view.js";

const LISTED_MAX = 100;
const JSON_TYPE = "application/json";

/** Adds a resource for every memory by its URI. The newest memories are listed. */
export function addMemoryResources({ server, memory }: ServerParts): void {
  const list = async (): Promise<ListResourcesResult> => {
    const { entries } = await (await memory()).retrieve({ order: "newest", limit: LISTED_MAX });
    const resources = entries.map((entry) => ({
      uri: memoryUri(entry),
      name: keyText(entry.key as MemoryKey),
      mimeType: JSON_TYPE,
    }));
    return { resources };
  };
  server.registerResource(
    "memory",
    new ResourceTemplate(URI_TEMPLATE, { list }),
    { title: "Memory", description: "One memory, with its key, tier, tags and time", mimeType: JSON_TYPE },
    async ({ href }) => {
      const { tier, key } = parseReference(href);
      const found = tier && (await (await memory()).retrieve({ tier, keys: [key], limit: 1 }));
      const entry = found?.entries[0];
      if (entry === undefined) throw new ResourceNotFoundError(href);
      const text = JSON.stringify(toView(entry, false), null, 2);
      return { contents: [{ uri: href, mimeType: JSON_TYPE, text }] };
    },
  );
}
