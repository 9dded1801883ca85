import { z } from 'zod';
import { type Clock, MINUTE, SECOND } from '#core/clock';
import type { Job } from '#core/jobs';
import type { Deliver } from '#notifications/outbox';
import type { RefreshStore } from '#upstream/claims-and-budgets-store';
import type { ChannelDeps } from '../channels/channel.ts';
import { CHANNELS } from '../channels/channels.ts';
import type { NoticeStore } from './notice-store.ts';

const payload = z.object({ notice: z.uuid() });

type Dependencies = Omit<ChannelDeps, 'mailedTo'> & { store: Pick<NoticeStore, 'find' | 'mailedTo' | 'delivered'> };

export function createNoticeDelivery({ store, ...deps }: Dependencies): Record<string, Deliver> {
  const deliveries = CHANNELS.map(({ kind, deliveredColumn, open }): [string, Deliver] => {
    const send = open({ ...deps, mailedTo: store.mailedTo });
    return [
      kind,
      async (message, signal) => {
        const addressed = await store.find(payload.parse(message.payload).notice, deps.clock.now());
        // A notice without a recipient counts as delivered.
        if (!addressed || !(await send(addressed, message, signal))) return;
        await store.delivered(addressed.notice.id, deliveredColumn, deps.clock.now());
      },
    ];
  });
  return Object.fromEntries(deliveries);
}

/** How often each look-up runs in all processes together, and how often a process checks for its turn, in ms. */
const USAGE_INTERVAL = 5 * SECOND;
const VALIDITY_INTERVAL = MINUTE;
const TURN_INTERVAL = 2.5 * SECOND;
/** The delay between look-ups is at least this many times their duration, so it grows with the number of users. */
const PART = 50;
/** How long a call may wait, in ms, without the time for upstreams. After this time, its charge is final. */
const MAX_WAIT = 10 * SECOND;

type WatchDependencies = {
  store: Pick<NoticeStore, 'addUsageNotices' | 'addValidityNotices'>;
  claims: Pick<RefreshStore, 'takeTurn'>;
  wake: () => void;
  upstreamTimeoutMs: number;
  clock: Clock;
};

/** Finds due notices in stored data, so that no notice is lost when a process dies. */
export function createNoticeWatch(dependencies: WatchDependencies): Job {
  const { store, claims, wake, upstreamTimeoutMs, clock } = dependencies;
  const staysMs = upstreamTimeoutMs + MAX_WAIT;
  const rounds = [
    { what: 'notices:use', apart: USAGE_INTERVAL, addNotices: () => store.addUsageNotices(clock.now(), staysMs) },
    { what: 'notices:end', apart: VALIDITY_INTERVAL, addNotices: () => store.addValidityNotices(clock.now()) },
  ] as const;
  let longest = 0;

  async function checkInTurn(): Promise<void> {
    for (const { what, apart, addNotices } of rounds) {
      if (!(await claims.takeTurn(what, Math.max(apart, longest * PART)))) continue;
      const since = clock.elapsed();
      if ((await addNotices()) > 0) wake();
      longest = Math.max(longest / 2, clock.elapsed() - since);
    }
  }

  return { name: 'notice look-up', every: TURN_INTERVAL, run: checkInTurn };
}
