import { z } from 'zod';
import { instant, recordId, text, textOrNull } from '#core/forms/record-fields';
import { secretKey } from '#users/users-records';
import { recordShape } from './terms/terms.ts';

const MOMENT = 'ISO 8601, UTC, milliseconds; ';
const id = recordId('The ID of the key', 7);
const { scopes, ...otherTerms } = recordShape;

export const apiKeyRecord = z
  .object({
    id,
    label: textOrNull('The label of the key; null if none was set', 'shop window'),
    scopes,
    start: textOrNull(
      'The first characters of the key, to identify it; null for keys that were created before this member existed',
      'qt_EXAM',
    ),
    createdAt: instant,
    lastUsedAt: instant.nullable().meta({
      description: `${MOMENT}the time of the last use, accurate to the minute; null if the key has not been used`,
    }),
    ...otherTerms,
    exposedAt: instant.nullable().meta({
      description: `${MOMENT}the time at which a key other than a URL key was first seen in the path of a URL; null if it never was. URLs are stored in logs and histories, so replace such a key.`,
    }),
    replacedAt: instant.nullable().meta({
      description: `${MOMENT}the time at which the key was replaced; null if it was not replaced. A replaced key can only read data.`,
    }),
    seenOrigin: text(
      'The origin of the last web page on another site that used this owner key; omitted if no such page used it',
      'https://shop.example',
    ).optional(),
  })
  .meta({ id: 'ApiKey', description: 'The properties of a key. The key itself is never listed.' });
export type ApiKeyRecord = z.infer<typeof apiKeyRecord>;

export const createdKeyRecord = z
  .object({
    id,
    label: text('A label for the key', 'shop window'),
    scopes,
    apiKey: secretKey('The key. It is returned only once, because the service stores only its hash.'),
    start: text('The first characters of the key, to identify it', 'qt_EXAM'),
    createdAt: instant,
    ...otherTerms,
    url: textOrNull(
      'For a URL key, the complete base URL of its requests: append `/v1/prices/…`, `/v1/tokens`, `/v1/node/…`, `/api/v3/…` ' +
        'or `/mcp`. It contains the key, and is returned only once. Otherwise null.',
      'https://quotient.example/k/qu_EXAMPLEEXAMPLEEXAMPLEEXAMPLEKEYS000000',
    ),
    blockedOrigins: z.array(z.string()).meta({
      description:
        'The entries of `allowedOrigins` whose pages cannot read the responses until the operator adds them to `CORS_ORIGINS`',
      examples: [[]],
    }),
  })
  .meta({ id: 'CreatedKey', description: 'A new key' });
export type CreatedKeyRecord = z.infer<typeof createdKeyRecord>;
