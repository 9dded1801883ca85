import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '#sandbox/server';
import { sandboxTokens } from '#sandbox/tokens';
import { makeServedDirectory, runHere, runProcess } from './run-command.ts';

let directory: Awaited<ReturnType<typeof makeServedDirectory>>;
let sandbox: Sandbox;
const env = () => ({
  DATA_DIR: directory.dataDir,
  COINGECKO_URL: sandbox.coingeckoUrl,
  COINGECKO_CALLS_PER_MINUTE: '1000',
  KRAKEN_URL: sandbox.krakenUrl,
});
const tokens = (...args: string[]) => runHere('tokens', args, env());

beforeAll(async () => {
  directory = await makeServedDirectory();
  sandbox = await startSandbox();
});
afterAll(async () => {
  await sandbox.close();
  await directory.remove();
});

const hint = (command: string) => `(see \`quotient tokens${command} --help\`)\n`;

describe('tokens', () => {
  it('adds tokens with the data that it finds, lists them and removes them', async () => {
    const added = await tokens('add', 'albado');
    expect([added.code, added.stderr]).toEqual([0, '']);
    expect(added.stdout).toMatch(
      /^albado: Albado \(abd\), added\nlisted: 20\d\d-\d\d-\d\d, or earlier: .+\npair: ABDUSD on Kraken\n$/,
    );
    expect((await tokens('add', 'albaka', '--symbol', 'BTC')).stdout).toMatch(
      /\npair: none: .+\nsymbol: btc refers to bitcoin; albaka has the same symbol\n$/,
    );
    const listed = JSON.parse((await tokens('list', '--json')).stdout) as { name: string }[];
    expect(listed.map(({ name }) => name).slice(4)).toEqual(['usd-coin', 'albado', 'albaka']);
    expect(listed.at(-1)).toMatchObject({ symbol: 'btc', title: 'Albaka', pairs: {}, statistics: false });
    expect((await tokens('list')).stdout).toMatch(
      /^id +symbol +title +listed +pairs +last price +state\nbitcoin +btc +Bitcoin +2013-04-28 +XXBTZUSD, BTC-USD +- +active\n/,
    );
    expect(await tokens('alias', 'albaka', 'albado')).toEqual({
      ...{ code: 0, stderr: '', stdout: 'albaka: requests return the data of albado\n' },
    });
    expect((await tokens('list')).stdout).toMatch(/\nalbaka .+ alias of albado\n/);
    expect((await tokens('alias', 'albado', 'albaka')).code).toBe(1);
    expect((await tokens('alias', 'albaka', 'none')).stdout).toBe('albaka: has no alias\n');
    expect(await tokens('remove', 'albado')).toEqual({
      ...{ code: 0, stderr: '', stdout: 'albado: removed; its stored data is kept\n' },
    });
    expect((await tokens('list')).stdout).not.toContain('albado');
  });

  it('adds several tokens, and reports each token that it does not add', async () => {
    const { code, stdout, stderr } = await tokens('add', 'bebado', 'solan', 'bitcoin', 'bebaka', '--kraken', 'none');
    expect(code).toBe(1);
    expect(stdout.match(/^beba\w+: .+, added$/gm)).toHaveLength(2);
    expect(stdout).toMatch(/\n2 of 4 tokens added or updated\n$/);
    expect(stderr).toBe(
      'ID 2 of 4: not added: CoinGecko has no coin with this ID. Did you mean solana? `quotient tokens find <text>` searches CoinGecko.\n' +
        'ID 3 of 4: not added: This token is built in and cannot be changed or removed.\n',
    );
    const again = await tokens('add', 'bebali', 'bebali', 'bebaka');
    expect([again.code, again.stderr]).toEqual([0, '']);
    expect(again.stdout.match(/^beba\w+: .+, (?:added|updated)$/gm)).toEqual([
      expect.stringMatching(/^bebali: .+ added$/),
      expect.stringMatching(/^bebali: .+ updated$/),
      expect.stringMatching(/^bebaka: .+ updated$/),
    ]);
    const nowhere = { ...env(), COINGECKO_URL: 'http://127.0.0.1:9/api/v3' };
    const failed = await runHere('tokens', ['add', 'bebado', 'bebaka'], nowhere);
    expect(failed).toMatchObject({ code: 1, stdout: '0 of 2 tokens added or updated\n' });
    expect(failed.stderr).toMatch(/^ID 1 of 2: not added: coingecko: .+\nID 2 of 2: not added: coingecko: .+\n$/);
  });

  it('finds tokens by a part of their name', async () => {
    const { code, stdout } = await runProcess('tokens', ['find', 'beba'], env());
    expect(code).toBe(0);
    expect(stdout).toMatch(/^id +symbol +title\nbebado +bbd +Bebado\n/);
    expect(await tokens('find', 'nothing at all')).toMatchObject({ code: 1, stdout: '' });
  });

  it.each([
    [
      ['add', 'solan'],
      1,
      'CoinGecko has no coin with this ID. Did you mean solana? `quotient tokens find <text>` searches CoinGecko.\n',
    ],
    [
      ['add', 'zzzzzzzzz'],
      1,
      'CoinGecko has no coin with this ID. `quotient tokens find <text>` searches CoinGecko.\n',
    ],
    [['remove', 'zzzzzzzzz'], 1, 'No token with this ID is served. `quotient tokens list` lists the served tokens.\n'],
    [['add', 'eth'], 1, 'This ID is the symbol of ethereum. Clients use it to request ethereum.\n'],
    [
      ['add', 'bebado', '--kraken', 'nosuch'],
      1,
      'Kraken does not trade this pair for US dollars. Use another pair, or `none`.\n',
    ],
    [['remove', 'solana'], 1, 'This token is built in and cannot be changed or removed.\n'],
    [
      ['remove', 'solan'],
      1,
      'No token with this ID is served. Did you mean solana? `quotient tokens list` lists the served tokens.\n',
    ],
    [
      ['add'],
      2,
      `<id>… is missing: the command requires <id>… [--symbol <symbol>] [--kraken <pair>] [--coinbase <pair>] ${hint(' add')}`,
    ],
    ...[
      ['--symbol', 'x'],
      ['--kraken', 'XXBTZUSD'],
    ].map((option): [string[], number, string] => [
      ['add', 'bebado', 'bebaka', ...option],
      2,
      `--symbol and pairs require a single <id>: add this token with a separate command ${hint(' add')}`,
    ]),
    [['find', ''], 2, `<text> is missing: the command requires <text> ${hint(' find')}`],
    [['drop', 'solana'], 2, `unknown command: use one of add, remove, alias, list, find ${hint('')}`],
  ])('rejects %j with a one-line error', async (args, code, stderr) => {
    expect(await tokens(...args)).toEqual({ code, stdout: '', stderr });
  });

  it('looks up the pairs of many tokens once, and fails if Kraken is unavailable', async () => {
    const ids = [...sandboxTokens().keys()].slice(300, 335);
    sandbox.clearCalls();
    const added = await tokens('add', ...ids);
    expect([added.code, added.stderr]).toEqual([0, '']);
    expect(added.stdout.match(/^pair: \w+ on Kraken$/gm)).toHaveLength(7);
    expect(sandbox.countCalls('/AssetPairs') + sandbox.countCalls('/Ticker')).toBeLessThanOrEqual(4);

    sandbox.faults.always(
      { kind: 'status', status: 200, body: { error: ['EService:Unavailable'] } },
      { path: '/0/public' },
    );
    const without = await tokens('add', ...ids.slice(0, 3));
    sandbox.faults.clear();
    expect(without.code).toBe(1);
    expect(without.stderr).toMatch(
      /^the pairs of 3 tokens are unknown, because an exchange was unavailable: add the tokens again\n$/,
    );
    const listed = JSON.parse((await tokens('list', '--json')).stdout) as { name: string; pairs: object }[];
    expect(listed.filter(({ name, pairs }) => ids.includes(name) && 'kraken' in pairs)).toHaveLength(7);
  });

  it('prints a one-line error for a failing upstream and for a spent budget', async () => {
    const nowhere = { COINGECKO_URL: 'http://127.0.0.1:9/api/v3' };
    const failed = await runHere('tokens', ['add', 'bebado'], { ...env(), ...nowhere });
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toMatch(/^coingecko: .+ \(unreachable\): check [^\n]+COINGECKO_URL[^\n]+\n$/);
    expect(failed.stderr.match(/unreachable/g)).toHaveLength(1);
    // Earlier commands have spent some of this month's calls.
    const spent = { COINGECKO_CALLS_PER_MONTH: '1' };
    const refused = await runProcess('tokens', ['add', 'bebado'], { ...env(), ...spent });
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^coingecko: .+ \(over_budget\): [^\n]+COINGECKO_CALLS_PER_MONTH\n$/);
  });
});
