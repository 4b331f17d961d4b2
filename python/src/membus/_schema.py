"""The messages, entries and records of the protocol as types.

Generated from protocol/schemas by `npm run generate`. Do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import TypeAlias

PROTOCOL_VERSION = "1.1"
TIERS = ("working", "episodic", "semantic")

# protocol/spec/01-envelope.md, `Limits`.
LIMITS: dict[str, int] = {
    "entryBytes": 262144,
    "messageBytes": 67108864,
    "depth": 64,
    "objectFields": 1024,
    "nestedValues": 100000,
    "stringLength": 4096,
    "queryLength": 8192,
    "keyBytes": 4096,
    "storeEntries": 1000,
    "criteriaKeys": 1000,
    "retrieveLimit": 1000,
    "listLimit": 1000,
    "listValues": 100000,
    "expandNeighbours": 20,
    "expandedEntries": 5000,
    "rerankEntries": 50,
    "tags": 256,
    "tagLength": 256,
    "metadataFields": 256,
    "listElements": 1024,
    "whereNodes": 64,
    "whereDepth": 8,
    "sources": 64,
    "cascadeSelected": 10000,
    "cascadeDerived": 10000,
    "cascadeLevels": 16,
    "embeddingDimensions": 4096,
    "namespaceSegments": 8,
    "namespaceSegmentLength": 64,
    "subtreePartitions": 256,
    "idLength": 128,
    "cursorLength": 4096,
    "derivedTextLength": 65536,
    "snippetLength": 2048,
    "deadlineMs": 600000,
}

# Whether a retry of the same request may succeed, by error code.
RETRYABLE: dict[str, bool] = {
    "parse_error": False,
    "invalid_message": False,
    "version_mismatch": False,
    "schema_violation": False,
    "unauthorized": False,
    "memory_not_found": False,
    "conflict": False,
    "too_large": False,
    "overloaded": True,
    "runtime_error": False,
    "out_of_memory": True,
    "unsupported": False,
    "unavailable": True,
    "timeout": True,
    "memory_full": False,
}

# Known fields by message, and the fields of stored and of returned entries.
FIELDS: dict[str, frozenset[str]] = {
    "memory/store/req": frozenset(["type", "id", "version", "ts", "session_id", "deadline_ms", "requires", "namespace", "entries", "ack"]),
    "memory/retrieve/req": frozenset(["type", "id", "version", "ts", "session_id", "deadline_ms", "requires", "namespace", "keys", "match", "tags", "tags_mode", "tier", "group", "since", "until", "where", "query", "embedding", "embedding_model", "order", "limit", "min_score", "cursor", "mode", "include", "fields", "recency", "diversity", "expand", "explain", "exact", "rerank"]),
    "memory/forget/req": frozenset(["type", "id", "version", "ts", "session_id", "deadline_ms", "requires", "namespace", "keys", "match", "tags", "tags_mode", "tier", "group", "since", "until", "where", "dry_run", "cascade", "purge", "all"]),
    "memory/status/req": frozenset(["type", "id", "version", "ts", "session_id", "deadline_ms", "requires", "request_id", "kind"]),
    "memory/list/req": frozenset(["type", "id", "version", "ts", "session_id", "deadline_ms", "requires", "namespace", "keys", "match", "tags", "tags_mode", "tier", "group", "since", "until", "where", "field", "depth", "order", "limit", "cursor"]),
    "ping": frozenset(["type", "id", "version", "ts", "session_id", "deadline_ms", "requires"]),
    "stored": frozenset(["key", "content", "tier", "tags", "source", "score", "ttl", "expires_at", "metadata", "text", "context", "group", "occurred_at", "importance", "sources", "embedding", "embedding_model", "if_revision"]),
    "returned": frozenset(["key", "key_hash", "content", "tier", "tags", "source", "score", "ttl", "timestamps", "revision", "seq", "namespace", "author", "occurred_at", "importance", "expires_at", "metadata", "text", "context", "group", "sources", "embedding", "embedding_model", "neighbours", "explain", "snippet"]),
}


class ErrorMessage(TypedDict):
    type: Literal["error"]
    id: str
    version: str
    ts: float
    req_id: str | None  # null if the request id could not be read
    code: str
    message: str
    detail: dict[str, str | float | bool]
    retryable: bool
    capability_name: Literal["memory"]


class AgentsRequest(TypedDict, total=False):
    requires: list[str] | None  # features that the host must have
    limit: int | None  # default 100
    cursor: str | None


class DegradedTier(TypedDict):
    tier: MemoryTier
    code: str
    message: str


MemoryTier: TypeAlias = "Literal['working', 'episodic', 'semantic']"


class ListedAgent(TypedDict):
    name: str
    tiers: list[MemoryTier]  # private tiers with entries of the agent


class _AgentsResponse(TypedDict):
    type: Literal["memory/agents/resp"]
    id: str
    version: str
    ts: float
    req_id: str
    agents: list[ListedAgent]


class AgentsResponse(_AgentsResponse, total=False):
    cursor: str  # present if more agents follow
    degraded: list[DegradedTier]


class _MemoryEvent(TypedDict):
    type: Literal["memory/event"]
    action: Literal["stored", "forgotten", "expired", "evicted"]
    tier: MemoryTier
    namespace: str
    key: dict[str, Any]
    key_hash: str
    tags: list[str]
    revision: int
    author: str
    at: float


class MemoryEvent(_MemoryEvent, total=False):
    id: str | None
    version: str | None  # default "1.0"
    ts: float | None  # Unix seconds, default now
    group: str
    event_id: str


class WhereAll(TypedDict):
    all: list[Where]


class WhereAny(TypedDict):
    any: list[Where]


WhereNot = TypedDict("WhereNot", {"not": "Where"})


class WhereField(TypedDict):
    field: str
    op: Literal["eq", "ne", "in", "nin", "gt", "gte", "lt", "lte", "exists", "contains", "starts_with"]
    value: str | float | bool | list[str | float | bool]


Where: TypeAlias = "WhereAll | WhereAny | WhereNot | WhereField"


MemoryKey: TypeAlias = "dict[str, Any] | str"


KeyReferenceHash = TypedDict("KeyReferenceHash", {"$hash": "str"})


KeyReference: TypeAlias = "MemoryKey | KeyReferenceHash"


class ForgetRequest(TypedDict, total=False):
    requires: list[str] | None  # features that the host must have
    namespace: str | None
    keys: list[KeyReference] | None
    match: dict[str, Any] | None  # top-level key fields, compared by canonical JSON
    tags: list[str] | None
    tags_mode: Literal["any", "all"] | None  # default any
    tier: MemoryTier | None
    group: str | None
    since: float | None  # occurred_at at or after
    until: float | None  # occurred_at before
    where: Where | None
    dry_run: bool | None  # only counts the entries
    cascade: bool | None  # also forgets entries that were derived from the matching entries, according to `sources`
    purge: bool | None  # replies after the bytes are erased from disk
    all: bool | None  # required to forget without criteria, and to forget all of semantic


class _ForgetReceipt(TypedDict):
    id: str
    at: float
    by_tier: dict[str, int]
    purge: Literal["done", "scheduled"]  # whether the bytes are already erased from disk


class ForgetReceipt(_ForgetReceipt, total=False):
    cascaded: list[int]  # with `cascade`: number of derived entries by level, included in `deleted`


class ForgetResponse(TypedDict):
    type: Literal["memory/forget/resp"]
    id: str
    version: str
    ts: float
    req_id: str
    deleted: int
    receipt: ForgetReceipt


ListOrder: TypeAlias = "Literal['name', 'count', 'newest']"


class ListRequest(TypedDict, total=False):
    requires: list[str] | None  # features that the host must have
    namespace: str | None  # one namespace, a subtree `a/**`, or `**` for all namespaces of the caller
    keys: list[KeyReference] | None
    match: dict[str, Any] | None  # top-level key fields, compared by canonical JSON
    tags: list[str] | None
    tags_mode: Literal["any", "all"] | None  # default any
    tier: MemoryTier | None
    group: str | None
    since: float | None  # occurred_at at or after
    until: float | None  # occurred_at before
    where: Where | None
    field: str | None  # field to list the values of, absent: lists namespaces
    depth: int | None  # segments below the path when listing namespaces, default 8 (all)
    order: ListOrder | None  # default name
    limit: int | None  # default 100, 0 only counts
    cursor: str | None


TotalRelation: TypeAlias = "Literal['eq', 'gte']"


class ListItem(TypedDict):
    value: str | float | bool  # value of the field, or path of the namespace
    count: int
    newest: float  # latest occurred_at in Unix seconds
    bytes: int  # approximate size of the entries as JSON


class _ListResponse(TypedDict):
    type: Literal["memory/list/resp"]
    id: str
    version: str
    ts: float
    req_id: str
    items: list[ListItem]
    total: int  # number of distinct values before the limit
    total_relation: TotalRelation


class ListResponse(_ListResponse, total=False):
    cursor: str  # present if there may be more items
    degraded: list[DegradedTier]


class _ReindexProgress(TypedDict):
    type: Literal["memory/reindex"]
    host_id: str
    tier: MemoryTier
    state: Literal["done", "running", "paused"]
    generation: int
    embedder: str
    analyzer: str
    total: int
    done: int


class ReindexProgress(_ReindexProgress, total=False):
    id: str | None
    version: str | None  # default "1.0"
    ts: float | None  # Unix seconds, default now


class Expand(TypedDict, total=False):
    before: int | None
    after: int | None


class _Recency(TypedDict):
    half_life_s: float  # age in seconds at which half of the recency factor is left


class Recency(_Recency, total=False):
    weight: float | None  # maximum share of the score that age may remove, default 0.5


QueryField: TypeAlias = "Literal['text', 'context', 'time']"


Include: TypeAlias = "Literal['context', 'embedding', 'snippet']"


RetrieveMode: TypeAlias = "Literal['hybrid', 'vector', 'text']"


Order: TypeAlias = "Literal['relevance', 'newest', 'oldest']"


class RetrieveRequest(TypedDict, total=False):
    requires: list[str] | None  # features that the host must have
    namespace: str | None
    keys: list[KeyReference] | None
    match: dict[str, Any] | None  # top-level key fields, compared by canonical JSON
    tags: list[str] | None
    tags_mode: Literal["any", "all"] | None  # default any
    tier: MemoryTier | None
    group: str | None
    since: float | None  # occurred_at at or after
    until: float | None  # occurred_at before
    where: Where | None
    query: str | None
    embedding: list[float] | None
    embedding_model: str | None
    order: Order | None  # default relevance with a query or embedding, otherwise newest
    limit: int | None  # default 10, 0 only counts
    min_score: float | None
    cursor: str | None
    mode: RetrieveMode | None  # default hybrid
    include: list[Include] | None
    fields: list[QueryField] | None  # fields to search for the words of the query, default all
    recency: Recency | None
    diversity: float | None  # default 0, a larger value returns a single page without a cursor
    expand: Expand | None
    explain: bool | None
    exact: bool | None  # true compares all entries, also where an index would choose them
    rerank: bool | None  # true returns a single page without a cursor


class TierExplanation(TypedDict):
    tier: MemoryTier
    analyzer: str | None  # id of the analyzer that turns texts into terms, null if none
    embedder: str | None  # id of the embedder that embedded the query, null if none
    generation: str | None  # id of the embedder of the compared vectors, null if none
    candidates: int  # number of entries that match the criteria, with any score
    terms: list[str]  # terms of the analyzed query


class Snippet(TypedDict):
    text: str
    start: int  # position in the indexed text, in UTF-16 code units


class Passage(TypedDict):
    start: int
    end: int  # position after the passage


class MatchedTerm(TypedDict):
    term: str  # term as it appears in the query
    weight: float  # share of the term in the query
    score: float  # contribution to `lexical`
    fields: list[QueryField]  # fields of the entry that contain the term


class _EntryExplanation(TypedDict):
    terms: list[MatchedTerm]  # query terms that the entry contains, in query order
    lexical: float  # lexical score: the sum of the terms' scores
    similarity: float | None  # cosine similarity to the query, negative values as 0, null if there are no comparable vectors
    group: float  # score of the entry's group, 0 without a group
    relevance: float
    importance: float  # the importance without a query and embedding, else its factor, 0.75 to 1
    recency: float  # recency factor, 1 if not requested


class EntryExplanation(_EntryExplanation, total=False):
    rerank: float  # score of the reranker, replaces `relevance`
    passage: Passage  # best passage of the entry, if the tier declares `snippet`


class _Neighbour(TypedDict):
    key: dict[str, Any]
    key_hash: str
    content: Any  # any JSON value
    tier: MemoryTier
    tags: list[str]
    source: str
    score: float  # relevance x importance factor x recency
    ttl: float | None
    timestamps: Timestamps
    revision: int  # opaque, increases with every write of the key
    seq: int  # revision at creation
    namespace: str
    author: str  # agent that wrote this revision
    occurred_at: float  # Unix seconds
    importance: float


class Neighbour(_Neighbour, total=False):
    expires_at: float  # Unix seconds
    metadata: dict[str, str | float | bool | list[str]]
    text: str
    context: str
    group: str
    sources: list[str]  # key hashes of the entries that this entry was derived from


class Neighbours(TypedDict):
    before: list[Neighbour]
    after: list[Neighbour]


class Timestamps(TypedDict):
    created: float  # Unix seconds
    updated: float  # Unix seconds
    accessed: float  # Unix seconds


class _MemoryEntry(TypedDict):
    key: dict[str, Any]
    key_hash: str
    content: Any  # any JSON value
    tier: MemoryTier
    tags: list[str]
    source: str
    score: float  # relevance x importance factor x recency
    ttl: float | None
    timestamps: Timestamps
    revision: int  # opaque, increases with every write of the key
    seq: int  # revision at creation
    namespace: str
    author: str  # agent that wrote this revision
    occurred_at: float  # Unix seconds
    importance: float


class MemoryEntry(_MemoryEntry, total=False):
    expires_at: float  # Unix seconds
    metadata: dict[str, str | float | bool | list[str]]
    text: str
    context: str
    group: str
    sources: list[str]  # key hashes of the entries that this entry was derived from
    embedding: list[float]
    embedding_model: str
    neighbours: Neighbours
    explain: EntryExplanation
    snippet: Snippet


class _RetrieveResponse(TypedDict):
    type: Literal["memory/retrieve/resp"]
    id: str
    version: str
    ts: float
    req_id: str
    entries: list[MemoryEntry]
    total: int  # number of matches before the limit
    total_relation: TotalRelation
    took_ms: dict[str, float]


class RetrieveResponse(_RetrieveResponse, total=False):
    cursor: str  # present if there may be more entries
    degraded: list[DegradedTier]
    approximate: list[MemoryTier]  # tiers that chose the entries with an index and may have missed some
    explain: list[TierExplanation]  # ranking details of each tier that answered


class _StatusRequest(TypedDict):
    request_id: str  # id of the store or forget


class StatusRequest(_StatusRequest, total=False):
    requires: list[str] | None  # features that the host must have
    kind: str | None  # store or forget, default store, other kinds are unsupported


class StoreError(TypedDict):
    index: int
    key: MemoryKey | None  # null if the key could not be read
    code: str
    message: str
    detail: dict[str, str | float | bool]
    retryable: bool


StoreOutcome: TypeAlias = "Literal['created', 'updated', 'unchanged', 'queued', 'superseded']"


class _StoreReceipt(TypedDict):
    index: int
    key_hash: str
    outcome: StoreOutcome
    revision: int


class StoreReceipt(_StoreReceipt, total=False):
    event_id: str  # <request id>/<index>, if an event was published


class _StatusResponse(TypedDict):
    type: Literal["memory/status/resp"]
    id: str
    version: str
    ts: float
    req_id: str
    kind: str
    request_id: str
    done: bool
    receipts: list[StoreReceipt]
    errors: list[StoreError]


class StatusResponse(_StatusResponse, total=False):
    purge: Literal["done", "scheduled"]  # for a forget: whether the deleted bytes are erased from disk
    purged_at: float  # time of the erasure in Unix seconds
    purge_by: float  # latest time of the erasure in Unix seconds, absent if unknown
    purge_reason: str  # obstacle that delays the erasure, such as replica_down, absent without one


Ack: TypeAlias = "Literal['stored', 'queued']"


class _StoreEntry(TypedDict):
    key: MemoryKey
    content: Any  # any JSON value


class StoreEntry(_StoreEntry, total=False):
    tier: MemoryTier | None
    tags: list[str] | None
    source: str | None
    score: float | None  # importance of a new entry, ignored on an update
    ttl: float | None  # lifetime in seconds from acceptance, unlimited if 0 or null
    expires_at: float | None  # expiry time, instead of ttl
    metadata: dict[str, str | float | bool | list[str]] | None
    text: str | None  # text to index instead of the derived text
    context: str | None  # text that helps to find the entry but is not part of it
    group: str | None  # group that the entry belongs to, such as a conversation or a document
    occurred_at: float | None
    importance: float | None
    sources: list[str] | None
    embedding: list[float] | None
    embedding_model: str | None
    if_revision: int | None  # expected revision, 0 if the entry must not exist


class _StoreRequest(TypedDict):
    entries: list[StoreEntry]


class StoreRequest(_StoreRequest, total=False):
    requires: list[str] | None  # features that the host must have
    namespace: str | None
    ack: Ack | None


class StoreResponse(TypedDict):
    type: Literal["memory/store/resp"]
    id: str
    version: str
    ts: float
    req_id: str
    stored: list[dict[str, Any]]
    errors: list[StoreError]
    receipts: list[StoreReceipt]


class Ping(TypedDict, total=False):
    requires: list[str] | None  # features that the host must have


class Pong(TypedDict):
    type: Literal["pong"]
    id: str
    version: str
    ts: float
    req_id: str
    host_id: str
    tiers: list[str]


class BlockRecordKey(TypedDict):
    block: str


class BlockRecordContent(TypedDict):
    value: Any  # any JSON value
    description: str
    limit: int
    read_only: bool


class BlockRecordMetadata(TypedDict):
    label: str
    kind: Literal["block"]


class BlockRecord(TypedDict):
    key: BlockRecordKey
    content: BlockRecordContent
    metadata: BlockRecordMetadata


class ExperienceRecordKey(TypedDict):
    experience: str


class ExperienceRecordContent(TypedDict):
    text: str
    when_to_use: str


class _ExperienceRecordMetadata(TypedDict):
    value: float
    kind: Literal["experience"]


class ExperienceRecordMetadata(_ExperienceRecordMetadata, total=False):
    outcome: str


class ExperienceRecord(TypedDict):
    key: ExperienceRecordKey
    content: ExperienceRecordContent
    metadata: ExperienceRecordMetadata


class FactRecordKey(TypedDict):
    fact: str


class FactRecordContent(TypedDict):
    text: str


class _FactRecordMetadata(TypedDict):
    about: str
    trust: Literal["user", "agent", "tool", "web"]
    kind: Literal["fact"]


class FactRecordMetadata(_FactRecordMetadata, total=False):
    category: str
    valid_from: float  # Unix seconds, negative before 1970
    valid_until: float  # Unix seconds, negative before 1970
    superseded_by: str
    confidence: float


class FactRecord(TypedDict):
    key: FactRecordKey
    content: FactRecordContent
    metadata: FactRecordMetadata


class FileRecordKey(TypedDict):
    file: str


class FileRecordContent(TypedDict):
    text: str


class _FileRecordMetadata(TypedDict):
    bytes: int
    kind: Literal["file"]


class FileRecordMetadata(_FileRecordMetadata, total=False):
    sha256: str


class FileRecord(TypedDict):
    key: FileRecordKey
    content: FileRecordContent
    metadata: FileRecordMetadata


class GuidelineRecordKey(TypedDict):
    guideline: str


class _GuidelineRecordContentFigures(TypedDict):
    calls: int
    success_rate: float


class GuidelineRecordContentFigures(_GuidelineRecordContentFigures, total=False):
    mean_token_cost: float
    mean_time_cost_s: float


class GuidelineRecordContent(TypedDict):
    text: str
    figures: GuidelineRecordContentFigures


class GuidelineRecordMetadata(TypedDict):
    tool: str
    kind: Literal["guideline"]


class GuidelineRecord(TypedDict):
    key: GuidelineRecordKey
    content: GuidelineRecordContent
    metadata: GuidelineRecordMetadata


class HeadRecordContentParts(TypedDict):
    count: int
    bytes: int  # size of the content as JSON in UTF-8, which the parts contain in order
    sha256: str  # SHA-256 of the content bytes
    write: str  # id of the write of the record


class HeadRecordContent(TypedDict):
    parts: HeadRecordContentParts


class HeadRecordMetadata(TypedDict):
    parts: int


class HeadRecord(TypedDict):
    content: HeadRecordContent
    metadata: HeadRecordMetadata


class HistoryRecordKey(TypedDict):
    history: str


HistoryRecordContent = TypedDict("HistoryRecordContent", {"conversation": "str", "from": "int", "to": "int"})


class HistoryRecordMetadata(TypedDict):
    kind: Literal["history"]


class HistoryRecord(TypedDict):
    key: HistoryRecordKey
    content: HistoryRecordContent
    metadata: HistoryRecordMetadata


class MessageRecordKey(TypedDict):
    conversation: str
    message: str


class MessageRecordContentContent(TypedDict):
    type: str


class MessageRecordContentToolCalls(TypedDict):
    id: str
    name: str
    arguments: str


class _MessageRecordContent(TypedDict):
    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: str | list[MessageRecordContentContent] | None


class MessageRecordContent(_MessageRecordContent, total=False):
    name: str
    tool_calls: list[MessageRecordContentToolCalls]
    tool_call_id: str
    agent_calls: list[Any]
    structured: Any  # any JSON value
    images: list[str]
    reasoning: Any  # any JSON value


class _MessageRecordMetadata(TypedDict):
    role: Literal["system", "developer", "user", "assistant", "tool"]
    kind: Literal["message"]


class MessageRecordMetadata(_MessageRecordMetadata, total=False):
    name: str
    marks: list[str]


class MessageRecord(TypedDict):
    key: MessageRecordKey
    content: MessageRecordContent
    metadata: MessageRecordMetadata


class OffloadRecordKey(TypedDict):
    offload: str


class OffloadRecordContent(TypedDict):
    text: str


class _OffloadRecordMetadata(TypedDict):
    bytes: int
    kind: Literal["offload"]


class OffloadRecordMetadata(_OffloadRecordMetadata, total=False):
    tool: str


class OffloadRecord(TypedDict):
    key: OffloadRecordKey
    content: OffloadRecordContent
    metadata: OffloadRecordMetadata


class PartRecordKey(TypedDict):
    head: str  # key hash of the head
    write: str  # id of the write of the record
    part: int


class PartRecordContent(TypedDict):
    base64: str


class PartRecordMetadata(TypedDict):
    kind: Literal["part"]


class PartRecord(TypedDict):
    key: PartRecordKey
    content: PartRecordContent
    metadata: PartRecordMetadata


class SummaryRecordKey(TypedDict):
    conversation: str
    summary: str


SummaryRecordContentCovers = TypedDict("SummaryRecordContentCovers", {"from": "int", "to": "int"})


class SummaryRecordContent(TypedDict):
    text: str
    key_facts: list[str]
    open_threads: list[str]
    covers: SummaryRecordContentCovers


class SummaryRecordMetadata(TypedDict):
    level: int
    kind: Literal["summary"]


class SummaryRecord(TypedDict):
    key: SummaryRecordKey
    content: SummaryRecordContent
    metadata: SummaryRecordMetadata


class TargetRecordKey(TypedDict):
    target: str
    name: str


class TargetRecordContent(TypedDict):
    description: str


class TargetRecordMetadata(TypedDict):
    type: str
    name: str
    kind: Literal["target"]


class TargetRecord(TypedDict):
    key: TargetRecordKey
    content: TargetRecordContent
    metadata: TargetRecordMetadata


class ToolCallRecordKey(TypedDict):
    tool_call: str


class _ToolCallRecordContent(TypedDict):
    tool: str
    input: Any  # any JSON value
    output: Any  # any JSON value
    success: bool


class ToolCallRecordContent(_ToolCallRecordContent, total=False):
    token_cost: float
    time_cost_s: float


class ToolCallRecordMetadata(TypedDict):
    tool: str
    success: bool
    kind: Literal["tool_call"]


class ToolCallRecord(TypedDict):
    key: ToolCallRecordKey
    content: ToolCallRecordContent
    metadata: ToolCallRecordMetadata


class TripleRecordKey(TypedDict):
    subject: str
    predicate: str
    object: str


class TripleRecordContent(TypedDict, total=False):
    evidence: str


class TripleRecordMetadata(TypedDict):
    subject: str
    predicate: str
    object: str
    trust: Literal["user", "agent", "tool", "web"]
    kind: Literal["triple"]


class TripleRecord(TypedDict):
    key: TripleRecordKey
    content: TripleRecordContent
    metadata: TripleRecordMetadata
