import { z } from 'zod';
import { jsonReply, parseJson, textReply } from '../core/replies.ts';
import { MINUTE, SECOND } from '../core/time.ts';
import type { Setting, Upstream } from '../core/upstream.ts';
import { createChainFigures } from './chain-figures.ts';

const LAMPORTS = 1e9;
const SLOTS_IN_EPOCH = 432_000;
const MOST_SAMPLES = 720;
const FILLED = 0.95;

const question = z.object({
  id: z.union([z.number(), z.string()]),
  method: z.string(),
  params: z.array(z.unknown()).default([]),
});

type Outcome = { result: unknown } | { error: { code: number; message: string } };

const reply = (id: number | string | null, outcome: Outcome) =>
  jsonReply(200, { jsonrpc: '2.0', ...outcome, id });
const failed = (code: number, message: string): Outcome => ({ error: { code, message } });

/** The stand-in for a Solana node: JSON-RPC 2.0 by POST to its root, errors under HTTP 200. */
export function createSolana({ seed, clock }: Setting): Upstream {
  const chain = createChainFigures(seed, 'solana');
  const slotMs = chain.blockSeconds * SECOND * FILLED;
  const slotAt = (now: number) => Math.floor(chain.heightAt(now) / FILLED);

  const methods: Record<string, (now: number, params: readonly unknown[]) => Outcome> = {
    getEpochInfo(now) {
      const absoluteSlot = slotAt(now);
      return {
        result: {
          absoluteSlot,
          blockHeight: chain.heightAt(now),
          epoch: Math.floor(absoluteSlot / SLOTS_IN_EPOCH),
          slotIndex: absoluteSlot % SLOTS_IN_EPOCH,
          slotsInEpoch: SLOTS_IN_EPOCH,
          transactionCount: chain.transactionsAt(now),
        },
      };
    },

    getSupply(now) {
      const total = chain.supplyAt(now) * LAMPORTS;
      const value = { circulating: total, nonCirculating: 0, nonCirculatingAccounts: [], total };
      return { result: { context: { slot: slotAt(now) }, value } };
    },

    getRecentPerformanceSamples(now, [limit = MOST_SAMPLES]) {
      const wanted = z.int().min(0).safeParse(limit);
      if (!wanted.success) return failed(-32602, 'Invalid params: invalid type');
      if (wanted.data > MOST_SAMPLES) return failed(-32602, `Invalid limit; max ${MOST_SAMPLES}`);
      const minute = Math.floor(now / MINUTE);
      const samples = Array.from({ length: wanted.data }, (_, back) => {
        const at = (minute - back) * MINUTE;
        const transactions = chain.transactionsAt(at) - chain.transactionsAt(at - MINUTE);
        return {
          numNonVoteTransactions: Math.floor(transactions * 0.3),
          numSlots: Math.round(MINUTE / slotMs),
          numTransactions: transactions,
          samplePeriodSecs: 60,
          slot: slotAt(at),
        };
      });
      return { result: samples };
    },
  };

  return {
    prefix: '/solana',
    rateLimited: () => reply(null, failed(429, 'Too many requests for a specific RPC call')),
    answer({ method, path, body }) {
      if (path !== '' && path !== '/') return textReply(404, 'Not found');
      if (method !== 'POST') {
        return textReply(405, 'Used HTTP Method is not allowed. POST or OPTIONS is required\n');
      }
      const json = parseJson(body);
      if (json === undefined) return reply(null, failed(-32700, 'Parse error'));
      const { data: asked } = question.safeParse(json);
      if (!asked) return reply(null, failed(-32600, 'Invalid request'));
      const known = Object.hasOwn(methods, asked.method) ? methods[asked.method] : undefined;
      return reply(asked.id, known?.(clock.now(), asked.params) ?? failed(-32601, 'Method not found'));
    },
  };
}
