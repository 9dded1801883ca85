import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Clock } from '#core/clock';
import type { Job } from '#core/jobs';
import type { Log } from '#core/log';
import type { MetricsRegistry } from '#core/metrics';
import type { Database } from '#database/database';
import type { Deadline } from '#database/deadline';
import type { RefreshStore } from '#upstream/claims-and-budgets-store';
import type { Component } from '#upstream/component';
import type { FailureLog } from '#upstream/failures/failure-log';
import type { Staleness, Warning } from '#upstream/freshness';
import type { OpenSingleFlight } from '#upstream/single-flight';
import type { SourceOutcomes } from '#upstream/source-outcomes';
import type { createUpstreamRecording, UpstreamReading } from '#upstream/upstream-metrics';
import type { VersionWatcher } from '#upstream/version-watcher';
import type { RequestBodies } from './connections/request-body.ts';
import type { Gate } from './gate.ts';
import type { Send } from './responses/fast-path.ts';
import type { OpenStreams } from './responses/open-streams.ts';
import type { ReportProblem } from './responses/problem-responses.ts';
import type { ResponseCache } from './responses/response-cache.ts';
import type { SendBytes } from './responses/write-response.ts';

export type CapabilityDeps<Settings = unknown> = ReturnType<typeof createUpstreamRecording> & {
  settings: Settings & { upstreamTimeoutMs: number };
  database: Pick<Database, 'prisma' | 'query'>;
  /** Wraps every store that a request waits for. */
  deadline: Deadline;
  refreshes: RefreshStore;
  openSingleFlight: OpenSingleFlight;
  versions: VersionWatcher;
  responses: ResponseCache;
  metrics: MetricsRegistry;
  clock: Clock;
  log: Log;
  failures: FailureLog;
  outcomes: Pick<SourceOutcomes, 'note' | 'latest'>;
};

export type RouteDeps = {
  bodies: RequestBodies;
  send: Send;
  sendBytes: SendBytes;
  streams: Pick<OpenStreams, 'respond'>;
  gate: Pick<Gate, 'issueTicket' | 'countCalls' | 'charge' | 'refund' | 'limitsOf'>;
  report: ReportProblem;
};

export type Capability = {
  routes?: FastifyPluginAsyncZod<RouteDeps>;
  /** The routes directly under the base path. They pass the same gate. */
  rootRoutes?: FastifyPluginAsyncZod<RouteDeps>;
  jobs?: readonly Job[];
  /** Conditions to report to operators although the service works. */
  warnings?: () => Warning[];
  components?: () => Component[];
  readings?: {
    upstreams?: () => readonly UpstreamReading[];
    staleness?: () => readonly Staleness[];
    add?: (registry: MetricsRegistry) => void;
  };
  close?: () => Promise<void>;
};
