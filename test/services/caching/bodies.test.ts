import { expect, it } from 'vitest';
import { bodyOf } from '#services/caching/bodies';

it.each(['br', 'gzip'] as const)(
  'what is kept in %s takes the memory that it is counted with',
  async (coding) => {
    const body = bodyOf(JSON.stringify(Array.from({ length: 1000 }, (_, i) => i ** 2)));
    const before = body.size();
    const { payload } = await body.in(coding);
    if (!Buffer.isBuffer(payload)) throw new Error('it is a text');
    expect(body.size() - before).toBe(payload.length);
    expect(payload.buffer.byteLength).toBe(payload.length);
  },
);
