import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { readSettings, SETTING_NAMES } from '#settings';
import { OPS, readOps } from './files.ts';

/** The settings of the unit, each a name and its values. */
const directives = (file: string, name: string) =>
  [...readOps(`systemd/${file}`).matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);

const environmentOf = (file: string) => parseEnv(directives(file, 'Environment').join(' ').replaceAll(' ', '\n'));

const isInstalled = spawnSync('systemd-analyze', ['--version']).status === 0;
if (!isInstalled) console.log('systemd-analyze is not installed: the units are not verified.');

describe.runIf(isInstalled)('the units', () => {
  /** Copies the units, with the path of this checkout in place of the installed release. */
  function copyUnits(): string {
    const folder = mkdtempSync(join(tmpdir(), 'quotient-units-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    cpSync(join(OPS, 'systemd'), folder, { recursive: true });
    for (const file of ['quotient@.service', 'quotient-backup.service']) {
      const text = readFileSync(join(folder, file), 'utf8').replaceAll('/opt/quotient/current', join(OPS, '..'));
      writeFileSync(join(folder, file), text);
    }
    return folder;
  }

  it.each(['quotient@1.service', 'quotient-backup.service', 'quotient-backup.timer'])('%s is valid', (unit) => {
    const folder = copyUnits();
    const file = unit.replace('@1', '@');
    if (file !== unit) cpSync(join(folder, file), join(folder, unit));
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', join(folder, unit)], {
      encoding: 'utf8',
    });
    // Faults of other units of the machine do not matter.
    expect(`${stdout}${stderr}`.split('\n').filter((line) => line.includes('quotient'))).toEqual([]);
    expect(status).toBe(0);
  });

  it('the timer starts the backup every night', () => {
    const [calendar = ''] = directives('quotient-backup.timer', 'OnCalendar');
    const { status, stdout } = spawnSync('systemd-analyze', ['calendar', '--iterations=2', calendar], {
      encoding: 'utf8',
    });
    expect([status, stdout]).toEqual([0, expect.stringContaining('#2')]);
  });

  it('the service can do little besides serving', () => {
    const unit = join(copyUnits(), 'quotient@.service');
    const limit = ['security', '--offline=true', '--threshold=25', unit];
    const { status, stdout } = spawnSync('systemd-analyze', limit, { encoding: 'utf8' });
    expect(status, stdout.split('\n').slice(-3).join('\n')).toBe(0);
  });
});

const names: readonly string[] = SETTING_NAMES;

it('the unit sets only settings, of which each process has its own', () => {
  const { NODE_ENV, ...settings } = environmentOf('quotient@.service');
  expect(NODE_ENV).toBe('production');
  expect(Object.keys(settings).filter((name) => !names.includes(name))).toEqual([]);
  for (const value of Object.values(settings)) expect(value?.replace('%i', '1')).toMatch(/^\d{4}$/);
  const stop = Number(directives('quotient@.service', 'TimeoutStopSec')[0]);
  expect(stop * 1000).toBeGreaterThan(readSettings({}).shutdownGraceMs);
});

/** The settings with the files of secrets that they name. */
function readWithSecrets(text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'quotient-secrets-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const secrets = {
    'database-url': 'postgresql://quotient:secret@127.0.0.1:5432/quotient',
    'admin-token': '0123456789abcdef0123456789abcdef',
    'coingecko-api-key': 'CG-key',
    'smtp-url': 'smtps://user:password@mail.example.org',
    'node-urls': 'https://node.example.org/key',
  };
  for (const [name, secret] of Object.entries(secrets)) writeFileSync(join(folder, name), `${secret}\n`);
  return readSettings(parseEnv(text.replaceAll('/etc/quotient/secrets', folder)) as Record<string, string>);
}

it.each([
  ['as it is', (text: string) => text],
  ['with everything that it shows', (text: string) => text.replaceAll(/^#([A-Z_]+=)/gm, '$1')],
])('the settings file is accepted %s', (_, change) => {
  const text = change(readOps('quotient.env'));
  expect(readWithSecrets(text)).toMatchObject({
    databaseUrl: 'postgresql://quotient:secret@127.0.0.1:5432/quotient',
    publicUrl: 'https://quotient.example.org',
    registration: 'closed',
    trustProxy: expect.anything(),
  });
  const set = Object.keys(parseEnv(text)).map((name) => name.replace(/_FILE$/, ''));
  expect(set.filter((name) => !names.includes(name))).toEqual([]);
});

it('the settings of the pods are accepted', () => {
  const { data } = parse(readOps('kubernetes/settings.yaml')) as { data: Record<string, string> };
  const text = Object.entries(data).map(([name, value]) => `${name}=${value}`);
  expect(readWithSecrets(text.join('\n'))).toMatchObject({ metrics: { host: '0.0.0.0', port: 9464 } });
  expect(Object.keys(data).filter((name) => !names.includes(name.replace(/_FILE$/, '')))).toEqual([]);
});
