import { z } from 'zod';
import { instant, instantOrNull, recordId, text, textOrNull, whole } from '#core/forms/record-fields';
import { PROBLEM_CODES } from '#core/problems';

const loggedRequest = z.object({
  time: instant.meta({ description: 'ISO 8601, UTC, milliseconds; the time of the response' }),
  keyId: recordId('The ID of the key', 7),
  keyLabel: textOrNull('The label of the key; null if it has none or has been deleted', 'shop window'),
  method: text('The method', 'GET'),
  path: text(
    'The path with its parameters. `…` replaces values that may be secret, and the values of parameters that the path does not have.',
    '/v1/prices/latest/token?tokenName=bitcoin',
  ),
  status: z.int().meta({
    description: 'The status of the response; 499 if the client disconnected before the response',
    examples: [200],
  }),
  code: z
    .enum(PROBLEM_CODES)
    .nullable()
    .meta({ description: 'The code of the problem; null if there was none', examples: [null] }),
  detail: z
    .string()
    .nullable()
    .meta({
      description: 'The `detail` of the problem, up to 300 characters; null if there was none',
      examples: [null],
    }),
  help: z
    .string()
    .nullable()
    .meta({
      description: 'The page of the problem, as in its `type`; null if there was none',
      examples: [null],
    }),
  cost: whole('Calls charged; 0 for free and failed requests', 1),
  milliseconds: z
    .number()
    .nonnegative()
    .meta({ description: 'The time from the request to the end of the response', examples: [1.4] }),
});

export const requestLogRecord = z
  .object({
    complete: z.boolean().meta({
      description:
        'False if requests are missing: a process of the service did not respond in time, or returned an invalid record',
      examples: [true],
    }),
    recordingSince: instantOrNull(
      'The time since which all processes have recorded successful requests; null if a process did not record them before this request',
    ),
    requests: z.array(loggedRequest).meta({
      description:
        'The last 100 failed requests of the user, and the last 100 successful ones that were recorded, newest first',
    }),
  })
  .meta({ id: 'RequestLog', description: 'The last requests of a user' });
export type RequestLogRecord = z.infer<typeof requestLogRecord>;
