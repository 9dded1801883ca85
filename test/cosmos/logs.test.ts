import { describe, expect, test } from 'vitest';
import { modernTransaction } from '#cosmos/dialects/transactions';

const HASH = 'AB'.repeat(32);
const attribute = (key: string, value: string) => ({ key, value, index: true });
const of = (index: number) => attribute('msg_index', String(index));
const tx = { body: { messages: [{ '@type': '/x.A' }, { '@type': '/x.B' }] }, auth_info: {} };
const done = { height: '7', txhash: HASH, code: 0, raw_log: '', logs: [], gas_wanted: '9', gas_used: '8' };

const EVENTS = [
  { type: 'coin_spent', attributes: [attribute('spender', 'payer')] },
  { type: 'tx', attributes: [attribute('fee', '1u')] },
  { type: 'transfer', attributes: [attribute('sender', 'a'), of(0)] },
  { type: 'message', attributes: [attribute('action', '/x.A'), of(0)] },
  { type: 'message', attributes: [attribute('module', 'x'), of(0)] },
  { type: 'message', attributes: [attribute('action', '/x.B'), of(1)] },
];
const logs = [
  {
    ...{ msg_index: 0, success: true, log: '' },
    events: [
      {
        type: 'message',
        attributes: [
          { key: 'action', value: '/x.A' },
          { key: 'module', value: 'x' },
        ],
      },
      { type: 'transfer', attributes: [{ key: 'sender', value: 'a' }] },
    ],
  },
  {
    ...{ msg_index: 1, success: true, log: '' },
    events: [{ type: 'message', attributes: [{ key: 'action', value: '/x.B' }] }],
  },
];

describe('the outcome that a modern node tells', () => {
  test('since SDK 0.50 in events alone: a log for each message, the same as text, and their events', () => {
    const received = modernTransaction({ ...done, events: EVENTS, tx });
    expect(received.logs).toEqual(logs);
    expect(received.raw_log).toBe(JSON.stringify(logs));
    expect(received.events).toEqual([
      {
        type: 'message',
        attributes: [
          { key: 'action', value: '/x.A' },
          { key: 'module', value: 'x' },
          { key: 'action', value: '/x.B' },
        ],
      },
      { type: 'transfer', attributes: [{ key: 'sender', value: 'a' }] },
    ]);
  });

  test('before, in logs, and its events in base64 are not looked at', () => {
    const own = logs.map(({ success: _, ...log }) => log);
    const events = [{ type: 'message', attributes: [{ key: 'YWN0aW9u', value: 'L3guQQ==', index: true }] }];
    const raw_log = '[{"events":[]}]';
    const received = modernTransaction({ ...done, raw_log, logs: own, events, tx });
    expect(received).toMatchObject({ logs, raw_log });
    expect(JSON.stringify(received.events)).not.toContain('YWN0aW9u');
  });

  test('of one that failed: its code and words, and nothing of what it did not do', () => {
    const failed = { ...done, code: 5, codespace: 'sdk', raw_log: 'no funds', events: EVENTS, tx };
    const { tx: _, ...received } = modernTransaction(failed);
    expect(received).toEqual({
      ...{ height: '7', txhash: HASH, code: 5, codespace: 'sdk', raw_log: 'no funds' },
      ...{ gas_wanted: '9', gas_used: '8' },
    });
  });

  test('of one that is in no block yet', () => {
    const { tx: _, ...received } = modernTransaction({ ...done, height: '0', gas_wanted: '0', gas_used: '0' });
    expect(received).toEqual({ height: '0', txhash: HASH, raw_log: '', gas_wanted: '0', gas_used: '0' });
  });

  test.each<[string, object]>([
    ['events that are no list', { events: 'x' }],
    ['an event without a type', { events: [{ attributes: [] }] }],
    ['an attribute that is a text', { events: [{ type: 'a', attributes: ['x'] }] }],
    ['a log that is a text', { logs: ['x'] }],
    ['a log of no message', { logs: [{ msg_index: 'x', events: [] }] }],
    ['a raw_log that is a list', { raw_log: [] }],
  ])('%s is malformed', (_name, changes) => {
    expect(() => modernTransaction({ ...done, tx, ...changes })).toThrow(/has no/);
  });
});
