import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY } from '#core/clock';
import { openDataDirectory } from '../support/database/database.ts';
import { makeServedDirectory, runHere, runProcess, startCommand } from './run-command.ts';

const SAMPLE = new URL('../samples/export.csv', import.meta.url).pathname;
const BAD_SAMPLE = new URL('../samples/export-with-bad-lines.csv', import.meta.url).pathname;
const CANDLES = new URL('../samples/candles.csv', import.meta.url).pathname;
const HEADER = 'snapped_at,price,market_cap,total_volume';

let directory: Awaited<ReturnType<typeof makeServedDirectory>>;
const env = () => ({ DATA_DIR: directory.dataDir });
const archive = (...args: string[]) => runHere('archive', args, env());

async function statusOf(token: string) {
  const { code, stdout } = await archive('status', '--json');
  expect(code).toBe(0);
  const rows = JSON.parse(stdout) as { token: string; interval: string; points: number }[];
  expect(rows, 'five tokens, three grains').toHaveLength(15);
  return rows.find((row) => row.token === token && row.interval === 'day');
}

beforeAll(async () => {
  directory = await makeServedDirectory();
});
afterAll(() => directory.remove());

describe('archive import', () => {
  it('reports its work, and changes nothing when repeated', async () => {
    expect(await archive('import', 'ethereum', SAMPLE)).toEqual({
      code: 0,
      stdout:
        'ethereum: 3 rows read: 3 added, 0 changed, 0 skipped (no new data), 0 kept (settled, but different), 0 invalid\n',
      stderr: expect.stringMatching(/^ethereum: neither [^\n]* USD\n$/),
    });
    const again = await archive('import', 'Ethereum', SAMPLE);
    expect([again.code, again.stdout]).toEqual([
      0,
      'ethereum: 3 rows read: 0 added, 0 changed, 3 skipped (no new data), 0 kept (settled, but different), 0 invalid\n',
    ]);
    expect(await statusOf('ethereum')).toMatchObject({
      points: 3,
      first: '2016-02-27T00:00:00.000Z',
      last: '2016-03-01T00:00:00.000Z',
      spans: [{ from: '2016-02-27T00:00:00.000Z', thru: '2016-03-01T23:59:59.999Z' }],
      gaps: [
        { from: '2015-08-07T00:00:00.000Z', thru: '2016-02-26T23:59:59.999Z' },
        // The file lacks the day.
        { from: '2016-02-29T00:00:00.000Z', thru: '2016-02-29T23:59:59.999Z' },
        { from: '2016-03-02T00:00:00.000Z' },
      ],
    });
  });

  it('lists the first twenty rows that it keeps, and replaces them with --replace', async () => {
    const path = join(directory.path, 'kept.csv');
    const write = (price: number) => {
      const lines = Array.from({ length: 22 }, (_, i) => {
        const date = new Date(Date.UTC(2020, 0, 1) + i * DAY).toISOString().slice(0, 10);
        return `${date} 00:00:00 UTC,${price},,1`;
      });
      return writeFile(path, [HEADER, ...lines].join('\n'));
    };
    await write(1);
    await archive('import', 'bitcoin', path);
    await write(1.005);
    const kept = await archive('import', 'bitcoin', path);
    expect(kept.stdout).toContain('0 changed, 0 skipped (no new data), 22 kept (settled, but different)');
    const lines = kept.stderr.split('\n');
    expect(lines[0]).toBe('kept 2020-01-01: price 1, in the file 1.005');
    expect(lines.slice(19)).toEqual(['kept 2020-01-20: price 1, in the file 1.005', '… and 2 more rows kept', '']);
    const replaced = await archive('import', 'bitcoin', path, '--replace');
    expect(replaced.stdout).toContain('22 changed, 0 skipped (no new data), 0 kept');
  });

  it('lists bad lines and imports the others; with --strict, it imports nothing', async () => {
    const strict = await archive('import', 'solana', BAD_SAMPLE, '--strict');
    expect(strict).toMatchObject({
      code: 1,
      stdout: 'solana: nothing was imported, because the file has 7 invalid line(s)\n',
    });
    expect(await statusOf('solana')).toMatchObject({ points: 0, spans: [] });

    const lenient = await archive('import', 'solana', BAD_SAMPLE);
    expect(lenient.code).toBe(0);
    expect(lenient.stdout).toContain('12 rows read: 4 added');
    for (const { stderr } of [strict, lenient]) {
      expect(stderr).toContain('line 3: price must not be negative\n');
      expect(stderr).toContain('line 10: snapped_at is in the future\n');
    }
  });

  it('stops after a batch when interrupted, and completes the import when repeated', async () => {
    // Twenty duplicates of its date follow each row. The file therefore takes a while, although its dates fit the
    // token's history.
    const first = Date.UTC(2009, 0, 3);
    const lines = Array.from({ length: 5000 }, (_, i) => {
      const date = new Date(first + i * DAY).toISOString().slice(0, 10);
      return `${date} 00:00:00 UTC,${(i + 1) / 7},${i * 1e6},${i}\n`.repeat(21);
    });
    const path = join(directory.path, 'large.csv');
    await writeFile(path, `${HEADER}\n${lines.join('')}`);
    // A row of the second batch differs, so that the command prints a line when that batch is stored.
    const other = join(directory.path, 'other.csv');
    await writeFile(other, `${HEADER}\n${lines[700]?.split('\n')[0]?.replace(',700', ',7')}\n`);
    await archive('import', 'arweave', other);

    const command = startCommand('archive', ['import', 'arweave', path], env());
    await command.until('stderr', /^kept /m);
    command.kill('SIGINT');
    command.kill('SIGINT'); // as npm does
    const interrupted = await command.ended();
    expect(interrupted.code).toBe(130);
    expect(interrupted.stdout).toMatch(/\ninterrupted: .*; run the command again to import the remaining rows\n$/);
    const taken = Number(/ ([\d,]+) added/.exec(interrupted.stdout)?.[1]?.replace(',', ''));
    expect(taken).toBeGreaterThanOrEqual(500);
    expect(taken).toBeLessThan(5000);

    const again = await archive('import', 'arweave', path);
    expect(again.code).toBe(0);
    expect(again.stdout).toContain(
      `${number(4999 - taken)} added, 0 changed, ${number(taken)} skipped (no new data), 1 kept`,
    );
    expect(await statusOf('arweave')).toMatchObject({
      points: 5000,
      spans: [{ from: '2009-01-03T00:00:00.000Z', thru: '2022-09-11T23:59:59.999Z' }],
    });
  });

  it('works through the process that has the data directory open', async () => {
    const { point } = directory.database.prisma;
    await point.deleteMany({ where: { token: 'ethereum' } });
    const { code, stdout } = await runProcess('archive', ['import', 'ethereum', SAMPLE], env());
    expect([code, stdout]).toEqual([0, expect.stringContaining('3 rows read: 3 added')]);
    expect(await point.count({ where: { token: 'ethereum' } })).toBe(3);
  });
});

