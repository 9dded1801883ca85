import { expect, test } from 'vitest';
import { invalidRequest, type ProblemCode, problemKind } from '#core/problems';
import { MAX_KEYS_PER_USER } from '#keys/api-key';
import { DEFAULT_BODY_KB } from '#node/node-settings';
import { MAX_DISCARDED } from '#server/connections/body-problems';
import { STREAM_LIMITS } from '#server/responses/open-streams';

test('the texts state the limits that the service applies', () => {
  const textOf = (code: ProblemCode) => Object.values(problemKind(code)).join(' ');
  expect(textOf('too_many_keys')).toContain(` ${MAX_KEYS_PER_USER} active keys`);
  expect(textOf('too_many_streams')).toContain(` ${STREAM_LIMITS.perUser} open price streams`);
  expect(textOf('body_too_large')).toContain(`${DEFAULT_BODY_KB} KB for a broadcast`);
  expect(textOf('body_too_large')).toContain(`${MAX_DISCARDED / 1024 ** 2} MB for endpoints that ignore the body`);
});

test('the detail names each fault and its remedy, which a message with "must" already contains', () => {
  const { message, members } = invalidRequest(
    { location: 'query.days', message: 'must be an integer from 1 to 36500', fix: 'an integer from 1 to 36500' },
    { location: 'query.tokenName', message: 'is not a supported value', fix: 'bitcoin' },
  );
  expect(message).toBe(
    'query.days must be an integer from 1 to 36500; query.tokenName is not a supported value: bitcoin.',
  );
  expect(members.errors).toHaveLength(2);
});
