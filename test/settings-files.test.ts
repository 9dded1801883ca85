import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SettingsError } from '#core/forms/setting-forms';
import { readSettings, SETTING_NAMES, settingsIn } from '#settings';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quotient-settings-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(content: string): string {
  const path = join(folder, `${Math.random()}-${content.length}`);
  writeFileSync(path, content);
  return path;
}

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    readSettings(env);
    return [];
  } catch (error) {
    return (error as SettingsError).faults;
  }
}

test('each setting can be read from a file', () => {
  for (const name of SETTING_NAMES) {
    expect(settingsIn({ [`${name}_FILE`]: file(`value of ${name}`) })).toEqual({ [name]: `value of ${name}` });
  }
});

test('the final line break of a file is not part of the value', () => {
  const url = 'postgresql://quotient:hunter2@db/quotient';
  for (const end of ['', '\n', '\r\n']) {
    expect(readSettings({ DATABASE_URL_FILE: file(url + end), PORT: '8081' })).toMatchObject({
      databaseUrl: url,
      port: 8081,
    });
  }
});

test('an empty value counts as unset, for the setting and for its file', () => {
  const path = file('CG-secret');
  expect(settingsIn({ COINGECKO_API_KEY: ' ', COINGECKO_API_KEY_FILE: path })).toEqual({
    COINGECKO_API_KEY: 'CG-secret',
  });
  expect(settingsIn({ COINGECKO_API_KEY: 'CG-own', COINGECKO_API_KEY_FILE: '' })).toEqual({
    COINGECKO_API_KEY: 'CG-own',
  });
});

test('a setting and its file together are rejected, even if they agree', () => {
  expect(faultsOf({ SMTP_URL: 'smtp://a', SMTP_URL_FILE: file('smtp://a') })).toEqual([
    'SMTP_URL and SMTP_URL_FILE are both set: remove one of them',
  ]);
});

test('a file that is missing, empty, a directory or of several lines is named, on one line each', () => {
  const missing = join(folder, 'missing');
  const empty = file('\n');
  const several = file('postgresql://a\npostgresql://b\n');
  expect(
    faultsOf({
      DATABASE_URL_FILE: several,
      COINGECKO_API_KEY_FILE: missing,
      CRYPTOCOMPARE_API_KEY_FILE: folder,
      ADMIN_TOKEN_FILE: empty,
    }),
  ).toEqual([
    `DATABASE_URL_FILE: ${several} must contain a single line`,
    `COINGECKO_API_KEY_FILE: cannot read ${missing}: it does not exist`,
    `CRYPTOCOMPARE_API_KEY_FILE: cannot read ${folder}: it is a directory`,
    `ADMIN_TOKEN_FILE: ${empty} is empty`,
  ]);
});

test('the fault of a value from a file names the file, and never the value', () => {
  const quoted = file('"postgresql://u:hunter2@db/q"');
  expect(faultsOf({ DATABASE_URL_FILE: quoted })).toEqual([`DATABASE_URL in ${quoted} must not be in quotes`]);
  const short = file('hunter2');
  expect(faultsOf({ ADMIN_TOKEN_FILE: short, ADMIN_PORT: '0' })).toEqual([
    expect.stringContaining(`ADMIN_TOKEN in ${short} must have at least 32 characters`),
  ]);
});

test('a secret that was set in place of the path is not repeated', () => {
  for (const [name, secret] of [
    ['ADMIN_TOKEN', 'hunter2hunter2'],
    ['DATABASE_URL', 'postgresql://u:hunter2@db/q'],
  ]) {
    const [fault, ...more] = faultsOf({ [`${name}_FILE`]: secret as string });
    expect([fault, ...more]).toEqual([`${name}_FILE: cannot read the file: it does not exist`]);
  }
});
