import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Clock } from '#core/clock';
import type { Log } from '#core/log';
import type { MetricsRegistry } from '#core/metrics';
import type { Database } from '#database/database';
import type { Deadline } from '#database/deadline';
import type { RefreshStore } from '#upstream/claims-and-budgets-store';
import type { Component } from '#upstream/component';
import type { FailureLog } from '#upstream/failure-log';
import type { Staleness, Warning } from '#upstream/freshness';
import type { createUpstreamRecording, UpstreamReading } from '#upstream/metrics';
import type { SourceOutcomes } from '#upstream/source-outcomes';
import type { VersionWatcher } from '#upstream/version-watcher';
import type { RequestBodies } from './connections/request-body.ts';
import type { Gate } from './gate.ts';
import type { OpenStreams } from './replies/open-streams.ts';
import type { ReportProblem } from './replies/problem-replies.ts';
import type { ResponseCache } from './replies/response-cache.ts';
import type { Send } from './replies/write-answer.ts';

export type CapabilityDeps<Settings = unknown> = ReturnType<typeof createUpstreamRecording> & {
  settings: Settings & { upstreamTimeoutMs: number };
  database: Pick<Database, 'prisma' | 'query'>;
  /** Wraps every store that a request waits for. */
  deadline: Deadline;
  refreshes: RefreshStore;
  versions: VersionWatcher;
  responses: ResponseCache;
  metrics: MetricsRegistry;
  clock: Clock;
  log: Log;
  failures: FailureLog;
  outcomes: Pick<SourceOutcomes, 'note' | 'latest'>;
};

type RouteDeps = {
  bodies: RequestBodies;
  send: Send;
  streams: Pick<OpenStreams, 'respond'>;
  gate: Pick<Gate, 'issueTicket'>;
  report: ReportProblem;
};

/** An opened part of the service, with what it provides to the server, status and metrics. */
export type Capability = {
  /** The routes below `/v1`. */
  routes?: FastifyPluginAsyncZod<RouteDeps>;
  /** The routes directly below the base path. They pass the same gate. */
  rootRoutes?: FastifyPluginAsyncZod<RouteDeps>;
  /** Reloads data written by other processes. Runs once a second if there can be other processes. */
  poll?: () => Promise<void>;
  /** Conditions to report to operators although the service works. */
  warnings?: () => Warning[];
  /** The parts of the service that the status page shows, with their current states. */
  components?: () => Component[];
  readings?: {
    upstreams?: () => readonly UpstreamReading[];
    staleness?: () => readonly Staleness[];
    add?: (registry: MetricsRegistry) => void;
  };
  close?: () => Promise<void>;
};
