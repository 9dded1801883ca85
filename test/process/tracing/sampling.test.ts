import { afterEach, expect, it, vi } from 'vitest';
import { currentTracer } from '#core/tracing';
import { startTracing } from '#process/tracing';
import { readSettings } from '#settings';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
const failures = { failed: () => undefined, worked: () => undefined, observe: () => undefined };
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function samplerOf(env: Record<string, string>) {
  const { tracing } = readSettings({ ...ENDPOINT, ...env });
  if (!tracing) throw new Error('no tracing is configured');
  closers.push(startTracing(tracing, failures, 0).close);
  return currentTracer()?.isSampled ?? (() => undefined);
}

/** A trace of another service, whose ID is the given part of all IDs. */
const trace = (traceFlags: number, part = 0) => {
  const traceId = `${Math.floor(part * 2 ** 32).toString(16)}`.padStart(8, '0').padEnd(32, '0');
  return { traceId: traceId.replace(/^0{32}$/, `${'0'.repeat(31)}1`), spanId: 'b7ad6b7169203331', traceFlags };
};

it.each([
  // Without a parent, at random numbers of 0.2 and 0.8. With a parent, sampled and not sampled, with early and late
  // IDs.
  ['the default', {}, [true, true, true, true, false, false]],
  ['always_on', {}, [true, true, true, true, true, true]],
  ['always_off', {}, [false, false, false, false, false, false]],
  ['traceidratio', { OTEL_TRACES_SAMPLER_ARG: '0.5' }, [true, false, true, false, true, false]],
  ['parentbased_always_on', {}, [true, true, true, true, false, false]],
  ['parentbased_always_off', {}, [false, false, true, true, false, false]],
  ['parentbased_traceidratio', { OTEL_TRACES_SAMPLER_ARG: '.5' }, [true, false, true, true, false, false]],
  ['parentbased_traceidratio', {}, [true, true, true, true, false, false]],
])('%s', (sampler, env, decisions) => {
  const isSampled = samplerOf({ ...(sampler !== 'the default' && { OTEL_TRACES_SAMPLER: sampler }), ...env });
  const random = vi.spyOn(Math, 'random');
  const fresh = [0.2, 0.8].map((value) => {
    random.mockReturnValue(value);
    return isSampled();
  });
  const continued = [trace(1, 0.2), trace(1, 0.8), trace(0, 0.2), trace(0, 0.8)].map((parent) => isSampled(parent));
  expect([...fresh, ...continued]).toEqual(decisions);
});

it('invalid settings are rejected, and without an endpoint, nothing is traced', () => {
  expect(readSettings({ OTEL_TRACES_SAMPLER: 'always_on' }).tracing).toBeUndefined();
  expect(readSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: '' }).tracing).toBeUndefined();
  expect(readSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318/' }).tracing?.endpoint).toBe(
    'http://127.0.0.1:4318',
  );
  for (const [name, value] of [
    ['OTEL_EXPORTER_OTLP_ENDPOINT', '127.0.0.1:4318'],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
    ['OTEL_TRACES_SAMPLER_ARG', '-1'],
    ['OTEL_TRACES_SAMPLER_ARG', '1%'],
  ] as const)
    expect(() => readSettings({ [name]: value })).toThrow(new RegExp(`^${name} must`));
});
