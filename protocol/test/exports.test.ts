import { describe, expect, it } from "vitest";
import type {
  Clock,
  MemoryEntry,
  MemoryEvent,
  MemoryForgetRequest,
  MemoryForgetResponse,
  MemoryRetrieveRequest,
  MemoryRetrieveResponse,
  MemoryStatusRequest,
  MemoryStatusResponse,
  MemoryStoreRequest,
  MemoryStoreResponse,
  MemoryTier,
} from "../src/index.js";
import * as wire from "../src/index.js";
import type { Bus, Embedder, MemoryPlugin, Reranker } from "../src/plugin/index.js";
import * as plugin from "../src/plugin/index.js";
import * as records from "../src/records/index.js";

/** Types of A2E and the ports. The test is that this compiles. */
type Named = [
  ...[MemoryEntry, MemoryTier, MemoryStoreRequest, MemoryStoreResponse, MemoryRetrieveRequest],
  ...[MemoryRetrieveResponse, MemoryForgetRequest, MemoryForgetResponse, MemoryStatusRequest],
  ...[MemoryStatusResponse, MemoryEvent, MemoryPlugin, Bus, Clock, Embedder, Reranker],
];

/** All exported values, by entry point. Removing a name is a breaking change. */
const EXPORTS = {
  wire: `
    AGENTS_REQUEST AckSchema CONTENT_TYPES CONTENT_TYPE_HEADER CriteriaSchema DEFAULTS DEFAULT_PREFIX DegradedTierSchema
    ERROR_CATALOGUE EXTENSION_FIELDS EntryExplanationSchema ErrorMessageSchema ExpandSchema FILTER_OPERATORS
    ForgetReceiptSchema InFlightCounter IncludeSchema KeyReferenceSchema LIMITS LIST_NAMESPACE
    ListItemSchema ListOrderSchema ListedAgentSchema MESSAGE_SCHEMAS MemoryAgentsRequestSchema
    MemoryAgentsResponseSchema MemoryEntrySchema MemoryError MemoryEventSchema
    MemoryForgetRequestSchema MemoryForgetResponseSchema MemoryKeySchema MemoryListRequestSchema
    MemoryListResponseSchema MemoryRetrieveRequestSchema MemoryRetrieveResponseSchema
    MemoryStatusRequestSchema MemoryStatusResponseSchema MemoryStoreRequestSchema MemoryStoreResponseSchema
    MemoryTierSchema NAMESPACE NAMESPACE_SELECTOR NamespacePatternSchema OPERATIONS OPERATOR_TOKEN OrderSchema
    PROTOCOL_VERSION PingSchema PongSchema PurgeReasonSchema QueryFieldSchema QuotaTable RankingExplanationSchema
    RecencySchema ReindexProgressSchema RetrieveModeSchema StoreEntrySchema StoreEnvelopeSchema
    StoreErrorSchema StoreOutcomeSchema StoreReceiptSchema TIERS TotalRelationSchema WhereSchema abortable
    agentToken canonicalJson checkEntrySize checkWhere compileCriteria criteriaShape decodeMessage delay
    deriveText detectEncoding didYouMean encodeMessage errorFields errorHeaders eventPattern eventSubject
    fieldValue haveSameCaller hostSubjects importanceFactor isAgentName isJsonObject isMemoryError isNamespace isNamespacePattern
    isRequestType isSubjectPrefix isToken isUnfiltered keyContext keyHash keyReferenceHash matches
    matchesOperator monotonicClock nearestName normaliseKey operatorSubject option optionSet parseAgentToken parseErrorMessage
    parseNamespacePattern parseOption parseOptions parseReindexStatus parseRequest parseRequestSubject
    parseScopeId parseStoreEntry quotaOptions readJson readableId reindexSubject replyType requestDigest
    requestSubject scopeId scopeOf selectorOf selectsNamespace selectsScope silentLogger systemClock
    validateJson withTimeout writeJson`,
  plugin: `
    ADDED_FEATURES FEATURES PLUGIN_CONTRACT PluginManifestSchema PositionSchema compareListPositions
    comparePositions decodeCursor decodeListCursor encodeCursor encodeListCursor findPluginModule
    listPositionOf loadPluginModule pluginProblem positionOf`,
  records: `
    HeadSchema MessageContentSchema PartSchema RECORD_KINDS RECORD_SCHEMAS RoleSchema ToolCallSchema
    TrustSchema canonicalText decodeSegment encodeSegment factId isCurrent isHead isRecordKind joinRecord
    partKeys readRecord recordEntry recordProblem splitRecord subjectFromNamespace`,
};

const ENTRY_POINTS = { wire, plugin, records };

describe("the package", () => {
  it.each(["wire", "plugin", "records"] as const)("exports exactly these values from %s", (name) => {
    expect(Object.keys(ENTRY_POINTS[name]).sort()).toEqual(EXPORTS[name].split(/\s+/).filter(Boolean));
  });

  it("exports the types of A2E with their names", () => {
    const tier: Named[1] = "working";
    expect(wire.TIERS).toContain(tier);
  });

  it("maps each request to its reply", () => {
    expect(wire.replyType("memory/store/req")).toBe("memory/store/resp");
    expect(wire.replyType("ping")).toBe("pong");
  });
});
