import { afterAll, beforeAll, expect, it } from 'vitest';
import { OPERATOR } from '../../support/operator.ts';
import { openEvents } from '../../support/service/event-stream.ts';
import { type Service, startService } from '../../support/service/service.ts';

/* The key of a stream ends while the stream waits for the first prices. */

const WITHOUT_LIMITS = { BURST_PER_SECOND: '0', REGISTRATIONS_PER_MINUTE: '0' };

let [service, elsewhere]: Service[] = [];
beforeAll(async () => {
  service = await startService({ settings: WITHOUT_LIMITS });
  elsewhere = await startService({ settings: WITHOUT_LIMITS, database: service.database });
});
afterAll(async () => {
  await elsewhere?.close();
  await service?.close();
});

async function ask(path: string, method: string, apiKey = '') {
  const headers = { ...(apiKey !== '' && { 'x-api-key': apiKey }) };
  const response = await fetch(`${elsewhere?.url}${path}`, { method, headers });
  return response.status === 204 ? {} : response.json();
}

/** A user with the owner key, and a key for streams. */
async function register() {
  const owner = await ask('/v1/user/create?name=Ada&email=ada%40example.org&plan=monthly', 'POST');
  const { id, apiKey } = await ask('/v1/user/keys?label=page', 'POST', owner.apiKey);
  return { user: owner.key as number, ownerKey: owner.apiKey as string, id: id as number, apiKey: apiKey as string };
}
type Registered = Awaited<ReturnType<typeof register>>;

/** Ends the key on the other process. */
const ENDS = {
  account_suspended: ({ user }: Registered) => elsewhere?.parts.administration.suspend(OPERATOR, user, 'test'),
  api_key_revoked: ({ ownerKey, id }: Registered) => ask(`/v1/user/keys/${id}`, 'DELETE', ownerKey),
};

// Each case requests a token that is not stored.
it.each([
  ['account_suspended', 403, 'a key', 'bitcoin'],
  ['account_suspended', 403, 'a ticket', 'ethereum'],
  ['api_key_revoked', 401, 'a key', 'solana'],
  ['api_key_revoked', 401, 'a ticket', 'arweave'],
] as const)('is rejected with %s (%i) if it was opened with %s, and costs nothing', async (code, status, by, token) => {
  const { sandbox, url, parts } = service as Service;
  const registered = await register();
  const { ownerKey, apiKey } = registered;
  const path = `${url}/v1/prices/stream?tokenNames=${token}`;
  const prices = sandbox.faults.hold({ path: new RegExp(token) });
  const opening =
    by === 'a key'
      ? openEvents(path, { key: apiKey })
      : openEvents(`${path}&ticket=${(await ask('/v1/prices/stream/tickets', 'POST', apiKey)).ticket}`);
  await prices.arrived(1);
  await ENDS[code](registered);
  await parts.allowance.poll();
  prices.release();
  const stream = await opening;
  expect([stream.status, stream.code()]).toEqual([status, code]);
  const usage = await (service as Service).get('/v1/user/usage', { key: ownerKey });
  expect(await usage.json()).toMatchObject({ used: 0 });
});
