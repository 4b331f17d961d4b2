"""Memory host for the profile `basic` (protocol/spec/08-basic.md), with in-memory storage and word search.

Usage:
    pip install nats-py && python host.py nats://127.0.0.1:4222"""

import asyncio, base64, difflib, hashlib, json, logging, math, re, sys, time, unicodedata, uuid
import nats, nats.micro

TIERS = ("working", "episodic", "semantic")
FEATURES = ("full_text", "ttl")
# Storage limit for all agents, and overhead per entry in addition to its JSON. Beyond the limit,
# stores fail with `memory_full`.
BYTES_MAX, ENTRY_BYTES, SWEEP_S = 64 * 2**20, 1_024, 30
# Number of the NATS header for each error code. None of these errors is retryable.
CODES = {"parse_error": 400, "invalid_message": 400, "version_mismatch": 400, "schema_violation": 400, "conflict": 409,
         "too_large": 413, "runtime_error": 500, "unsupported": 501, "memory_full": 507}

ENVELOPE = {"type", "id", "version", "ts", "session_id", "deadline_ms", "requires"}
CRITERIA = {"namespace", "keys", "tags", "tier"}
FIELDS = {"ping": ENVELOPE, "store": ENVELOPE | {"namespace", "entries"}, "forget": ENVELOPE | CRITERIA | {"all"},
          "retrieve": ENVELOPE | CRITERIA | {"query", "limit", "min_score"}}
# Fields of other profiles. They are rejected with `unsupported`, because the sender relies on them.
OTHER_CRITERIA = {"match", "tags_mode", "group", "since", "until", "where"}
OTHER_FIELDS = {"ping": set(), "store": {"ack"}, "forget": OTHER_CRITERIA | {"dry_run", "cascade", "purge"},
                "retrieve": OTHER_CRITERIA | {"embedding", "embedding_model", "order", "cursor", "mode", "include",
                                              "fields", "recency", "diversity", "expand", "explain", "rerank"}}
OTHER_ENTRY_FIELDS = {"metadata", "text", "context", "group", "occurred_at", "importance", "sources", "embedding",
                      "embedding_model", "expires_at", "if_revision"}
SEGMENT = r"[^/*\x00-\x1f\x7f]{1,64}"
NAMESPACE = re.compile(rf"{SEGMENT}(/{SEGMENT}){{0,7}}")
SURROGATE = re.compile("[\ud800-\udfff]")
TOKEN = re.compile(r"[A-Za-z0-9_-]{1,64}")
STARTED = time.time() - time.monotonic()


def now():
    """Return monotonic Unix seconds, from which revisions are made."""
    return STARTED + time.monotonic()


class Refused(Exception):
    def __init__(self, code, message, **detail):
        super().__init__(message)
        self.error = {"code": code, "message": message, "detail": detail, "retryable": False}


def wrong(path, message):
    return Refused("schema_violation", f"{path[:200] or 'message'}: {message}", path=path[:200])


def at_most(limit, maximum, got):
    if got > maximum:
        raise Refused("too_large", f"{limit} exceeded: {got}, maximum {maximum}", limit=limit, max=maximum, got=got)


# Parsing and validation of requests


def refuse_constant(name):
    raise ValueError(f"{name} is not valid JSON")


def parse(data, content_type):
    packed = data[:1] and (0x80 <= data[0] <= 0x8F or data[0] in (0xDE, 0xDF))
    if content_type == "application/msgpack" or (packed and content_type != "application/json"):
        raise Refused("unsupported", "the profile basic does not support MessagePack")
    try:
        message = json.loads(data.decode("utf-8"), parse_constant=refuse_constant)
    except RecursionError:
        raise Refused("too_large", "nesting too deep", limit="depth", max=64, got=sys.getrecursionlimit())
    except ValueError as error:
        raise Refused("parse_error", f"not valid UTF-8 JSON: {error}".replace("\n", " "))
    if not isinstance(message, dict):
        raise Refused("invalid_message", "a message must be an object")
    return message


