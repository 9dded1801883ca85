import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '#core/clock';
import { parseEmail } from '#core/forms/email-address';
import { deleteExpired } from '#database/retention';
import { byOperator } from '#users/authority';
import type { UserRecord } from '#users/users-records';
import { tokensIn } from '../../support/mail/mail-server.ts';
import { type MailingService, startMailingService } from '../../support/mail/mailing-service.ts';
import { OPERATOR } from '../../support/operator.ts';

let service: MailingService;
beforeAll(async () => {
  service = await startMailingService();
});
afterAll(() => service?.close());

/** Each test uses its own address. */
let number = 0;
let email = '';
beforeEach(() => {
  number += 1;
  email = `ada${number}@example.org`;
});

const recover = (address = email) => service.post('/v1/user/recover', { email: address });
const confirm = (token: unknown) => service.post('/v1/user/recover/confirm', { token });

/** The one-time codes sent to an address. */
async function tokensFor(address = email): Promise<string[]> {
  const response = await recover(address);
  expect(response.status).toBe(202);
  const mails = await service.mailsSent();
  return mails.flatMap(tokensIn);
}

const codeOf = async (response: Response) => [response.status, ((await response.json()) as { code: string }).code];
const dataOf = async (key: string) => (await service.get('/v1/user/data', { key })).status;

test('a user who has lost the key receives a new one, and the old one is revoked immediately', async () => {
  const lost = await service.user(email);
  const response = await recover();
  expect([response.status, await response.text()]).toEqual([202, '']);
  expect(response.headers.get('cache-control')).toBe('no-store');
  const [mail, ...others] = await service.mailsSent();
  expect(others).toEqual([]);
  expect(mail?.to).toEqual([email]);
  const [token] = tokensIn(mail as never);
  expect(mail?.text).toContain(`https://quotient.example.org/#recover=${token}`);

  const confirmed = await confirm(token);
  expect(confirmed.status).toBe(200);
  expect(confirmed.headers.get('cache-control')).toBe('no-store');
  const found = (await confirmed.json()) as UserRecord;
  expect(found).toEqual({ ...lost, apiKey: found.apiKey, updatedAt: found.updatedAt });
  expect(found.apiKey).not.toBe(lost.apiKey);
  expect(await dataOf(found.apiKey)).toBe(200);
  expect(await dataOf(lost.apiKey)).toBe(401);
});

test('a code is accepted with the spaces and line breaks that an email adds', async () => {
  await service.user(email);
  const [token = ''] = await tokensFor();
  expect(await codeOf(await confirm(' \n '))).toEqual([400, 'invalid_request']);
  expect((await confirm(` ${token.slice(0, 20)}\r\n ${token.slice(20)}\n`)).status).toBe(200);
  expect(await codeOf(await confirm(token))).toEqual([400, 'token_invalid']);
});

test('an address is the same in both forms of an internationalized domain, and receives mail', async () => {
  for (const [registered, stored, requested] of [
    ['o/b%=!#&@bücher.example', 'o/b%=!#&@xn--bcher-kva.example', 'O/B%=!#&@XN--BCHER-KVA.example'],
    ['ann@example.xn--p1ai', 'ann@example.xn--p1ai', 'ann@example.рф'],
  ] as const) {
    const query = new URLSearchParams({ name: 'Ann', email: registered, plan: 'monthly' });
    const created = await service.post(`/v1/user/create?${query}`);
    expect([created.status, ((await created.json()) as UserRecord).email]).toEqual([201, stored]);
    expect((await recover(requested)).status).toBe(202);
    const [mail] = await service.mailsSent();
    // The mail server of the test shows domains in Unicode.
    expect(mail?.to.map(parseEmail)).toEqual([{ address: stored }]);
    expect((await confirm(tokensIn(mail as never)[0])).status).toBe(200);
  }
  for (const address of ['ann@example-.org', 'анна@example.org', null, 5])
    expect(await codeOf(await recover(address as never))).toEqual([400, 'invalid_request']);
});

