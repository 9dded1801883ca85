import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Clock } from '#core/clock';
import type { Log } from '#core/log';
import type { MetricsRegistry } from '#core/metrics';
import type { Database } from '#database/database';
import type { Deadline } from '#database/deadline';
import type { RefreshStore } from '#upstream/claims-and-budgets-store';
import type { FailureLog } from '#upstream/failure-log';
import type { Warning } from '#upstream/freshness';
import type { createUpstreamRecording, StalenessReading, UpstreamReading } from '#upstream/metrics';
import type { VersionWatcher } from '#upstream/version-watcher';
import type { RequestBodies } from './connections/request-body.ts';
import type { ResponseCache } from './replies/response-cache.ts';
import type { Send } from './replies/write-answer.ts';

/** What every capability is opened with. */
export type CapabilityDeps<Settings = unknown> = ReturnType<typeof createUpstreamRecording> & {
  settings: Settings & { upstreamTimeoutMs: number };
  database: Pick<Database, 'prisma' | 'query'>;
  /** Put around every store that a request waits for. */
  deadline: Deadline;
  refreshes: RefreshStore;
  /** Updates what is cached of the stored data. */
  versions: VersionWatcher;
  /** The cache of all answers. */
  responses: ResponseCache;
  metrics: MetricsRegistry;
  clock: Clock;
  log: Log;
  failures: FailureLog;
};

/** A part of the service, as it is opened: what the server, the status and the metrics know of it. */
export type Capability = {
  /** Its routes, below `/v1`. */
  routes?: FastifyPluginAsyncZod<{ bodies: RequestBodies; send: Send }>;
  /** Reloads what other processes have written: once a second, where there can be others. */
  poll?: () => Promise<void>;
  /** What is worth knowing while it serves all the same. */
  warnings?: () => Warning[];
  /** What metrics read of it at a scrape. */
  readings?: {
    upstreams?: () => readonly UpstreamReading[];
    staleness?: () => readonly StalenessReading[];
    /** Adds metrics of its own. */
    add?: (registry: MetricsRegistry) => void;
  };
  close?: () => Promise<void>;
};