def check_values(message):
    """Reject values that JSON allows but other languages cannot represent."""
    count, stack = 0, [(message, 0)]
    while stack:
        value, depth = stack.pop()
        if isinstance(value, (dict, list)):
            count += 1
            at_most("depth", 64, depth)
            at_most("nestedValues", 100_000, count)
            stack.extend((part, depth + 1) for part in (value.values() if isinstance(value, dict) else value))
        if isinstance(value, dict):
            at_most("objectFields", 1_024, len(value))
            stack.extend((name, depth + 1) for name in value)
            if "__proto__" in value:
                raise wrong("", "a field must not be called __proto__")
        elif isinstance(value, str) and SURROGATE.search(value):
            raise wrong("", "must not contain an unpaired surrogate")
        elif isinstance(value, int) and abs(value) >= 2**53 or isinstance(value, float) and not math.isfinite(value):
            raise wrong("", "number out of range")


def string(value, path, limit="stringLength", maximum=4_096):
    if not isinstance(value, str) or value == "":
        raise wrong(path, "must be a non-empty string")
    at_most(limit, maximum, len(value.encode("utf-16-le")) // 2)
    return value


def number(value, path, low, high, whole=False):
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not low <= value <= high or (whole and value != int(value)):
        raise wrong(path, f"must be {'an integer' if whole else 'a number'} of {low}..{high}")
    return int(value) if whole else value


def items(value, path, limit, maximum, read):
    if not isinstance(value, list) or not value:
        raise wrong(path, "must be a non-empty list")
    at_most(limit, maximum, len(value))
    return [read(item, f"{path}[{at}]") for at, item in enumerate(value)]


def tag(value, path):
    return string(value, path, "tagLength", 256)


def tier_of(value, path="tier"):
    if value not in TIERS:
        raise wrong(path, f"must be one of {', '.join(TIERS)}")
    return value


def canonical(value):
    """Return canonical JSON (RFC 8785): fields sorted by UTF-16 units, numbers as in ECMAScript."""
    if isinstance(value, dict):
        fields = sorted(value.items(), key=lambda field: field[0].encode("utf-16-be"))
        return "{" + ",".join(f"{canonical(name)}:{canonical(part)}" for name, part in fields) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, float):
        return ecmascript(value)
    return json.dumps(value, ensure_ascii=False)


def ecmascript(value):
    """Format a number as ECMAScript does, with the shortest digits that represent the same double."""
    digits, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = digits.partition(".")
    point = len(whole) + int(exponent or 0)
    digits = (whole + fraction).lstrip("0")
    point -= len(whole + fraction) - len(digits)
    digits = digits.rstrip("0")
    sign = "-" if value < 0 else ""
    if digits == "":
        return "0"
    if len(digits) <= point <= 21:
        return sign + digits.ljust(point, "0")
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    return f"{sign}{digits[0]}{'.' if digits[1:] else ''}{digits[1:]}e{point - 1:+d}"


def key_of(value, path):
    key = {"name": string(value, path)} if isinstance(value, str) else value
    if not isinstance(key, dict) or not key:
        raise wrong(path, "must be a string or a non-empty object")
    for name in key:
        if name == "" or name.startswith("$"):
            raise wrong(path, "must not contain empty field names or names that begin with $")
    at_most("keyBytes", 4_096, len(canonical(key).encode()))
    return key


def hash_of(key):
    return hashlib.sha256(canonical(key).encode()).hexdigest()


def key_hash(value, path):
    """Return the hash of a key in criteria, which may also be given as `$hash`."""
    if isinstance(value, dict) and set(value) == {"$hash"}:
        if isinstance(value["$hash"], str) and re.fullmatch("[0-9a-f]{64}", value["$hash"]):
            return value["$hash"]
    return hash_of(key_of(value, path))


def printable_id(value, path):
    if any(unicodedata.category(character).startswith("C") for character in string(value, path, "idLength", 128)):
        raise wrong(path, "must be printable")
    return value


