import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { type Clock, SECOND } from '#core/clock';
import { marketSample, SAMPLE } from '#prices/latest/latest-records';
import { sendShared } from '#server/responses/static-content';
import { REFRESH_EVERY, type Sample } from './sample.ts';

const schema = {
  tags: ['prices'],
  summary: 'Read a free sample: the latest price and the last 30 days of one token',
  description:
    `Returns the prices of \`${SAMPLE.token.name}\` in US dollars. \`latest\` has the format of ` +
    '`/v1/prices/latest/tokens`. `history` has the format of `/v1/prices/history/days`. The sample is ' +
    'refreshed at most once an hour. `Age` is the age of the sample.',
  operationId: 'getSample',
  response: { 200: marketSample },
};

const config = {
  open: true,
  headers: ['ETag', 'Vary', 'Quotient-Source', 'Age', 'Quotient-Gaps?'],
  problems: ['no_data', 'upstream_invalid', 'upstream_unavailable', 'upstream_timeout', 'database_unavailable'],
} as const;

const CACHE_CONTROL = `public, max-age=${REFRESH_EVERY / SECOND}, stale-while-revalidate=60, stale-if-error=86400`;
type Options = { sample: () => Promise<Sample>; clock: Clock };

export const sample: FastifyPluginAsyncZod<Options> = async (app, { sample, clock }) => {
  app.get('/sample', { schema, config }, async (request, reply) => {
    const { body, source, fetchedAt, gaps } = await sample();
    const age = Math.max(0, Math.floor((clock.now() - (fetchedAt ?? clock.now())) / SECOND));
    const headers = {
      'cache-control': CACHE_CONTROL,
      'quotient-source': source,
      age: String(age),
      ...(gaps.length > 0 && { 'quotient-gaps': gaps.join(', ') }),
    };
    return sendShared(request, reply, body, { type: 'application/json; charset=utf-8', headers });
  });
};
