import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '#sandbox/server';
import type { ChainSample } from '#statistics/statistics-sources';
import { UpstreamFailure } from '#upstream/failures/failure';
import { createTestClock } from '../../../fixtures/clock.ts';
import { changedAt, type Place, placesIn, WRONG_VALUES } from '../../support/changed-json.ts';
import { amount } from '../../support/long.ts';
import { KINDS } from '../../support/upstream/statistics-kinds.ts';
import { openTestStatistics } from '../../support/upstream/statistics-source.ts';
import { startUpstreamServer, type UpstreamCall, type UpstreamServer } from '../../support/upstream/upstream-server.ts';

let sandbox: Sandbox;
let server: UpstreamServer;
let prefix = '';
let change: ((call: number, body: unknown) => unknown) | undefined;
let responses: unknown[] = [];

async function forward({ method, path, query, headers, body }: UpstreamCall): Promise<string> {
  const search = new URLSearchParams(query).toString();
  const { authorization } = headers;
  const response = await fetch(`${prefix}${path}?${search}`, {
    method,
    headers: { ...(authorization && { authorization }) },
    ...(method === 'POST' && { body }),
  });
  return response.text();
}

beforeAll(async () => {
  sandbox = await startSandbox({ clock: createTestClock('2026-05-15T14:10:06.789Z') });
  server = await startUpstreamServer((call, response) => {
    forward(call).then((text) => {
      const body: unknown = JSON.parse(text);
      const place = responses.push(body) - 1;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(change ? change(place, body) : body));
    });
    return undefined;
  });
});
afterAll(async () => {
  await server?.close();
  await sandbox?.close();
});

describe.each(Object.entries(KINDS))('a changed member of a response: %s', (_kind, { open, url, symbol, required }) => {
  async function sample(changeBody?: typeof change): Promise<ChainSample | UpstreamFailure> {
    prefix = url(sandbox);
    change = changeBody;
    responses = [];
    const source = openTestStatistics(open, server.url);
    try {
      return await source.sample(symbol);
    } catch (error) {
      if (error instanceof UpstreamFailure) return error;
      throw error;
    } finally {
      await source.close();
    }
  }

  test('affects no other figure', async () => {
    const sound = (await sample()) as ChainSample;
    const bodies = responses;
    const places = bodies.flatMap((body, call) => placesIn(body).map((place): [number, Place] => [call, place]));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...places), fc.constantFrom(...WRONG_VALUES), async ([call, place], wrong) => {
        const received = await sample((at, body) => (at === call ? changedAt(body, place, wrong) : body));
        const name = place.join('.');
        if (received instanceof UpstreamFailure) {
          expect(name).toMatch(required);
          return;
        }
        const names = new Set([...Object.keys(sound.figures), ...Object.keys(received.figures)]);
        const differing = [...names].filter(
          (figure) => received.figures[figure as never] !== sound.figures[figure as never],
        );
        // A container has the figures of its members. A member is part of at most two figures.
        if (place.length === 1 || typeof place.at(-1) === 'number') return;
        expect([name, differing.length <= 2]).toEqual([name, true]);
      }),
      { numRuns: amount(40, 300) },
    );
  });
});