def namespace_of(value, path):
    is_path = isinstance(value, str) and NAMESPACE.fullmatch(value.removesuffix("/**"))
    if not is_path or any(len(segment.encode("utf-16-le")) > 128 for segment in value.split("/")):
        raise wrong(path, "must be a path of 1..8 segments")
    return value


def boolean(value, path):
    if not isinstance(value, bool):
        raise wrong(path, "must be a boolean")
    return value


def readable_id(message):
    """Return the `id` of a message that may be invalid otherwise, or None."""
    try:
        return printable_id(message.get("id"), "id")
    except (Refused, UnicodeEncodeError):
        return None


# Reader for the value of each request field.
READ = {
    "id": printable_id,
    "ts": lambda value, path: number(value, path, -math.inf, math.inf),
    "session_id": lambda value, path: string(value, path, "idLength", 128),
    "deadline_ms": lambda value, path: number(value, path, 1, 600_000, whole=True),
    "requires": lambda value, path: items(value, path, "requires", 64, string) if value else [],
    "namespace": namespace_of,
    "keys": lambda value, path: items(value, path, "criteriaKeys", 1_000, key_hash),
    "tags": lambda value, path: items(value, path, "tags", 256, tag),
    "tier": tier_of,
    "query": lambda value, path: string(value, path, "queryLength", 8_192),
    "limit": lambda value, path: number(value, path, 0, 1_000, whole=True),
    "min_score": lambda value, path: number(value, path, 0, 1),
    "all": boolean,
    "entries": lambda value, path: items(value, path, "storeEntries", 1_000, lambda entry, _: entry),
}


def check_request(message, operation):
    """Return the given fields of a request after validating them."""
    given, known = {}, FIELDS[operation] | OTHER_FIELDS[operation]
    for name, value in message.items():
        empty = value == "" or (value == [] and name != "entries")
        if value is None or name.startswith("x_") or (empty and (operation != "forget" or name == "session_id")):
            continue
        if name not in known:
            near = difflib.get_close_matches(name[:64], known, 1)
            raise wrong(name, "unknown field" + (f" (did you mean `{near[0]}`?)" if near else ""))
        given[name] = READ[name](value, name) if name in READ else value
    if operation == "store" and "entries" not in given:
        raise wrong("entries", "is required")
    is_subtree = given.get("namespace", "").endswith("/**")
    if operation == "store" and is_subtree:
        raise wrong("namespace", "must be one namespace, not a subtree, for a store")
    criteria = given.keys() & (OTHER_CRITERIA | {"keys", "tags"})
    if operation == "forget" and not (criteria or given.get("all") or given.get("tier") in ("working", "episodic")):
        raise wrong("all", "would forget every entry: confirm with `all: true`")
    others = [name for name in given if name in OTHER_FIELDS[operation]] + ["a subtree"] * is_subtree
    others += [name for name in given.get("requires", ()) if name not in FEATURES]
    if others:
        raise Refused("unsupported", f"not supported by the profile basic: {', '.join(others)}"[:500])
    return given


def check_entry(entry, agent):
    """Return the stored form of an entry (its key and fields) and its size."""
    if not isinstance(entry, dict):
        raise wrong("", "must be an object")
    size = len(encoded(entry))
    at_most("entryBytes", 262_144, size)
    given = {name: value for name, value in entry.items() if value is not None or name == "content"}
    for name in given:
        if name.startswith("if_") and name != "if_revision":
            raise wrong(name, "unknown condition (did you mean `if_revision`?)")
    if "content" not in given:
        raise wrong("content", "is required")
    key = key_of(entry.get("key"), "key")
    kept = {
        "tier": tier_of(given.get("tier", "working")),
        "tags": items(given["tags"], "tags", "tags", 256, tag) if given.get("tags", []) != [] else [],
        "source": string(given["source"], "source") if given.get("source", "") != "" else agent,
        "score": number(given.get("score", 1), "score", 0, 1),
        "ttl": number(given.get("ttl", 0), "ttl", 0, 1e10) or None,
    }
    others = [name for name in given if name in OTHER_ENTRY_FIELDS]
    if others:
        raise Refused("unsupported", f"not supported by the profile basic: {', '.join(others)}")
    return {"key": key, "key_hash": hash_of(key), "content": given["content"], **kept}, size


