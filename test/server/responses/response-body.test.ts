import { expect, it } from 'vitest';
import { bodyOf } from '#server/responses/response-body';

it('the counted size of a body is at least its memory in all codings, even for digits only', async () => {
  const body = bodyOf(JSON.stringify(Array.from({ length: 1000 }, (_, i) => Math.sqrt(i))));
  let taken = 0;
  for (const coding of ['identity', 'br', 'gzip'] as const) {
    const { payload } = await body.in(coding);
    if (Buffer.isBuffer(payload)) expect(payload.buffer.byteLength).toBe(payload.length);
    taken += payload.length;
  }
  expect(body.size()).toBeGreaterThanOrEqual(taken);
});
