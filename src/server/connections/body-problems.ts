import { Problem, type ProblemCode } from '#core/problems';

/** The maximum size of a body that no route needs, in bytes. */
export const MAX_DISCARDED = 1024 * 1024;

// The header of responses that do not wait for the rest of a body.
const close = { connection: 'close' };

const rejection = (code: ProblemCode, detail: string) => new Problem(code, detail, { headers: close });
export const bodyTooLarge = (limit: number = MAX_DISCARDED) =>
  rejection(
    'body_too_large',
    `The body is larger than the limit of this path (${limit / 1024} KB). Send a smaller body.`,
  );
export const inTooManyPieces = () =>
  rejection('body_too_large', 'The body arrived in too many chunks. Send larger chunks.');
export const tooSlow = () =>
  rejection('request_timeout', 'The body arrived too slowly. Send the whole body without pauses.');
export const overloaded = (detail: string) => new Problem('overloaded', detail, { retryAfter: 1, headers: close });
