import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod, ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { type Clock, iso, isoOrNull } from '#core/clock';
import { Problem } from '#core/problems';
import type { RequestBodies } from '#server/connections/request-body';
import { originsWithoutCors } from '#server/cross-origin';
import { readJsonBodies, readOptionalJson } from '#server/json-body';
import { neverStored } from '#server/responses/static-content';
import { byOwnerKey } from '#users/authority';
import { userRecord } from '#users/users-records';
import { GRACE_SECONDS, LARGEST_NUMBER, MAX_KEYS_PER_USER } from './api-key.ts';
import { createKeyBodyReader, keyChangesForm, keyForm } from './key-form.ts';
import type { StoredKey } from './key-store.ts';
import type { Keys } from './keys.ts';
import { type ApiKeyRecord, apiKeyRecord, createdKeyRecord } from './keys-records.ts';
import { assertComplete, termsOfParameters, termsToRecord } from './terms/terms.ts';

/** Many clients send an empty object with every POST. */
const isEmpty = (body: unknown): boolean =>
  body === undefined || body === null || (typeof body === 'object' && Object.keys(body).length === 0);

const id = z
  .string()
  .regex(/^[1-9]\d{0,9}$/, 'must be the ID of a key')
  .transform(Number)
  .meta({
    description: 'The `id` of the key',
    fix: 'an ID from GET /v1/user/keys',
    wire: { type: 'integer', minimum: 1, examples: [7] },
  });

/** The largest body of a change, in bytes. It contains a fully escaped label of 100 characters. */
const MAX_BYTES = 4 * 1024;

const graceSeconds = z
  .string()
  .regex(/^\d{1,6}$/, `must be an integer from 0 to ${GRACE_SECONDS.max}`)
  .transform(Number)
  .refine((value) => value <= GRACE_SECONDS.max, `must be an integer from 0 to ${GRACE_SECONDS.max}`)
  .default(GRACE_SECONDS.default)
  .meta({
    description: 'The number of seconds for which the old key can still read data',
    fix: `an integer from 0 to ${GRACE_SECONDS.max}`,
    wire: {
      type: 'integer',
      minimum: 0,
      maximum: GRACE_SECONDS.max,
      default: GRACE_SECONDS.default,
      examples: [300],
    },
  });

const rotate = {
  tags: ['users'],
  summary: 'Replace the owner key',
  operationId: 'rotateKey',
  description:
    'Creates a new owner key with the same usage, plan and expiry date. During the grace period, the old key ' +
    'can still read data. Keys with other scopes remain valid and can be deleted individually. A user can ' +
    `have up to ${MAX_KEYS_PER_USER} active keys.`,
  querystring: z.object({ graceSeconds }),
  response: { 200: userRecord },
};

const create = (clock: Clock) => ({
  tags: ['keys'],
  summary: 'Create a key with limited scopes',
  operationId: 'createKey',
  description:
    'Creates a key for a web page or a script. The key has fewer scopes than the owner key and cannot manage ' +
    'the account. All keys of a user share the allowance and the burst limit. `dailyLimit` also limits the calls of ' +
    'this key per UTC day, and `allowedOrigins` limits the web pages that can use it. With `url`, the key is accepted in ' +
    'URLs, for clients that cannot send headers; the response then contains the base URL. The parameters can be sent as a ' +
    'JSON object instead, with `scopes` and `allowedOrigins` as lists. The key is returned only once. ' +
    `A user can have up to ${MAX_KEYS_PER_USER} active keys.`,
  querystring: keyForm(clock),
  response: { 201: createdKeyRecord },
});

const list = {
  tags: ['keys'],
  summary: 'List the keys of the user',
  operationId: 'listKeys',
  description:
    'Returns the properties of all active keys, newest first. The keys themselves are not returned. ' +
    '`lastUsedAt` is accurate to the minute. It is usually updated within two seconds. A user whose plan has ' +
    'expired can still call this endpoint.',
  response: { 200: z.array(apiKeyRecord).meta({ description: 'The active keys, newest first' }) },
};

const change = (clock: Clock) => ({
  tags: ['keys'],
  summary: 'Change a key',
  operationId: 'updateKey',
  description:
    'Accepts a JSON object with the members to change. Other members stay as they are, and null removes an expiry, ' +
    'a limit or a restriction. The change takes effect immediately in the process that handles the request, and within 5 seconds in ' +
    'all others. An owner key always has all scopes, expires only with its user and can be used from everywhere, so ' +
    'only its label and its daily limit can be changed. A key that was replaced or revoked, or has expired, cannot be ' +
    'changed. A URL key remains a URL key, and always has a daily limit.',
  consumes: ['application/json'],
  params: z.object({ id }),
  body: keyChangesForm(clock),
  response: { 200: apiKeyRecord },
});

