import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '#core/clock';
import { parseNetworks } from '#core/forms/network-address';
import { openNode } from '#node/source';
import { createWebhookSender } from '#notifications/channels/webhook/webhook';
import { textOf } from '#upstream/transport/response-body';
import { openUpstream } from '#upstream/transport/upstream';
import { startInterimServer } from '../../support/upstream/interim-server.ts';
import { openTestSource } from '../../support/upstream/source.ts';

/** So long that a client ends earlier only because of its own limit. */
const TIMEOUT_MS = 3_000;

const HEADS = {
  100: 'HTTP/1.1 100 Continue',
  102: 'HTTP/1.1 102 Processing',
  103: 'HTTP/1.1 103 Early Hints\r\nlink: </style.css>; rel=preload',
};
const MOST = 10;

async function interim(head: string, count: number) {
  const server = await startInterimServer(head, count);
  onTestFinished(server.close);
  return server;
}

function upstreamAt(url: string) {
  const outcomes: string[] = [];
  const upstream = openUpstream({
    name: 'coingecko',
    url,
    timeoutMs: TIMEOUT_MS,
    clock: systemClock,
    reserve: async () => true,
    callSpacing: () => 0,
    observe: (outcome) => void outcomes.push(outcome),
  });
  onTestFinished(upstream.close);
  return { ...upstream, outcomes };
}

describe('interim responses of an upstream', () => {
  test.each(Object.entries(HEADS))('that never end (%s) cause a failure before the deadline', async (_, head) => {
    const server = await interim(head, Number.POSITIVE_INFINITY);
    const { sendOnce, outcomes } = upstreamAt(server.url);
    await expect(sendOnce({ path: '/' }, textOf)).rejects.toMatchObject({ reason: 'unreachable' });
    expect(outcomes).toEqual(['unreachable']);
  });

  test.each([102, 103] as const)('are accepted up to ten (%i), even in one packet', async (status) => {
    const few = await interim(HEADS[status], MOST);
    expect(await upstreamAt(few.url).sendOnce({ path: '/' }, textOf)).toBe('{}');
    const many = await interim(HEADS[status], MOST + 1);
    await expect(upstreamAt(many.url).sendOnce({ path: '/' }, textOf)).rejects.toMatchObject({
      reason: 'unreachable',
      sent: true,
    });
  });

  test('are counted for each response separately', async () => {
    const { send, outcomes } = upstreamAt((await interim(HEADS[103], MOST)).url);
    for (let call = 0; call < 3; call++) expect(await send({ path: '/' }, textOf)).toBe('{}');
    expect(outcomes).toEqual(['ok', 'ok', 'ok']);
  });

  test('are limited in every use of the transport', async () => {
    const server = await interim(HEADS[103], Number.POSITIVE_INFINITY);
    const coingecko = openTestSource(server.url, { timeoutMs: TIMEOUT_MS });
    const node = openNode({
      url: server.url,
      timeoutMs: TIMEOUT_MS,
      clock: systemClock,
      observe: () => undefined,
    });
    onTestFinished(coingecko.close);
    onTestFinished(node.close);
    await expect(coingecko.daily('bitcoin', 5)).rejects.toMatchObject({ reason: 'unreachable' });
    const request = { method: 'GET', path: '/node_info', query: [] } as const;
    await expect(node.send(request, TIMEOUT_MS)).rejects.toMatchObject({ reason: 'unreachable' });
    const webhooks = createWebhookSender({ allowed: parseNetworks('127.0.0.1'), deadlineMs: TIMEOUT_MS });
    await expect(webhooks.post(server.url, '{}', {})).rejects.toMatchObject({ name: 'WebhookFailure' });
    expect(server.requests()).toBe(3 + 1 + 1);
  });
});