# Storage: partitions that are readable only with their scope


def leaves(value, name=""):
    if isinstance(value, (dict, list)):
        for part, inner in value.items() if isinstance(value, dict) else ((name, item) for item in value):
            yield from leaves(inner, part)
    elif value is not None:
        yield f"{name}: {value if isinstance(value, str) else json.dumps(value)}"


def words_of(text):
    return set(re.findall(r"[^\W_]+", text.casefold()))


def indexed(key, content):
    """Return the words for search: from the entry's text and the strings of its key."""
    inner = content.get("text") if isinstance(content, dict) else None
    text = next((one for one in (content, inner) if isinstance(one, str)), None)
    text = "\n".join(leaves(content)) if text is None else text
    text = text.encode("utf-16-le")[: 65_536 * 2].decode("utf-16-le", "ignore")
    return words_of(" ".join([text, *(value for value in key.values() if isinstance(value, str))]))


def scope_of(tier, caller, given):
    (tenant, agent), namespace = caller, given.get("namespace", "default")
    return {"working": (tier, tenant, agent, given.get("session_id", ""), namespace),
            "episodic": (tier, tenant, agent, namespace), "semantic": (tier, tenant, namespace)}[tier]


def shown_key(entry):
    try:
        return key_of(entry["key"], "key")
    except (Refused, TypeError, KeyError):
        return None


class Memory:
    """Rows by scope and key hash. Only callers that share a scope can address it."""

    def __init__(self):
        self.scopes, self.bytes = {}, 0

    def put(self, scope, kept, size, author, at):
        self.live(scope, [kept["key_hash"]])
        former = self.scopes.get(scope, {}).get(kept["key_hash"])
        if self.bytes + size + ENTRY_BYTES > BYTES_MAX:
            raise Refused("memory_full", "storage limit reached: forget entries first", limit="tenantBytes", max=BYTES_MAX)
        before = former["entry"] if former else {}
        # A store takes longer than a microsecond, so revisions also increase across a forget.
        revision = max(before.get("revision", 0) + 1, int(now() * 1e6))
        created = before["timestamps"]["created"] if former else at
        entry = {**kept, "namespace": scope[-1], "author": author, "importance": before.get("importance", kept["score"]),
                 "occurred_at": created, "timestamps": {"created": created, "updated": at, "accessed": at},
                 "revision": revision, "seq": before.get("seq", revision)}
        if kept["ttl"]:
            entry["expires_at"] = at + kept["ttl"]
        self.remove(scope, [former] if former else [])
        row = {"entry": entry, "words": indexed(kept["key"], kept["content"]), "size": size + ENTRY_BYTES}
        self.scopes.setdefault(scope, {})[kept["key_hash"]] = row
        self.bytes += row["size"]
        return {"key_hash": kept["key_hash"], "outcome": "updated" if former else "created", "revision": revision}

    def remove(self, scope, rows):
        for row in rows:
            del self.scopes[scope][row["entry"]["key_hash"]]
            self.bytes -= row["size"]
        if not self.scopes.get(scope, True):
            del self.scopes[scope]

    def live(self, scope, hashes=None):
        """Return the rows with these key hashes, or all rows. Expired rows are removed."""
        rows, at = self.scopes.get(scope, {}), now()
        found = list(rows.values()) if hashes is None else [rows[one] for one in dict.fromkeys(hashes) if one in rows]
        ended = [row for row in found if row["entry"].get("expires_at", math.inf) <= at]
        self.remove(scope, ended)
        return [row for row in found if row["entry"].get("expires_at", math.inf) > at] if ended else found

    def select(self, scope, hashes, tags):
        return [row for row in self.live(scope, hashes) if tags is None or set(tags) & set(row["entry"]["tags"])]