const remove = {
  tags: ['keys'],
  summary: 'Revoke a key',
  operationId: 'revokeKey',
  description:
    'Revokes the key. The process that handles the request rejects the key immediately. All other processes ' +
    'reject it within 5 seconds. The last owner key cannot be revoked: rotate the key, or delete the user. ' +
    'If the key has already expired or been revoked, nothing changes.',
  params: z.object({ id }),
  response: { 204: z.undefined().meta({ description: 'The key is no longer valid' }) },
};

const toRecord = ({ seenOrigin, ...key }: StoredKey): ApiKeyRecord => ({
  id: key.id,
  label: key.label,
  start: key.start,
  createdAt: iso(key.createdAt),
  lastUsedAt: isoOrNull(key.lastUsedAt),
  replacedAt: isoOrNull(key.replacedAt),
  exposedAt: isoOrNull(key.exposedAt),
  ...termsToRecord(key),
  ...(seenOrigin !== null && { seenOrigin }),
});

type KeySettings = { publicUrl: string | undefined; basePath: string; corsOrigins: readonly string[] };
type Options = { keys: Keys; bodies: RequestBodies; clock: Clock; settings: KeySettings };

/** The base URL of requests with a URL key. Without `PUBLIC_URL`, it has the host of the request. */
function urlBelowKey({ headers }: FastifyRequest, { publicUrl, basePath }: KeySettings, apiKey: string): string {
  const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
  return `${publicUrl ?? `${scheme}://${headers.host}${basePath}`}/k/${apiKey}`;
}

function knownId(id: number): number {
  if (id > LARGEST_NUMBER) throw new Problem('not_found', 'The user has no key with this ID.');
  return id;
}

export const keyRotation: FastifyPluginAsyncZod<Pick<Options, 'keys'>> = async (app, { keys }) => {
  neverStored(app);
  app.post(
    '/rotate',
    { schema: rotate, config: { cost: 0, scope: 'account', problems: ['too_many_keys'] } },
    async ({ caller, query }) => keys.rotate(byOwnerKey(caller), query.graceSeconds),
  );
};

/** A replaced owner key may list the keys, but not change them. */
export const userKeys: FastifyPluginAsyncZod<Options> = async (app, { keys, bodies, clock, settings }) => {
  neverStored(app);

  const chargeAndScope = { cost: 0, scope: 'account' } as const;
  const posting = { schema: create(clock), config: { ...chargeAndScope, problems: ['too_many_keys'] } } as const;

  const parametersIn = createKeyBodyReader(clock);
  app.register(async (creating) => {
    readOptionalJson(creating, bodies, { limit: MAX_BYTES });
    creating.addHook('preValidation', async (request) => {
      const { body } = request;
      if (isEmpty(body)) return;
      request.query = { ...(request.query as object), ...parametersIn(body, request.query as object) };
    });
    creating.withTypeProvider<ZodTypeProvider>().post('/keys', posting, async (request, reply) => {
      const { label, ...parameters } = request.query;
      const terms = termsOfParameters(parameters);
      assertComplete(terms, isEmpty(request.body) ? 'query' : 'body');
      const { id, apiKey, start, createdAt } = await keys.create(byOwnerKey(request.caller), { label, ...terms });
      const url = terms.url ? urlBelowKey(request, settings, apiKey) : null;
      const members = { id, label, apiKey, start, createdAt: iso(createdAt) };
      const blockedOrigins = originsWithoutCors(terms.allowedOrigins ?? [], settings, request.headers.host);
      return reply.code(201).send({ ...members, ...termsToRecord(terms), url, blockedOrigins });
    });
  });

  app.get('/keys', { schema: list, config: { ...chargeAndScope, allowExpired: true } }, async ({ caller }) =>
    (await keys.list(caller.user.key)).map(toRecord),
  );

  app.delete(
    '/keys/:id',
    { schema: remove, config: { ...chargeAndScope, problems: ['not_found', 'last_owner_key'] } },
    async (request, reply) => {
      await keys.delete(byOwnerKey(request.caller), knownId(request.params.id));
      return reply.code(204).send();
    },
  );

  app.register(async (changing) => {
    readJsonBodies(changing, bodies, { limit: MAX_BYTES });
    changing
      .withTypeProvider<ZodTypeProvider>()
      .patch(
        '/keys/:id',
        { schema: change(clock), config: { ...chargeAndScope, problems: ['not_found', 'unsupported_media_type'] } },
        async ({ caller, params, body }) => toRecord(await keys.update(byOwnerKey(caller), knownId(params.id), body)),
      );
  });
};
