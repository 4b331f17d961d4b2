import { describe, expect, it } from "vitest";
import type {
  Bus,
  Clock,
  Embedder,
  MemoryEntry,
  MemoryEvent,
  MemoryForgetRequest,
  MemoryForgetResponse,
  MemoryPlugin,
  MemoryRetrieveRequest,
  MemoryRetrieveResponse,
  MemoryStatusRequest,
  MemoryStatusResponse,
  MemoryStoreRequest,
  MemoryStoreResponse,
  MemoryTier,
  Reranker,
} from "../src/index.js";
import * as protocol from "../src/index.js";

/** Types of A2E and the ports. The test is that this compiles. */
type Named = [
  ...[MemoryEntry, MemoryTier, MemoryStoreRequest, MemoryStoreResponse, MemoryRetrieveRequest],
  ...[MemoryRetrieveResponse, MemoryForgetRequest, MemoryForgetResponse, MemoryStatusRequest],
  ...[MemoryStatusResponse, MemoryEvent, MemoryPlugin, Bus, Clock, Embedder, Reranker],
];

/** All exported values of the package. Removing a name is a breaking change. */
const EXPORTS = `
  ADDED_FEATURES
  AckSchema CONTENT_TYPES CONTENT_TYPE_HEADER CriteriaSchema DEFAULTS DEFAULT_PREFIX DegradedTierSchema
  ERROR_CATALOGUE EXTENSION_FIELDS EntryExplanationSchema ErrorMessageSchema ExpandSchema FEATURES
  FILTER_OPERATORS ForgetReceiptSchema HeadSchema IncludeSchema KeyReferenceSchema LIMITS LIST_NAMESPACE
  ListItemSchema ListOrderSchema MESSAGE_SCHEMAS MemoryEntrySchema MemoryError MemoryEventSchema
  MemoryForgetRequestSchema MemoryForgetResponseSchema MemoryKeySchema MemoryListRequestSchema
  MemoryListResponseSchema MemoryRetrieveRequestSchema MemoryRetrieveResponseSchema MemoryStatusRequestSchema
  MemoryStatusResponseSchema MemoryStoreRequestSchema MemoryStoreResponseSchema MemoryTierSchema
  MessageContentSchema NAMESPACE NAMESPACE_SELECTOR NamespacePatternSchema OPERATIONS OrderSchema
  PLUGIN_CONTRACT PROTOCOL_VERSION PartSchema PingSchema PluginManifestSchema PongSchema PositionSchema QuotaTable
  QueryFieldSchema RECORD_KINDS RECORD_SCHEMAS RankingExplanationSchema RecencySchema ReindexProgressSchema
  RetrieveModeSchema RoleSchema StoreEntrySchema StoreEnvelopeSchema StoreErrorSchema StoreOutcomeSchema
  StoreReceiptSchema TIERS ToolCallSchema TotalRelationSchema TrustSchema WhereSchema agentToken
  booleanOption canonicalJson checkEntrySize checkOptions checkWhere choiceOption compareListPositions comparePositions
  compileCriteria criteriaShape decodeCursor decodeListCursor decodeMessage delay deriveText detectEncoding
  didYouMean encodeCursor encodeListCursor encodeMessage errorFields errorHeaders eventPattern eventSubject
  fieldValue findPluginModule validateJson hostSubjects integerOption isHead isJsonObject isMemoryError
  isNamespace isNamespacePattern isRecordKind isRequestType isSubjectPrefix isToken isUnfiltered joinRecord
  keyContext keyHash keyReferenceHash listPositionOf loadPluginModule matches matchesOperator nearestName
  normaliseKey optionalOption parseAgentToken parseErrorMessage parseNamespacePattern parseRequest parseRequestSubject parseScopeId
  haveSameCaller parseStoreEntry partKeys pluginProblem positionOf readJson readRecord readableId recordEntry
  recordProblem parseReindexStatus reindexSubject replyType requestDigest requestSubject resolveOptions scopeId
  scopeOf selectorOf selectsNamespace selectsScope silentLogger splitRecord stringOption systemClock
  abortable withTimeout writeJson subjectFromNamespace canonicalText factId isCurrent decodeSegment encodeSegment
`;

describe("the package", () => {
  it("exports exactly these values", () => {
    expect(Object.keys(protocol).sort()).toEqual(EXPORTS.split(/\s+/).filter(Boolean).sort());
  });

  it("exports the types of A2E with their names", () => {
    const tier: Named[1] = "working";
    expect(protocol.TIERS).toContain(tier);
  });

  it("maps each request to its reply", () => {
    expect(protocol.replyType("memory/store/req")).toBe("memory/store/resp");
    expect(protocol.replyType("ping")).toBe("pong");
  });
});