const number = (value: number) => value.toLocaleString('en');
const hint = (command: string) => `(see \`quotient archive${command} --help\`)\n`;

describe('archive with wrong usage', () => {
  it.each([
    [['import', 'dogecoin', SAMPLE], `unknown token: \`quotient tokens list\` lists all tokens ${hint(' import')}`],
    [['import', 'Etherium', SAMPLE], `unknown token: did you mean ethereum? ${hint(' import')}`],
    [
      ['import-candles', 'dogecoin', CANDLES],
      `unknown token: \`quotient tokens list\` lists all tokens ${hint(' import-candles')}`,
    ],
    [
      ['import', 'ethereum'],
      `<file.csv> is missing: the command requires <token> <file.csv> [--strict] [--replace] [--currency <currency>] [--force] ${hint(' import')}`,
    ],
    [
      ['import', 'ethereum', SAMPLE, 'more'],
      `1 unexpected argument: the command accepts <token> <file.csv> [--strict] [--replace] [--currency <currency>] [--force]; quote values that contain spaces ${hint(' import')}`,
    ],
    [
      ['import', 'ethereum', SAMPLE, '--all'],
      `unknown option --all: the command accepts <token> <file.csv> [--strict] [--replace] [--currency <currency>] [--force] ${hint(' import')}`,
    ],
    [['import', 'ethereum', '/nowhere/export.csv'], '/nowhere/export.csv does not exist: check the path\n'],
    [['import', 'ethereum', '/tmp'], '/tmp is a directory: use a CSV file\n'],
    [['import', 'ethereum', '/dev/null'], '/dev/null is not a file: use a CSV file\n'],
    [['export'], `unknown command: use one of import, import-candles, status, purge ${hint('')}`],
    [[], `missing command: use one of import, import-candles, status, purge ${hint('')}`],
  ])('%j', async (args, stderr) => {
    expect(await archive(...args)).toEqual({ code: 2, stdout: '', stderr });
  });

  it('prints one line for each invalid setting', async () => {
    const env = { DATABASE_URL: 'mysql://root:secret@127.0.0.1/x', COINGECKO_PLAN: 'free' };
    const { code, stderr } = await runHere('archive', ['status'], env);
    expect(code).toBe(2);
    expect(stderr.split('\n')).toEqual([
      'DATABASE_URL must be a postgresql:// URL',
      'COINGECKO_PLAN must be public, demo, basic or pro',
      '',
    ]);
  });

  it('hides the password of an unreachable server', async () => {
    const env = { DATABASE_URL: 'postgresql://root:secret@127.0.0.1:9/x' };
    const { code, stderr } = await runHere('archive', ['status'], env);
    expect([code, stderr]).toEqual([
      1,
      'cannot connect to the database at 127.0.0.1:9: connect ECONNREFUSED 127.0.0.1:9: start the server, or correct DATABASE_URL\n',
    ]);
  });
});

