import { afterAll, beforeAll, expect, it } from 'vitest';
import { type OperatorService, startOperator } from './operator-harness.ts';

/* Characters that are invisible or change the direction of a text, so that a name looks like another one. */

let service: OperatorService;
let user: { key: number; apiKey: string };
beforeAll(async () => {
  service = await startOperator({ settings: { BURST_PER_SECOND: '0', REGISTRATIONS_PER_MINUTE: '0' } });
  user = await service.user();
});
afterAll(() => service?.close());

const HIDDEN = [
  '\u202e',
  '\u2066',
  '\u200f',
  '\u061c',
  '\u200b',
  '\u200d',
  '\ufeff',
  '\u00ad',
  '\u2028',
  '\u{e0041}',
  '\u009b',
];
const until = '2030-01-31T12:00:00Z';

type JsonResponse = { status: number; body: { name?: string; errors?: { location: string }[] } };

/** A request of the user. */
async function call(method: string, path: string, body?: unknown): Promise<JsonResponse> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(`${service.url}${path}`, { method, headers: { 'x-api-key': user.apiKey }, ...sent });
  return { status: response.status, body: await response.json() };
}
const encoded = (name: string, value: string) => `${name}=${encodeURIComponent(value)}`;
const create = (name: string) =>
  call('POST', `/v1/user/create?${encoded('name', name)}&email=ada@example.org&plan=monthly`);

/** Each way to store a text that another person reads, and the parameter or member with the text. */
const WAYS: Record<string, readonly [location: string, store: (text: string) => Promise<JsonResponse>]> = {
  'the name of a user': ['query.name', create],
  'the label of a new key': ['query.label', (text) => call('POST', `/v1/user/keys?${encoded('label', text)}`)],
  'the label of a key': ['body.label', (label) => call('PATCH', '/v1/user/keys/1', { label })],
  'the reason of a suspension': ['body.reason', (reason) => service.change(`/users/${user.key}/suspend`, { reason })],
  'the reason of a resumption': ['body.reason', (reason) => service.change(`/users/${user.key}/resume`, { reason })],
  'the reason of credits': [
    'body.reason',
    (reason) => service.change(`/users/${user.key}/credits`, { calls: 1, reason }),
  ],
  'the announcement': [
    'body.text',
    (text) => service.send('/admin/v1/announcement', { method: 'PUT', body: { text, until } }),
  ],
};

it.each(Object.entries(WAYS))('%s does not contain them', async (_, [location, store]) => {
  for (const hidden of HIDDEN) {
    const { status, body } = await store(`Ada${hidden}Lovelace`);
    expect([hidden, status, body.errors?.[0]?.location]).toEqual([hidden, 400, location]);
  }
});

it('names in scripts that need joiners, and emoji, are accepted', async () => {
  for (const name of ['علی\u200cرضا', 'क्\u200dष', 'עדה', 'Ada 👩🏽\u200d💻', '辻\u{e0100}']) {
    const { status, body } = await create(name);
    expect([status, body.name]).toEqual([201, name]);
  }
});
