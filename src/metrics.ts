import { Counter, collectDefaultMetrics, Registry } from 'prom-client';
import type { FailureCause } from './domain/upstream-failure.ts';

/** What is counted, for Prometheus. Names and labels are fixed lists: none holds anything that a caller sent. */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const upstreamCalls = new Counter({
    name: 'quotient_upstream_calls_total',
    help: 'Calls to an upstream, by how they ended: ok, or the cause of the failure',
    labelNames: ['upstream', 'outcome'],
    registers: [registry],
  });
  const ledgerStatements = new Counter({
    name: 'quotient_ledger_statements_total',
    help: 'Statements that settle, extend and grant leases',
    registers: [registry],
  });

  return {
    upstreamCall: (upstream: string, outcome: FailureCause | 'ok') =>
      upstreamCalls.inc({ upstream, outcome }),
    ledgerStatement: () => ledgerStatements.inc(),
    /** The exposition's media type, and its text. */
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