describe('archive status', () => {
  it('prints a table with a row for each token and interval', async () => {
    const dataDir = join(directory.path, 'fresh');
    await (await openDataDirectory(dataDir)).close();
    const { code, stdout } = await runProcess('archive', ['status'], { DATA_DIR: dataDir });
    const [heading, ...rows] = stdout.split('\n\n')[0]?.split('\n') ?? [];
    expect(code).toBe(0);
    expect(heading).toMatch(/^token +interval +source +points +first +last +spans +gaps$/);
    expect(rows).toHaveLength(15);
    expect(rows[2]).toMatch(/^bitcoin +day +coingecko +0 +- +- +- +2013-04-28\/\d{4}-\d\d-\d\d$/);
  });

  it('shows some tokens by name, or the first tokens with the number of the others', async () => {
    const tokensIn = (json: string) => [
      ...new Set((JSON.parse(json) as { token: string }[]).map(({ token }) => token)),
    ];
    const named = await archive('status', '--json', '--tokens', 'solana, bitcoin');
    expect([named.code, named.stderr]).toEqual([0, '']);
    expect(tokensIn(named.stdout)).toEqual(['solana', 'bitcoin']);
    const first = await archive('status', '--json', '--limit', '2');
    expect(tokensIn(first.stdout)).toHaveLength(2);
    expect(first.stderr).toMatch(/^3 more /);
    expect((await archive('status', '--tokens', 'solana,nothing')).code).toBe(2);
    expect((await archive('status', '--limit', '0')).code).toBe(2);
  });

  it('prints its usage', async () => {
    const { code, stdout, stderr } = await archive('status', '--help');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('quotient archive status [--tokens <names>] [--limit <tokens>] [--json]');
    const { stdout: ofImport } = await archive('import', '--help');
    expect(ofImport).toContain(
      'quotient archive import <token> <file.csv> [--strict] [--replace] [--currency <currency>] [--force]',
    );
  });
});
