import type { Session } from '#database/deadline';

/** The amount of data: days of an archive, users with a year of usage. */
export type Amounts = { days: number; hours: number; users: number; usageDays: number };

/**
 * Fills a migrated database with the data of years of use: values of all lengths, nulls, and texts that need quoting.
 * The key of user `n` is the SHA-256 of `keyOf(n)`.
 */
export async function fill(session: Session, { days, hours, users, usageDays }: Amounts): Promise<void> {
  const tokens = `(VALUES ('bitcoin'), ('arweave'), ('ethereum'), ('solana'), ('usd-coin')) AS t(token)`;
  const series = [
    ['day', days, "interval '1 day'"],
    ['hour', hours, "interval '1 hour'"],
    ['minute', hours, "interval '5 minutes'"],
  ] as const;
  for (const [interval, count, step] of series) {
    await session.exec(`
      INSERT INTO point (token, "interval", at, price, market_cap, volume, final, source, provisional)
      SELECT token, '${interval}', timestamptz '2026-11-20 00:00:00.123+00' - n * ${step}, random() * power(10, n % 11 - 5),
        CASE WHEN n % 3 > 0 THEN random() * 1e15 END, CASE WHEN n % 7 > 0 THEN random() * 1e-9 END, n % 2 = 0,
        CASE WHEN n % 50 = 25 THEN 'kraken' ELSE 'coingecko' END, n % 50 = 25
      FROM ${tokens}, generate_series(1, ${count}) AS n;
      INSERT INTO candle (token, "interval", at, open, high, low, close, volume, source, final)
      SELECT token, '${interval}', timestamptz '2026-11-20 00:00:00+00' - n * ${step}, random(), random() * 1e5, random(),
        random(), random() * 1e9, 'kraken', true
      FROM ${tokens}, generate_series(1, ${count}) AS n;
      INSERT INTO point_coverage (token, "interval", source, "from", thru)
      SELECT token, '${interval}', 'coingecko', timestamptz '2014-01-01' + n * ${step}, timestamptz '2026-11-20 23:59:59.999+00'
      FROM ${tokens}, generate_series(1, 3) AS n`);
  }
  await session.exec(`
    INSERT INTO "user" (name, email, plan, "limit", anchor, created_at, valid_until, updated_at)
    SELECT CASE WHEN n % 100 > 0 THEN 'Ada "the ' || n || '", \\ {x} été ' || chr(10) || '日本' END,
      CASE WHEN n % 100 > 0 THEN 'ada' || n || '@example.org' END,
      (CASE WHEN n % 2 = 0 THEN 'monthly' ELSE 'yearly' END)::plan, 10000, at, at, at + interval '1 year', at
    FROM generate_series(1, ${users}) AS n, LATERAL (SELECT timestamptz '2026-10-31 12:00:00.007+00' + n * interval '1 second' AS at) t;
    INSERT INTO api_key (hash, user_key, created_at)
    SELECT sha256(convert_to('key ' || key, 'UTF8')), key, created_at FROM "user";
    INSERT INTO usage (user_key, period_start, used) SELECT key, anchor, key % 9000 FROM "user";
    INSERT INTO usage_day (user_key, date, calls)
    SELECT key, date '2026-11-20' - n, (key * n) % 500 FROM "user", generate_series(1, ${usageDays}) AS n;
    INSERT INTO process (id, expires_at, swept_at)
    SELECT md5('process')::uuid, '2026-11-20 10:00:00.123456+00', '2026-11-20 10:00:30.123456+00';
    INSERT INTO lease (user_key, process, period_start, date, report, granted, spent, key_id, path)
    SELECT key, md5('process')::uuid, anchor, '2026-11-20', 1, 20, 20, 1, 1 FROM "user" WHERE key % 5 = 0;
    INSERT INTO latest_price (token, source, record, at, fetched_at)
    SELECT token, 'coingecko', '{"current_price": 1.10, "ath_date": "2021-11-10T14:24:11.849Z", "max_supply": null, "text": "\\"\\u00e9"}',
      '2026-11-20', '2026-11-20' FROM ${tokens};
    INSERT INTO exchange_rates (date, rates)
    SELECT date '2014-01-01' + n, jsonb_build_object('usd', random(), 'bgn', NULL) FROM generate_series(1, ${days}) AS n;
    INSERT INTO shared_secret (name, value) VALUES ('etag', 'of the source') ON CONFLICT (name) DO NOTHING;
    INSERT INTO refresh (resource, fetched_at, version) SELECT 'chart:' || token, now(), 7 FROM ${tokens};
    UPDATE token SET requested_at = now() WHERE name = 'bitcoin'`);
}
