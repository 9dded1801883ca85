import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashApiKey, isApiKey } from '#keys/api-key';
import { createKeyHolderStore } from '#keys/key-holder-store';
import { makeServedDirectory, runHere, runProcess } from './run-command.ts';

let directory: Awaited<ReturnType<typeof makeServedDirectory>>;
const users = (...args: string[]) => runHere('users', args, { DATA_DIR: directory.dataDir });

/** The value of a member in a printed record. */
const member = (stdout: string, name: string) => new RegExp(`^${name}: +(.+)$`, 'm').exec(stdout)?.[1] ?? '';

beforeAll(async () => {
  directory = await makeServedDirectory({ hasUser: false });
});
afterAll(() => directory.remove());

const EMPTY = (dataDir: string) =>
  `The embedded database in ${dataDir} has no users. To use another database, set DATA_DIR or DATABASE_URL.\n`;

const ada = ['--name', ' Ada Lovelace ', '--email', 'ada@example.org'];

const UNKNOWN = 'No user has the record number 99. Use `quotient users list` or `quotient users show <key>`.\n';

describe('users', () => {
  it('creates, lists, limits, rotates, renews and revokes', async () => {
    const created = await users('create', ...ada, '--plan', 'monthly');
    expect([created.code, created.stderr]).toEqual([0, EMPTY(directory.dataDir)]);
    const firstKey = member(created.stdout, 'apiKey');
    expect(isApiKey(firstKey)).toBe(true);
    expect(member(created.stdout, 'name')).toBe('Ada Lovelace');
    expect(member(created.stdout, 'limit')).toBe('10,000');
    const second = await users('create', ...ada, '--plan', 'yearly', '--limit', '77');
    expect(member(second.stdout, 'limit')).toBe('77');

    const rotated = await users('rotate', '1', '--grace-seconds', '0');
    const secondKey = member(rotated.stdout, 'apiKey');
    expect([rotated.code, isApiKey(secondKey), secondKey !== firstKey]).toEqual([0, true, true]);

    const limited = await users('limit', '1', '500');
    expect([limited.code, member(limited.stdout, 'limit')]).toEqual([0, '10,000 → 500']);
    expect(member((await users('limit', '1', '500')).stdout, 'changes')).toBe('none');
    const renewed = await users('renew', '1');
    expect(renewed.code).toBe(0);
    const [until = '', renewedUntil = ''] = member(renewed.stdout, 'valid until').split(' → ');
    expect(member(created.stdout, 'validUntil')).toContain(until.slice(0, -1));
    expect(Date.parse(renewedUntil)).toBeGreaterThan(Date.parse(until));
    const tooEarly = await users('renew', '1');
    expect([tooEarly.code, tooEarly.stdout]).toEqual([1, '']);
    expect(tooEarly.stderr).toMatch(/^The plan is valid until [^\n]+\n$/);

    const listed = await users('list', '--json');
    expect(JSON.parse(listed.stdout)).toMatchObject([
      { key: 1, name: 'Ada Lovelace', plan: 'monthly', limit: 500, state: 'active', keys: 1, used: 0 },
      { key: 2, plan: 'yearly', limit: 77, lastUsedAt: null },
    ]);
    const table = (await users('list')).stdout;
    expect(table).toMatch(
      /^key +name +email +state +keys +used +limit +last use +valid until\n +1 +Ada Lovelace +ada@\S+ +active +1 +0 +500 +- +\d{4}-/,
    );
    const shown = await users('show', '1');
    expect(shown.stdout).toMatch(/^used: +0 of 500\nperiod: +from \S+Z to \S+Z\nlast use: +-$/m);
    expect(shown.stdout).toMatch(/^notices: +at 80, 100 percent; email: no; webhook: none$/m);
    const ids = [...shown.stdout.matchAll(/^ +(\d) +- +account,prices,node +(qt_\w{4}) +(\w+) /gm)];
    expect(ids.map(([, , ...facts]) => facts)).toEqual([
      [secondKey.slice(0, 7), 'active'],
      [firstKey.slice(0, 7), 'expired'],
    ]);
    for (const { stdout } of [limited, renewed, listed, { stdout: table }, shown]) {
      expect(stdout, 'the key is printed only when it is created').not.toMatch(/qt_\w{5}/);
      expect(Math.max(...stdout.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(100);
    }
    const last = await users('revoke', '1', '--id', String(ids[0]?.[1]));
    expect(last).toMatchObject({ code: 1, stdout: '' });
    expect(last.stderr).toMatch(
      /^The last owner key cannot be revoked separately\. [^\n]+\(`quotient users rotate <key>`\)[^\n]+\n$/,
    );

    const revoked = await users('revoke', '1');
    expect(revoked).toMatchObject({ code: 0, stderr: '' });
    expect(revoked.stdout).toMatch(/^\d API key\(s\) of user 1 revoked\n$/);
    const store = createKeyHolderStore(directory.database.prisma);
    const holders = await store.findByHashes([hashApiKey(secondKey)]);
    expect(holders.map(({ revokedAt }) => typeof revokedAt)).toEqual(['number']);
  });

  it('prints a one-line error if the user does not exist', async () => {
    for (const args of [
      ['limit', '99', '5'],
      ['rotate', '99'],
      ['renew', '99'],
      ['revoke', '99'],
      ['show', '99'],
      ['revoke', '99', '--id', '1'],
    ]) {
      expect(await users(...args)).toEqual({
        code: 1,
        stdout: '',
        stderr: UNKNOWN,
      });
    }
  });
});

it('suspends, finds, changes, exports and erases, and records each change with the system user', async () => {
  const created = await users('create', '--name', 'Grace Hopper', '--email', 'grace@example.net', '--plan', 'monthly');
  const key = member(created.stdout, 'key');
  const suspended = await users('suspend', key, '--reason', 'Unusual traffic');
  expect([suspended.code, member(suspended.stdout, 'suspended')]).toEqual([0, expect.stringContaining('Unusual')]);
  const found = JSON.parse((await users('find', 'hopp', '--json')).stdout);
  expect(found).toMatchObject([{ key: Number(key), state: 'suspended', lastHour: 0 }]);
  expect(JSON.parse((await users('list', '--state', 'suspended', '--sort', 'usage', '--json')).stdout)).toHaveLength(1);
  expect((await users('resume', key, '--reason', 'Fixed')).code).toBe(0);
  const planned = await users('plan', key, 'yearly', '--from', 'next');
  expect(member(planned.stdout, 'next plan')).toMatch(/^none → yearly with 180,000 calls, from /);
  const granted = await users('credits', key, '500', '--reason', 'Outage');
  expect([granted.code, member(granted.stdout, 'credits')]).toEqual([0, '0 → 500']);
  const [shown] = JSON.parse((await users('find', 'grace@', '--json')).stdout);
  expect(shown).toMatchObject({ plan: 'monthly', credits: 500, periodLimit: 10_500, nextPlan: { plan: 'yearly' } });
  expect(JSON.parse((await users('export', key)).stdout).user.email).toBe('grace@example.net');
  expect((await users('erase', key, '--confirm', key)).stdout).toBe(`user ${key} erased\n`);
  expect(await users('limit', key, '5')).toMatchObject({
    code: 1,
    stderr: 'The user was erased and cannot be changed.\n',
  });

  const env = { DATA_DIR: directory.dataDir };
  const log = await runHere('audit', ['list', '--user', key, '--json'], env);
  const events = log.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(events.map(({ action }) => action)).toEqual([
    'user.erase',
    'user.credits',
    'user.plan',
    'user.resume',
    'user.suspend',
    'user.create',
  ]);
  for (const { actor, requestId } of events)
    expect([actor, requestId]).toEqual([expect.stringMatching(/^cli:[\w.@\\-]+$/), null]);
  for (const text of ['Hopper', 'grace@']) expect(log.stdout).not.toContain(text);
  const table = (await runHere('audit', ['list', '--limit', '2'], env)).stdout;
  expect(table).toMatch(/^time +actor +action +target +after\n/);
  expect(Math.max(...table.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(100);
});

it('shows the hidden characters of older names, reasons and labels as escapes, beside the record number', async () => {
  const { prisma } = directory.database;
  const name = 'Ada\u202e\u2066\nO';
  const user = await prisma.user.findFirstOrThrow({ where: { erasedAt: null }, orderBy: { key: 'desc' } });
  const before = { name: user.name, suspendedAt: null, suspendedReason: null };
  const data = { name, suspendedAt: new Date(), suspendedReason: 'a\u200bb' };
  await prisma.user.update({ where: { key: user.key }, data });
  await prisma.apiKey.updateMany({ where: { userKey: user.key }, data: { label: '\u{e0041}x' } });
  const key = String(user.key);
  const shown = (await users('show', key)).stdout;
  expect([member(shown, 'key'), member(shown, 'name'), member(shown, 'suspended')]).toEqual([
    key,
    'Ada\\u{202e}\\u{2066}\\u{a}O',
    'a\\u{200b}b',
  ]);
  expect(shown).toMatch(/ \\u\{e0041\}x +account/);
  expect((await users('list')).stdout).toMatch(
    new RegExp(`^ *${key} +Ada\\\\u\\{202e\\}\\\\u\\{2066\\}\\\\u\\{a\\}O `, 'm'),
  );
  for (const args of [
    ['show', key, '--json'],
    ['list', '--json'],
    ['export', key],
  ]) {
    const { stdout } = await users(...args);
    expect(stdout).not.toMatch(/[\u202e\u2066\u200b\u{e0041}]/u);
    expect(JSON.stringify(JSON.parse(stdout))).toContain(JSON.stringify(name));
  }
  await prisma.user.update({ where: { key: user.key }, data: before });
});

it('prints as many audit events as requested, also more than a statement reads', async () => {
  const { prisma } = directory.database;
  await prisma.$executeRaw`
    INSERT INTO audit_event (at, actor, action, target) SELECT now(), 'cli:many', 'user.limit', 'user:' || n
    FROM generate_series(1, 700) AS n`;
  const print = async (...args: string[]) => {
    const { stdout } = await runHere('audit', ['list', '--actor', 'cli:many', ...args], {
      DATA_DIR: directory.dataDir,
    });
    return new Set(stdout.trim().split('\n')).size;
  };
  expect(await print('--json', '--limit', '600')).toBe(600);
  expect(await print('--json')).toBe(700);
  // The heading, and the default number of events.
  expect(await print()).toBe(101);
});

it('rejects a date before the year 1, as any other invalid date', async () => {
  const { code, stderr } = await runHere('audit', ['list', '--from', '0000-01-01'], { DATA_DIR: directory.dataDir });
  expect([code, stderr]).toEqual([2, expect.stringMatching(/^--from must be a date /)]);
});

it('runs as a separate process, with its exit code', async () => {
  const env = { DATA_DIR: directory.dataDir };
  const created = await runProcess('users', ['create', ...ada, '--plan', 'monthly'], env);
  expect([created.code, created.stderr, isApiKey(member(created.stdout, 'apiKey'))]).toEqual([0, '', true]);
  const refused = { code: 1, stdout: '', stderr: UNKNOWN };
  expect(await runProcess('users', ['renew', '99'], env)).toEqual(refused);
});

describe('users with wrong usage', () => {
  const COMMANDS =
    'create, list, find, show, export, limit, plan, credits, rotate, renew, suspend, resume, revoke, erase, notices';
  const SELECTION =
    '[--sort <created|usage|lastHour>] [--state <active|suspended|expired|revoked|erased>] ' +
    '[--plan <monthly|yearly>] [--limit <users>] [--json]';
  const record = '<key> (the record number in `quotient users list`) must be an integer from 1 to 2147483647';
  it.each([
    [[], `missing command: use one of ${COMMANDS}`],
    [['limit', 'qt_x', '5'], `${record}`],
    [['limit', '1'], `<calls> is missing: the command requires <key> <calls>`],
    [['limit', ''], `<key> and <calls> are missing: the command requires <key> <calls>`],
    [['limit', '1', '-5'], `unknown option -5: the command accepts <key> <calls>`],
    [
      ['show', 'Ada', 'Lovelace'],
      `1 unexpected argument: the command accepts <key> [--json]; quote values that contain spaces`,
    ],
    [
      ['list', 'all', '1'],
      `2 unexpected arguments: the command accepts ${SELECTION}; quote values that contain spaces`,
    ],
    [['list', '--json=yes'], `--json accepts no value: use --json alone`],
    [
      ['rotate', '1', '--grace-seconds'],
      `--grace-seconds requires a value: use --grace-seconds <value>, or --grace-seconds=<value> if the value starts with a dash`,
    ],
    [
      ['rotate', '1', '--grace-seconds', '-1'],
      `--grace-seconds requires a value: use --grace-seconds <value>, or --grace-seconds=<value> if the value starts with a dash`,
    ],
    [['forget', '1'], `unknown command: use one of ${COMMANDS}`],
    [['limit', '1', '1.5'], `<calls> must be an integer from 0 to 2147483647`],
    [['rotate', '1', '--grace-seconds', '604801'], `--grace-seconds must be an integer from 0 to 604800`],
    [['suspend', '1'], `--reason <text> is missing: the command requires <key> --reason <text>`],
    [['list', '--sort', 'name'], `--sort must be created, usage or lastHour`],
    [['plan', '1', 'yearly', '--from', 'then'], `--from must be now or next`],
    [['erase', '1', '--confirm', '2'], `--confirm must repeat <key>: an erasure cannot be undone`],
    [['revoke', '1', '--id', 'qt_x'], `--id must be an integer from 1 to 2147483647`],
    [['list', '--yaml'], `unknown option --yaml: the command accepts ${SELECTION}`],
    [['create', ...ada, '--plan', 'weekly'], `--plan must be monthly or yearly`],
    [
      ['create', '--plan', 'monthly'],
      '--name <name> and --email <address> are missing: the command requires --name <name> --email <address> ' +
        '--plan <monthly|yearly> [--limit <calls>]',
    ],
    [
      ['create', '--name', '', '--email', 'ada', '--plan', 'monthly'],
      expect.stringMatching(/^--name is empty: use 1 to 100 characters, [^\n]+\n--email [^\n]+$/),
    ],
  ])('%j', async (args, stderr) => {
    const command = COMMANDS.split(', ').includes(args[0] ?? '') ? `users ${args[0]}` : 'users';
    const result = await users(...args);
    const hint = ` (see \`quotient ${command} --help\`)\n`;
    expect(result).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(hint) });
    expect(result.stderr.slice(0, -hint.length)).toEqual(stderr);
  });

  it('prints its usage with --help', async () => {
    const { code, stdout, stderr } = await users('--help');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('Usage: quotient users <command>');
  });
});