describe('a one-time code', () => {
  test('can be used once, and invalidates the other codes of its user', async () => {
    await service.user(email);
    const [first] = await tokensFor();
    service.clock.advance(5 * MINUTE);
    const [second] = await tokensFor();
    expect((await confirm(second)).status).toBe(200);
    expect(await codeOf(await confirm(second))).toEqual([400, 'token_invalid']);
    expect(await codeOf(await confirm(first))).toEqual([400, 'token_invalid']);
  });

  test('belongs to one user and does not affect another user of the address', async () => {
    const [one, other] = [await service.user(email), await service.user(email, 'yearly')];
    const tokens = await tokensFor();
    expect(tokens).toHaveLength(2);
    const found = (await (await confirm(tokens[0])).json()) as UserRecord;
    const left = found.key === one.key ? other : one;
    expect(await dataOf(left.apiKey)).toBe(200);
    expect((await confirm(tokens[1])).status).toBe(200);
    expect(await dataOf(left.apiKey)).toBe(401);
  });

  test('expires after 30 minutes', async () => {
    await service.user(email);
    const [early] = await tokensFor();
    service.clock.advance(30 * MINUTE - 1);
    const [late] = await tokensFor();
    service.clock.advance(1);
    expect(await codeOf(await confirm(early))).toEqual([400, 'token_invalid']);
    expect((await confirm(late)).status).toBe(200);
  });

  test('that is unknown or of another kind gets the same response', async () => {
    await service.user(email);
    const [token = ''] = await tokensFor();
    const responses = await Promise.all(
      [`${token.slice(0, -1)}!`, 'a'.repeat(43), 'a', '%00', token.toUpperCase()].map(async (one) => {
        const { requestId: _, ...body } = (await (await confirm(one)).json()) as Record<string, unknown>;
        return JSON.stringify(body);
      }),
    );
    expect(new Set(responses).size).toBe(1);
    expect(responses[0]).not.toContain(token);
  });

  test('is stored as a hash, and is not in any message or log line', async () => {
    await service.user(email);
    const [token = ''] = await tokensFor();
    const rows = await service.database.prisma.$queryRaw`SELECT * FROM one_time_code, outbox_message`;
    expect(JSON.stringify(rows)).not.toContain(token);
    await confirm(token);
    expect(service.logLines.join('')).not.toContain(token);
    expect(service.logLines.join('')).not.toContain(email);
  });
});

describe('no one-time code is sent', () => {
  test('to an unregistered address', async () => {
    expect(await tokensFor()).toEqual([]);
  });

  test('to a user who was erased', async () => {
    const { key } = await service.user(email);
    await service.parts.users.erase(byOperator(key, OPERATOR));
    expect(await tokensFor()).toEqual([]);
  });

  test('to a user whose keys the operator has revoked, and an earlier code is rejected', async () => {
    const { key } = await service.user(email);
    const [token] = await tokensFor();
    await service.parts.keys.revokeAll(byOperator(key, OPERATOR));
    expect(await codeOf(await confirm(token))).toEqual([400, 'token_invalid']);
    service.clock.advance(5 * MINUTE);
    expect(await tokensFor()).toEqual([]);
  });
});

test('an expired user receives a key, which can be renewed', async () => {
  await service.user(email);
  service.clock.advance(40 * DAY);
  const [token] = await tokensFor();
  const { apiKey } = (await (await confirm(token)).json()) as UserRecord;
  const renewed = await service.post('/v1/user/renew', undefined, { 'x-api-key': apiKey });
  expect(renewed.status).toBe(200);
});

test('an address is found regardless of case, and the email is sent to it as registered', async () => {
  await service.user(`Ada.${email}`);
  await recover(`ADA.${email.toUpperCase()}`);
  const [mail] = await service.mailsSent();
  expect(mail?.to).toEqual([`Ada.${email}`]);
});

test('registrations with another user’s address displace neither earlier nor confirmed users, however many there are', async () => {
  const users = await Promise.all(Array.from({ length: 53 }, () => service.user(email)));
  const { prisma } = service.database;
  const keys = users.map(({ key }) => key).sort((a, b) => a - b);
  const [first, confirmed] = [keys[0], keys[52]] as [number, number];
  await prisma.user.update({ where: { key: confirmed }, data: { verifiedAt: new Date() } });
  const others = { userKey: { in: keys.slice(1, 52) } };
  await prisma.apiKey.updateMany({ where: others, data: { lastUsedAt: new Date() } });
  await recover();
  const [mail] = await service.mailsSent();
  expect(tokensIn(mail as never)).toHaveLength(50);
  const listed = [...(mail?.text ?? '').matchAll(/^User (\d+):/gm)].map(([, key]) => Number(key));
  expect(listed.slice(0, 2)).toEqual([confirmed, first]);
  expect(mail?.text).toMatch(/^3 more users /m);
});

