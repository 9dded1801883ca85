import { afterEach, describe, expect, it } from 'vitest';
import { Problem } from '#core/problems';
import { annotate, setTracer, traced, tracedApart } from '#core/tracing';
import { UpstreamFailure } from '#upstream/failures/failure';
import { recordTraces } from '../support/recording-tracer.ts';

afterEach(() => setTracer(undefined));

it('without a tracer, work runs as it is', async () => {
  const promise = Promise.resolve(7);
  expect(traced('work', {}, () => promise)).toBe(promise);
  expect(tracedApart('work', {}, () => promise)).toBe(promise);
  annotate({ 'quotient.leases': 1 });
});

it('work within work is its child, also after a wait, and annotations belong to the innermost work', async () => {
  const { ended } = recordTraces();
  const inner = (name: string) => traced(name, {}, async () => annotate({ 'quotient.source': name }));
  await traced('outer', { 'quotient.leases': 2 }, async () => {
    await Promise.all([inner('a'), inner('b')]);
    annotate({ 'quotient.attempts': 1 });
    await tracedApart('apart', {}, () => inner('c'));
  });
  await inner('after');
  expect(ended.map(({ name, parent, attributes }) => [name, parent, attributes])).toEqual([
    ['a', '1', { 'quotient.source': 'a' }],
    ['b', '1', { 'quotient.source': 'b' }],
    ['c', '4', { 'quotient.source': 'c' }],
    ['apart', undefined, {}],
    ['outer', undefined, { 'quotient.leases': 2, 'quotient.attempts': 1 }],
    ['after', undefined, { 'quotient.source': 'after' }],
  ]);
});

describe('failed work has the type of its error, without its message, and rejects with the error', () => {
  it.each([
    ['overloaded', new Problem('overloaded', 'secret')],
    ['timeout', new UpstreamFailure('node-1', 'timeout', 'secret')],
    ['TypeError', new TypeError('secret')],
    ['unknown', null],
  ])('%s', async (type, error) => {
    const { ended } = recordTraces();
    await expect(traced('work', {}, () => Promise.reject(error))).rejects.toBe(error);
    expect(ended).toMatchObject([{ name: 'work', attributes: { 'error.type': type }, isFailed: true }]);
  });
});

it('a trace that is not sampled has no spans; work apart is sampled by itself', async () => {
  const decisions = [false, true];
  const { ended } = recordTraces({ isSampled: () => decisions.shift() ?? false });
  await traced('outer', {}, async () => {
    await traced('inner', {}, async () => annotate({ 'quotient.leases': 1 }));
    await tracedApart('apart', {}, async () => undefined);
  });
  expect(ended.map(({ name }) => name)).toEqual(['apart']);
  expect(decisions).toEqual([]);
});
