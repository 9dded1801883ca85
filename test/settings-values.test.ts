import { expect, test } from 'vitest';
import type { SettingsError } from '#core/forms/setting-forms';
import { readSettings } from '#settings';

function faultsOf(env: Record<string, string>): unknown {
  try {
    readSettings(env);
    return [];
  } catch (error) {
    return (error as SettingsError).faults;
  }
}

test('spaces and line endings around a value are ignored', () => {
  expect(
    readSettings({ PORT: ' 8081\r', DATA_DIR: '/srv/a b \r\n', DATABASE_URL: ' postgresql://db/q\t', HOST: ' \r' }),
  ).toMatchObject({ port: 8081, dataDir: '/srv/a b', databaseUrl: 'postgresql://db/q', host: '127.0.0.1' });
});

test('a value in quotes is rejected, and is not in the error', () => {
  expect(faultsOf({ DATA_DIR: '"/srv/data"', DATABASE_URL: "'postgresql://u:hunter2@db/q' " })).toEqual([
    'DATABASE_URL must not be in quotes',
    'DATA_DIR must not be in quotes',
  ]);
  expect(readSettings({ DATA_DIR: `/srv/"data"` }).dataDir).toBe('/srv/"data"');
});
