import { z } from 'zod';
import { trueOrFalse } from '#core/forms/record-fields';
import { Problem } from '#core/problems';
import { term } from './term.ts';

const DESCRIPTION =
  'Whether the key is accepted in URLs, under `/k/{key}`, for clients that cannot send headers. Its `dailyLimit` is ' +
  'required, and also counts requests to the node.';

const parameter = trueOrFalse.optional().meta({
  description: `${DESCRIPTION} If omitted, the key is accepted only in headers.`,
  fix: 'true or false',
  wire: { type: 'boolean', default: false, examples: [true] },
});

const member = z
  .boolean('must be true or false')
  .nullable()
  .optional()
  .meta({
    description: `${DESCRIPTION} It cannot be changed.`,
    fix: 'true or false',
    examples: [true],
  });

/** Whether the key is a URL key. The first characters of the key also show this. */
export const url = term({
  column: 'k.url',
  fromRow: (row: boolean): boolean | null => row,
  toRow: (value) => value ?? false,
  record: z.boolean().meta({ description: 'Whether the key is accepted in URLs', examples: [false] }),
  toRecord: (value) => value ?? false,
  parameter: () => parameter,
  none: false,
  member: () => member,
  toText: String,
  changeable: 'never',
  requires: 'dailyLimit',
  permits: (value, { isInUrl }) => value || !isInUrl,
  problem: () =>
    new Problem(
      'key_not_for_urls',
      'This API key is not for URLs, because URLs are stored in logs and histories. Create a URL key with the owner ' +
        'key: POST /v1/user/keys?url=true&dailyLimit=…. Replace this key if the URL is stored anywhere.',
    ),
});