describe('emails to an address', () => {
  test('are at least five minutes apart', async () => {
    await service.user(email);
    expect(await tokensFor()).toHaveLength(1);
    service.clock.advance(5 * MINUTE - 1);
    expect(await tokensFor()).toHaveLength(0);
    expect(await tokensFor(email.toUpperCase())).toHaveLength(0);
    service.clock.advance(1);
    expect(await tokensFor()).toHaveLength(1);
  });

  test('are limited to five a day', async () => {
    await service.user(email);
    async function tokensInAnHour() {
      let tokens = 0;
      for (let i = 0; i < 6; i++) {
        tokens += (await tokensFor()).length;
        service.clock.advance(10 * MINUTE);
      }
      return tokens;
    }
    expect(await tokensInAnHour()).toBe(5);
    service.clock.advance(DAY - HOUR - 1);
    expect(await tokensFor()).toHaveLength(0);
    service.clock.advance(1);
    expect(await tokensInAnHour()).toBe(5);
  });

  test('are counted per user, and a clock that is set back locks no user out', async () => {
    await service.user(email);
    await service.user(`x${email}`);
    expect(await tokensFor()).toHaveLength(1);
    expect(await tokensFor(`x${email}`)).toHaveLength(1);
    service.clock.advance(-3 * DAY);
    expect(await tokensFor()).toHaveLength(1);
    service.clock.advance(3 * DAY);
  });
});

test('expired codes are deleted', async () => {
  await service.user(email);
  await tokensFor();
  service.clock.advance(2 * DAY);
  const { prisma } = service.database;
  await deleteExpired(prisma, service.clock.now());
  expect(await prisma.oneTimeCode.count()).toBe(0);
  expect(await prisma.mailAllowance.count()).toBe(0);
});

describe('an invalid request', () => {
  test.each([
    ['{"email":"ada"}', ['body.email']],
    ['{"email":null}', ['body.email']],
    ['{}', ['body.email']],
    ['[]', ['body']],
    ['{', ['body']],
    [`{"email":"${'a'.repeat(250)}@example.org"}`, ['body.email']],
    [`{"email":"ada@example.org\\r\\nBcc: eve@example.org"}`, ['body.email']],
  ])('with %s is rejected with the fault', async (body, locations) => {
    const response = await service.post('/v1/user/recover', body);
    const problem = (await response.json()) as { code: string; errors: { location: string }[] };
    expect([response.status, problem.code]).toEqual([400, 'invalid_request']);
    expect(problem.errors.map(({ location }) => location)).toEqual(locations);
  });

  test.each([
    ['{"token":""}', ['body.token']],
    ['{"token":7}', ['body.token']],
    ['{}', ['body.token']],
    [`{"token":"${'a'.repeat(201)}"}`, ['body.token']],
  ])('with %s is rejected with the fault', async (body, locations) => {
    for (const path of ['/v1/user/recover/confirm', '/v1/user/verify']) {
      const response = await service.post(path, body);
      const { errors } = (await response.json()) as { errors: { location: string }[] };
      expect(errors.map(({ location }) => location)).toEqual(locations);
    }
  });

  test('is rejected without a body, with a large body, and with another media type', async () => {
    expect(await codeOf(await service.post('/v1/user/recover'))).toEqual([400, 'invalid_request']);
    expect(await codeOf(await service.post('/v1/user/recover', 'a'.repeat(5000)))).toEqual([413, 'body_too_large']);
    const xml = await service.post('/v1/user/recover', '<a/>', { 'content-type': 'application/xml' });
    expect(await codeOf(xml)).toEqual([415, 'unsupported_media_type']);
  });

  test('is rejected from a page on another site', async () => {
    for (const path of ['recover', 'recover/confirm', 'verify']) {
      const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
      const response = await service.post(`/v1/user/${path}`, { email, token: 'a' }, headers);
      expect(await codeOf(response)).toEqual([403, 'cross_site']);
    }
  });

  test('is rejected with GET', async () => {
    const response = await service.get('/v1/user/recover');
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });
});