def agent_of(token):
    """Return the agent name of a subject token, or None if the token is not canonical."""
    if TOKEN.fullmatch(token):
        return token
    try:
        name = base64.b64decode(token[1:] + "=" * (-len(token[1:]) % 4), b"-_", validate=True).decode()
    except ValueError:
        return None
    again = "=" + base64.urlsafe_b64encode(name.encode()).decode().rstrip("=")
    return name if again == token and 1 <= len(name.encode()) <= 192 and not TOKEN.fullmatch(name) else None


def encoded(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def enveloped(fields, request_id):
    return encoded({**fields, "id": str(uuid.uuid4()), "version": "1.0", "ts": time.time(), "req_id": request_id})


class Host:
    def __init__(self, connection, prefix):
        self.connection, self.prefix, self.id, self.memory = connection, prefix, None, Memory()

    # Operations: each takes the result of `check_request` and returns the fields of its reply

    def ping(self, given, caller):
        return {"type": "pong", "host_id": self.id, "tiers": list(TIERS)}

    def store(self, given, caller):
        at, checked, errors, receipts, stored = now(), {}, {}, [], []
        for index, entry in enumerate(given["entries"]):
            try:
                checked[index] = check_entry(entry, caller[1])
            except Refused as refused:
                errors[index] = refused.error
        last = {(kept["tier"], kept["key_hash"]): index for index, (kept, _) in checked.items()}
        for index, (kept, size) in checked.items():
            try:
                if last[kept["tier"], kept["key_hash"]] != index:
                    raise Refused("conflict", "a later entry of this store has the same key")
                scope = scope_of(kept["tier"], caller, given)
                receipts.append({"index": index, **self.memory.put(scope, kept, size, caller[1], at)})
                stored.append(kept["key"])
            except Refused as refused:
                errors[index] = refused.error
        refusals = [{"index": i, "key": shown_key(given["entries"][i]), **errors[i]} for i in sorted(errors)]
        return {"type": "memory/store/resp", "stored": stored, "receipts": receipts, "errors": refusals}

    def selected(self, given, caller):
        for tier in [given["tier"]] if "tier" in given else TIERS:
            scope = scope_of(tier, caller, given)
            yield tier, scope, self.memory.select(scope, given.get("keys"), given.get("tags"))

    def retrieve(self, given, caller):
        at, asked, found = now(), words_of(given.get("query", "")), []
        for row in (row for _, _, rows in self.selected(given, caller) for row in rows):
            importance, score = row["entry"]["importance"], row["entry"]["importance"]
            if "query" in given:
                score = len(asked & row["words"]) / max(len(asked), 1) * (0.75 + 0.25 * importance)
            if score >= given.get("min_score", 0) and (score > 0 or "query" not in given):
                found.append({**row["entry"], "score": score})
        by = (lambda one: [-one["score"]]) if "query" in given else (lambda one: [-one["occurred_at"], -one["seq"]])
        found.sort(key=lambda one: (by(one), TIERS.index(one["tier"]), one["key_hash"]))
        page, room = [], self.connection.max_payload - 4_096
        for entry in found[: given.get("limit", max(10, len(given.get("keys", []))))]:
            room -= len(encoded(entry)) + 1
            if room < 0:
                break
            entry["timestamps"]["accessed"] = at
            page.append(entry)
        took = {"total": (now() - at) * 1_000}
        return {"type": "memory/retrieve/resp", "entries": page, "total": len(found), "total_relation": "eq",
                "took_ms": took}

    def forget(self, given, caller):
        by_tier = {}
        for tier, scope, rows in self.selected(given, caller):
            self.memory.remove(scope, rows)
            by_tier[tier] = len(rows)
        receipt = {"id": str(uuid.uuid4()), "at": now(), "by_tier": by_tier, "purge": "done"}
        return {"type": "memory/forget/resp", "deleted": sum(by_tier.values()), "receipt": receipt}

    # Messages: identity, operation and reply

    def answer(self, message, subject):
        tenant, token, *rest = subject[len(self.prefix) + 1 :].split(".")
        agent, with_tier = agent_of(token), len(rest) == 4 and rest[2] in TIERS
        operation = rest[0] if rest == ["ping"] else rest[1]
        known = operation in ("ping", "store", "retrieve", "forget", "status", "list") and (len(rest) < 4 or with_tier)
        if not TOKEN.fullmatch(tenant) or agent is None or not known:
            raise Refused("invalid_message", "invalid subject: expected a tenant, an agent and an operation")
        if message.get("type") != ("ping" if operation == "ping" else f"memory/{operation}/req"):
            raise Refused("invalid_message", "`type` does not match the subject", path="type")
        version = message.get("version")
        version = "1.0" if version is None or (version == "" and operation != "forget") else version
        major = re.match(r"(\d+)(\.|$)", version) if isinstance(version, str) else None
        if major and major[1] != "1":
            raise Refused("version_mismatch", "unsupported version: expected 1.x")
        if not isinstance(version, str) or not re.fullmatch(r"1\.\d{1,6}", version):
            raise wrong("version", "must be 1.x")
        if with_tier or operation not in FIELDS:
            raise Refused("unsupported", "the profile basic does not support tiers in subjects, status and list")
        return getattr(self, operation)(check_request(message, operation), (tenant, agent))

    def reply_to(self, message):
        """Return the JSON reply to a NATS message, and its headers."""
        request_id, headers, room = None, {"Content-Type": "application/json"}, self.connection.max_payload - 2_048
        try:
            fields = parse(message.data, (message.headers or {}).get("Content-Type"))
            request_id = readable_id(fields)
            check_values(fields)
            payload = enveloped(self.answer(fields, message.subject), request_id or str(uuid.uuid4()))
            at_most("messageBytes", room, len(payload))
        except Exception as error:
            if not isinstance(error, Refused):
                logging.exception("request failed on %s", message.subject)
                error = Refused("runtime_error", "internal error of the host. Its log has the cause")
            payload = enveloped({"type": "error", **error.error, "capability_name": "memory"}, request_id)
            shown = re.sub(r"[^ -~]", "?", error.error["message"])[:256]
            headers |= {"Nats-Service-Error": shown, "Nats-Service-Error-Code": str(CODES[error.error["code"]])}
        return payload, headers

    async def take(self, message):
        token, operation = message.subject[len(self.prefix) + 1 :].split(".", 2)[1:]
        inboxes = ("_INBOX.", f"_INBOX_{token}.")
        if message.reply.startswith(inboxes) if message.reply else operation in ("memory.store.req", "memory.forget.req"):
            payload, headers = self.reply_to(message)
            if message.reply:
                await self.connection.publish(message.reply, payload, headers=headers)

    async def serve(self):
        metadata = {"profile": "basic", "protocol_version": "1.1", "state": "serving", "tenants": "*",
                    "prefix": self.prefix, "tiers": ",".join(TIERS), "features": ",".join(FEATURES)}
        service = await nats.micro.add_service(self.connection, name="membus", version="0.1.0", metadata=metadata)
        self.id = service.id
        for pattern in ("memory.*.req", "memory.*.*.req", "ping"):
            await self.connection.subscribe(f"{self.prefix}.*.*.{pattern}", queue="membus", cb=self.take)
        await self.connection.flush()
        print("serving", flush=True)
        while True:
            await asyncio.sleep(SWEEP_S)
            for scope in list(self.memory.scopes):
                self.memory.live(scope)


async def main(url="nats://127.0.0.1:4222", prefix="a2e"):
    await Host(await nats.connect(url, name="host-python"), prefix).serve()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
