import type { Fault } from '#sandbox/faults';
import type { Sandbox } from '#sandbox/server';
import type { Journal } from './journal.ts';

const EVERY_MS = 3_000;

const FAULTS: readonly Fault[] = [
  { kind: 'delay', ms: 400 },
  { kind: 'status', status: 500 },
  { kind: 'status', status: 429, headers: { 'retry-after': '2' } },
  { kind: 'html' },
  { kind: 'html', status: 502 },
  { kind: 'slow', everyMs: 200 },
  { kind: 'huge', bytes: 2 ** 25 },
  { kind: 'rateLimitUnder200' },
  { kind: 'truncated' },
  { kind: 'hangBeforeHeaders' },
  { kind: 'hangMidway' },
  { kind: 'reset' },
  { kind: 'resetMidway' },
  { kind: 'emptyChart' },
  { kind: 'wrongTypes' },
];

/** The upstreams, and the share of time for which each upstream is faulty. */
const UPSTREAMS: readonly { path: RegExp; share: number }[] = [
  { path: /^\/api\/v3\/coins\/markets/, share: 0.4 },
  { path: /^\/api\/v3\/coins\/.*market_chart/, share: 0.4 },
  { path: /^\/(cryptocompare|bitcoin|ethereum|solana|arweave)\//, share: 0.3 },
  // The bench itself looks up accounts on the nodes, to sign transactions.
  { path: /^\/cosmos-node\/(?!.*auth)/, share: 0.25 },
  { path: /^\/legacy-node\/(?!.*auth)/, share: 0.25 },
];

/** Applies random faults to some upstreams, and changes the faults every few seconds. `close` removes all faults. */
export function startFaults(sandbox: Sandbox, random: () => number, journal: Journal) {
  function change(): void {
    sandbox.faults.clear();
    for (const { path, share } of UPSTREAMS) {
      if (random() >= share) continue;
      const fault = FAULTS[Math.floor(random() * FAULTS.length)] as Fault;
      sandbox.faults.always(fault, { path });
      journal.note(`fault of ${path.source}: ${JSON.stringify(fault)}`);
    }
  }
  const changing = setInterval(change, EVERY_MS);
  return {
    close(): void {
      clearInterval(changing);
      sandbox.faults.clear();
    },
  };
}
