import { afterAll, beforeAll, expect, it } from 'vitest';
import { hashApiKey } from '#keys/api-key';
import { type MailingService, startMailingService } from '../support/mail/mailing-service.ts';
import { addDelivery, type Change, everyChange, makeKey, outcomeOf, storedOf } from './every-change.ts';

/* The database's state of the owner key decides whether a change is allowed, regardless of this process's cache. */

let service: MailingService;
beforeAll(async () => {
  service = await startMailingService({ settings: { BURST_PER_SECOND: '0' } });
});
afterAll(() => service?.close());

/** Before the service starts, but recent, because keys that ended long ago are deleted. */
const ENDED_AT = new Date('2026-01-31T11:59:00Z');
/** The columns that another process writes when it ends the key in each of these ways. */
const ENDED: Record<string, object> = {
  replaced: { replacedAt: ENDED_AT, expiresAt: new Date('2026-02-07T12:00:00Z') },
  recovered: { replacedAt: ENDED_AT, expiresAt: ENDED_AT },
  revoked: { revokedAt: ENDED_AT },
};

it.each(Object.entries(ENDED))('a key that another process has %s changes nothing', async (_, data) => {
  const { key, apiKey } = await service.user('ada@example.org');
  const { id } = await makeKey(service.url, apiKey);
  const changes = await everyChange(service, id);
  expect(changes.length).toBeGreaterThanOrEqual(6);
  await service.database.prisma.apiKey.update({ where: { hash: Buffer.from(hashApiKey(apiKey), 'hex') }, data });
  const before = await storedOf(service, key);
  for (const change of changes) {
    const outcome = await outcomeOf(service.url, change, apiKey);
    expect([change.path, outcome]).toEqual([change.path, 'api_key_revoked']);
  }
  expect(await storedOf(service, key)).toEqual(before);
});

it('an active owner key can make each of these changes', async () => {
  const count = (await everyChange(service, 0)).length;
  const outcomes = [];
  for (let n = 0; n < count; n += 1) {
    const { key, apiKey } = await service.user('ada@example.org');
    const { id } = await makeKey(service.url, apiKey);
    const change = (await everyChange(service, id, await addDelivery(service, key)))[n] as Change;
    outcomes.push(await outcomeOf(service.url, change, apiKey));
  }
  expect(outcomes.filter((outcome) => typeof outcome !== 'number' || outcome >= 300)).toEqual([]);
});
