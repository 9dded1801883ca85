import { describe, expect, test } from 'vitest';
import { openCryptoCompare } from '#statistics/sources/cryptocompare';
import type { StatisticsOptions } from '#statistics/sources/source';
import { storedStatistics } from '#statistics/statistics-records';
import { haveRecordings, recording, recordingNames } from '../../support/upstream/recordings.ts';
import { sampleFrom } from '../../support/upstream/statistics-source.ts';
import { useUpstreamServer } from '../../support/upstream/use-upstream-server.ts';

const upstream = useUpstreamServer();

/** The kind of a recording, by its file name's prefix. */
const KINDS = { records: /^blockchain_latest_/, days: /^blockchain_histo_day_/, errors: /^err_/ };
const names = recordingNames('cryptocompare');
const of = (kind: keyof typeof KINDS) => names.filter((name) => KINDS[kind].test(name));
const textOf = (name: string) => String(recording('cryptocompare', name).body);

function sampled(body: string, status = 200) {
  const open = (options: StatisticsOptions) => openCryptoCompare({ ...options, apiKey: 'a-key' });
  return sampleFrom(upstream, [open, 'btc'], () => ({ status, body }));
}

type Recorded = Record<string, number | string>;

async function expectEveryField(recorded: Recorded): Promise<void> {
  const { at, id, partnerSymbol, figures } = await sampled(
    JSON.stringify({ Response: 'Success', Message: '', HasWarning: false, Type: 100, Data: recorded }),
  );
  const received = { id, time: at / 1000, symbol: 'BTC', ...figures };
  expect(partnerSymbol === undefined ? received : { ...received, partner_symbol: partnerSymbol }).toEqual(recorded);
  const record = { ...received, partner_symbol: partnerSymbol ?? 'BTC' };
  expect(storedStatistics.parse(record)).toEqual(record);
}

describe.runIf(haveRecordings)('recorded responses of CryptoCompare', () => {
  test('every recording has a test', () => {
    const kinds = Object.values(KINDS);
    expect(names.filter((name) => kinds.filter((kind) => kind.test(name)).length !== 1)).toEqual([]);
    expect(names.length).toBeGreaterThan(3);
  });

  // The recording contains only the record. In a response, it is in an envelope.
  test.each(of('records'))('%s: every value', async (name) => {
    await expectEveryField(JSON.parse(textOf(name)));
  });

  test.each(of('days'))('%s: the same record for each day, without the provider’s symbol', async (name) => {
    const days = JSON.parse(textOf(name)).Data.Data as Recorded[];
    expect(days.length).toBeGreaterThan(0);
    for (const day of days) await expectEveryField(day);
  });

  test.each(of('days'))('%s is rejected as a record', async (name) => {
    await expect(sampled(textOf(name))).rejects.toMatchObject({ reason: 'unexpected' });
  });

  const REASONS: [part: string, reason: string][] = [
    ['no_key', 'refused'],
    ['rate_limit', 'rate_limited'],
  ];
  test.each(of('errors'))('%s has the right cause, and is not retried', async (name) => {
    const reason = REASONS.find(([part]) => name.includes(part))?.[1];
    expect(reason).toBeDefined();
    const before = upstream.calls.length;
    const status = Number(/^err_(\d{3})_/.exec(name)?.[1]);
    await expect(sampled(textOf(name), status)).rejects.toMatchObject({ upstream: 'cryptocompare', reason });
    expect(upstream.calls.length).toBe(before + 1);
  });
});
