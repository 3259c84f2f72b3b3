-- The access log in ClickHouse, filled by vector.yaml. One row a request; docs/health.md says what each member is.
CREATE DATABASE IF NOT EXISTS vulndex;

CREATE TABLE IF NOT EXISTS vulndex.requests
(
    time        DateTime64(3, 'UTC') CODEC(DoubleDelta, ZSTD),
    replica     LowCardinality(String),
    method      LowCardinality(String),
    route       LowCardinality(String),
    status      UInt16,
    tookMs      Float32,
    bytes       UInt64,
    requestId   Nullable(String),
    keyId       LowCardinality(Nullable(String)),
    traceparent Nullable(String),
    cutOff      Nullable(Bool),
    -- What other systems know the trace by.
    traceId     String MATERIALIZED substring(ifNull(traceparent, ''), 4, 32),
    INDEX byTrace traceId TYPE bloom_filter GRANULARITY 4
)
ENGINE = MergeTree
PARTITION BY toDate(time)
ORDER BY (route, time)
-- Who asked, and when, is about persons: keep it no longer than needed.
TTL toDateTime(time) + INTERVAL 90 DAY;
