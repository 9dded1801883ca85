import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { USER_STATES } from '#users/administration/account-report';
import { PLAN_NAMES } from '#users/plan';
import { usageRecord, userExport } from '#users/users-records';
import { operatorUserDetail, userPage } from '../operator-records.ts';
import { assertRecordNumbers, cursor, limit, singleLineText, userKey } from '../parameters.ts';
import type { UserDirectory } from './directory.ts';
import { USER_SORTS } from './search-store.ts';

const list = {
  tags: ['users'],
  summary: 'Search users',
  operationId: 'searchUsers',
  description:
    '`query` matches the record number, the start of the email address, the start of a word of the name, or the start ' +
    'of a key (`qt_` or `qu_`, and up to four characters), ignoring case except in keys. The orders `usage` and `lastHour` are ' +
    'updated about once a minute.',
  querystring: z.object({
    query: singleLineText(
      'A record number, or the start of an email address, of a word of the name or of a key',
      'ada',
      254,
    ).optional(),
    sort: z
      .enum(USER_SORTS, `must be ${USER_SORTS.join(' or ')}`)
      .default('created')
      .meta({
        description:
          '`created`: newest first. `usage`: most calls in the current period first. `lastHour`: most calls in the last hour first.',
        fix: `one of ${USER_SORTS.join(', ')}`,
      }),
    state: z
      .enum(USER_STATES, `must be ${USER_STATES.join(' or ')}`)
      .optional()
      .meta({ description: 'Returns only users in this state', fix: `one of ${USER_STATES.join(', ')}` }),
    plan: z
      .enum(PLAN_NAMES, `must be ${PLAN_NAMES.join(' or ')}`)
      .optional()
      .meta({ description: 'Returns only users with this plan', fix: `one of ${PLAN_NAMES.join(', ')}` }),
    cursor,
    limit,
  }),
  response: { 200: userPage },
};

const params = z.object({ key: userKey });

const show = {
  tags: ['users'],
  summary: 'Read a user',
  operationId: 'getUser',
  description: 'Returns the user with keys, credits, daily calls and notices.',
  params,
  response: { 200: operatorUserDetail },
};

const usage = {
  tags: ['users'],
  summary: "Read a user's calls by date, key or path",
  operationId: 'getUserUsage',
  description: 'The same response as `GET /v1/user/usage` for the owner key.',
  params,
  querystring: z.object({
    by: z
      .enum(['key', 'path'], 'must be key or path')
      .optional()
      .meta({ description: 'Also breaks the calls down by key or by path', fix: 'key or path', examples: ['key'] }),
  }),
  response: { 200: usageRecord },
};

const exported = {
  tags: ['users'],
  summary: 'Export a user',
  operationId: 'exportUser',
  description: 'Returns everything that is stored about the user, without secrets and hashes.',
  params,
  response: { 200: userExport },
};

/** `exportJson` returns everything that is stored about a user, as JSON text. Throws `not_found`. */
type Services = { directory: UserDirectory; exportJson: (key: number) => Promise<string> };

export const users: FastifyPluginAsyncZod<Services> = async (app, { directory, exportJson }) => {
  app.get('/users', { schema: list }, async ({ query }) => directory.search(query));

  app.get('/users/:key', { schema: show, config: { problems: ['not_found'] } }, async ({ params: { key } }) => {
    assertRecordNumbers(key);
    return directory.show(key);
  });

  app.get(
    '/users/:key/usage',
    { schema: usage, config: { problems: ['not_found'] } },
    async ({ params: { key }, query }) => {
      assertRecordNumbers(key);
      return directory.usage(key, query.by);
    },
  );

  app.get(
    '/users/:key/export',
    { schema: exported, config: { problems: ['not_found'] } },
    async ({ params: { key } }, reply) => {
      assertRecordNumbers(key);
      const json = await exportJson(key);
      // The text is sent as it is. Parsing and validating it would block the event loop.
      return reply
        .type('application/json; charset=utf-8')
        .header('content-disposition', `attachment; filename="user-${key}.json"`)
        .send(json as never);
    },
  );
};
