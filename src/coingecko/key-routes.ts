import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { FREE } from './charged-routes.ts';

const MINUTE_SECONDS = 60;
const count = (description: string, example: number) => z.int().meta({ description, examples: [example] });

const keyRecord = z.object({
  plan: z.string().meta({ description: 'The plan of the user', examples: ['monthly'] }),
  rate_limit_request_per_minute: count('The burst limit, per minute', 3000),
  monthly_call_credit: count('The calls allowed in the current period', 10000),
  current_total_monthly_calls: count('The calls of the current period', 877),
  current_remaining_monthly_calls: count('The remaining calls of the current period', 9123),
  api_key_rate_limit_request_per_minute: count('The same as `rate_limit_request_per_minute`', 3000),
  api_key_monthly_call_credit: count('The same as `monthly_call_credit`', 10000),
  api_key_current_total_monthly_calls: count('The calls with this key in the current period, at most 31 days', 42),
});

type Usage = {
  limit: number;
  used: number;
  remaining: number;
  periodStart: string;
  keys?: readonly { id: number | null; daily: readonly { date: string; calls: number }[] }[] | undefined;
};

/** The usage of a user, by key. */
export type UsageOfKeys = (caller: FastifyRequest['caller'], by: 'key') => Promise<Usage>;

type Options = { usageOf: UsageOfKeys; burstPerSecond: number };

export const keyUsage: FastifyPluginAsyncZod<Options> = async (app, { usageOf, burstPerSecond }) => {
  const schema = {
    tags: ['coingecko'],
    summary: 'Read the limits and the usage of the key',
    description: 'As CoinGecko’s path of the same name. Free of charge.',
    operationId: 'getCoinGeckoKey',
    response: { 200: keyRecord },
  };
  app.get('/key', { schema, config: FREE }, async ({ caller }, reply) => {
    const { limit, used, remaining, periodStart, keys = [] } = await usageOf(caller, 'key');
    const days = keys.find(({ id }) => id === caller.id)?.daily ?? [];
    const ofKey = days.filter(({ date }) => date >= periodStart.slice(0, 10));
    const perMinute = burstPerSecond * MINUTE_SECONDS;
    reply.header('cache-control', 'no-store');
    return {
      plan: caller.user.plan,
      rate_limit_request_per_minute: perMinute,
      monthly_call_credit: limit,
      current_total_monthly_calls: used,
      current_remaining_monthly_calls: remaining,
      api_key_rate_limit_request_per_minute: perMinute,
      api_key_monthly_call_credit: limit,
      api_key_current_total_monthly_calls: ofKey.reduce((sum, { calls }) => sum + calls, 0),
    };
  });
};
