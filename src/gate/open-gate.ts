import type { Clock } from '#core/clock';
import type { MetricsRegistry } from '#core/metrics';
import { withinDeadline } from '#database/deadline';
import type { OpenKeys } from '#keys/open-keys';
import { addLeaseReadings, addLeaseRowReadings } from '#ledger/ledger-metrics';
import type { OpenLedger } from '#ledger/open-ledger';
import type { Gate } from '#server/gate';
import type { FailureLog } from '#upstream/failures/failure-log';
import { type Admitting, createGate } from './admission.ts';
import { createAllowance } from './allowance.ts';

type Deps = Pick<OpenKeys, 'keyCache' | 'tickets'> &
  Pick<OpenLedger, 'ledger' | 'observeWait'> & {
    settings: { burstPerSecond: number; shutdownGraceMs: number };
    clock: Clock;
    failures: FailureLog;
    requestLog: Gate['requestLog'];
  };

export function openGate({ settings, keyCache, tickets, ledger, observeWait, ...deps }: Deps) {
  const { clock, failures, requestLog } = deps;
  const { burstPerSecond, shutdownGraceMs } = settings;
  const allowance = createAllowance({
    keyCache,
    ledger,
    clock,
    failures,
    firstGrant: burstPerSecond || undefined,
    observeWait,
  });

  return {
    allowance,
    gate: {
      ...createGate(allowance, burstPerSecond),
      issueTicket: ({ caller }) => tickets.issue(caller),
      redeemTicket: tickets.redeem,
      requestLog,
    } satisfies Admitting,
    addReadings(registry: MetricsRegistry): void {
      addLeaseReadings(registry, allowance.reading);
      addLeaseRowReadings(registry, () => withinDeadline(ledger.leaseRows()));
    },
    close: (): Promise<void> => allowance.close(shutdownGraceMs),
  };
}

export type OpenGate = ReturnType<typeof openGate>;
