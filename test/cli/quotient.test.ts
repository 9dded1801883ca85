import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formsOf } from '#cli/arguments';
import { GROUPS } from '#cli/commands';
import { VERSION } from '#core/version';
import { COMPILE_CACHE } from '../support/node-arguments.ts';
import { bundled } from '../support/service/service-process.ts';
import { makeDirectory, runHere } from './run-command.ts';

let directory: Awaited<ReturnType<typeof makeDirectory>>;
beforeAll(async () => {
  directory = await makeDirectory();
});
afterAll(() => directory.remove());

/** Runs the command in the directory, with the given environment only. */
async function quotient(args: readonly string[], env: Record<string, string> = {}) {
  const options = { cwd: directory.path, env: { ...COMPILE_CACHE, ...env } };
  const { stdout, stderr, code } = await promisify(execFile)(
    process.execPath,
    ['--', bundled('quotient'), ...args],
    options,
  ).then(
    (output) => ({ ...output, code: 0 }),
    (error) => error,
  );
  return { code, stdout, stderr };
}

it('prints its version, its commands and the help of each command', async () => {
  expect(await quotient(['--version'])).toEqual({ code: 0, stdout: `${VERSION}\n`, stderr: '' });
  const { stdout } = await quotient(['--help']);
  for (const { name, load } of GROUPS) {
    expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'));
    for (const command of (await load()).commands) {
      const { positionals, options } = formsOf(command);
      for (const { help, form } of [...positionals, ...options]) expect([form, help.length > 0]).toEqual([form, true]);
    }
  }
  const help = await quotient(['database', 'copy', '--help']);
  expect(help).toMatchObject({ code: 0, stderr: '' });
  expect(await quotient([])).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/^missing command/) });
  expect(help.stdout).toContain('Usage: quotient database copy <target> [--from <source>] [--live] [--create]\n');
});

it.each([
  ['forget', [], 'quotient --help'],
  ['users', [], 'quotient users --help'],
  ['users', ['forget'], 'quotient users --help'],
  ['users', ['show'], 'quotient users show --help'],
  ['--env-file', [], 'quotient --help'],
])('%s %j is rejected with a line that names the help', async (name, args, help) => {
  const { code, stdout, stderr } = await runHere(name, args, {});
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(new RegExp(`^[^\\n]+ \\(see \`${help}\`\\)\\n$`));
});

describe('settings files', () => {
  /** The port of the server that the command does not reach. */
  const portOf = ({ stderr }: { stderr: string }) => /127\.0\.0\.1:(\d+)/.exec(stderr)?.[1];
  const url = (port: number) => `postgresql://127.0.0.1:${port}/x`;

  it('reads .env, or the file of --env-file, and the environment takes precedence', async () => {
    await writeFile(join(directory.path, '.env'), `# a comment\nDATABASE_URL='${url(1)}'\n`);
    await writeFile(join(directory.path, 'other.env'), `\uFEFFDATABASE_URL=${url(2)}\r\n`);
    expect(portOf(await quotient(['users', 'list']))).toBe('1');
    expect(portOf(await quotient(['users', 'list', '--env-file', 'other.env']))).toBe('2');
    expect(portOf(await quotient(['users', 'list'], { DATABASE_URL: url(3) }))).toBe('3');
  });

  it('applies the file to the service', async () => {
    await writeFile(join(directory.path, 'service.env'), 'PORT=eighty\n');
    const { code, stderr } = await quotient(['serve', '--env-file', 'service.env']);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^PORT [^\n]+\n$/)]);
  });

  it.each([
    ['missing.env', undefined],
    ['wide.env', Buffer.from('PORT=1\n', 'utf16le')],
    ['broken.env', Buffer.from([0x50, 0x3d, 0xff, 0x0a])],
  ])('rejects %s in one line that names the file', async (name, content) => {
    const file = join(directory.path, name);
    if (content) await writeFile(file, content);
    const { code, stderr } = await runHere('users', ['list', '--env-file', file], {});
    expect([code, stderr]).toEqual([2, expect.stringMatching(new RegExp(`^[^\\n]*${name}[^\\n]*\\n$`))]);
  });
});

it('reports the progress of a long command on stderr, as its current part describes it', async () => {
  const script = `
    import { withProgress } from ${JSON.stringify(resolve('src/cli/output.ts'))};
    let rows = 0;
    const describe = () => { rows += 1_000; process.stdin.destroy(); return rows.toLocaleString('en') + ' rows'; };
    const part = () => new Promise((resolve) => { process.stdin.on('close', resolve).resume(); });
    await withProgress(() => 'the whole command', () => withProgress(describe, part));
    console.log('done');`;
  const child = execFile(process.execPath, ['--input-type=module', '--eval', script]);
  let [stdout, stderr] = ['', ''];
  child.stdout?.on('data', (text) => {
    stdout += text;
  });
  child.stderr?.on('data', (text) => {
    stderr += text;
  });
  await once(child, 'close');
  expect([stdout, stderr]).toEqual(['done\n', expect.stringMatching(/^1,000 rows \(\d+ s\)\n$/)]);
});

/** A shell that completes the words of a command line. Prints one candidate on each line. */
const SHELLS = {
  bash: (script: string, words: readonly string[]) => `source ${script}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
_quotient; printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: (script: string, words: readonly string[]) => `autoload -Uz compinit && compinit -u -D
compadd() { shift; printf '%s\\n' "$@" }; source ${script}; [[ $_comps[quotient] = _quotient ]] || exit 1
words=(${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${words.length}; _quotient`,
  fish: (script: string, words: readonly string[]) => `source ${script}; complete -C "${words.join(' ')}"`,
};

describe.each(Object.entries(SHELLS))('completion in %s', (shell, completing) => {
  const isInstalled = spawnSync(shell, ['--version']).status === 0;

  it.runIf(isInstalled)('completes commands, options and values', async () => {
    const script = join(directory.path, `completion.${shell}`);
    await writeFile(script, (await quotient(['completion', shell])).stdout);
    const complete = (...words: string[]) =>
      execFileSync(shell, ['-c', completing(script, ['quotient', ...words])], { encoding: 'utf8' })
        .trim()
        .split('\n')
        .map((line) => line.split('\t')[0] ?? '');
    expect(complete('')).toEqual(expect.arrayContaining(GROUPS.map(({ name }) => name)));
    expect(complete('users', '')).toEqual(expect.arrayContaining(['create', 'list', 'notices']));
    expect(complete('users', 'create', '--')).toEqual(expect.arrayContaining(['--name', '--plan', '--env-file']));
    expect(complete('users', 'list', '--sort', '')).toEqual(expect.arrayContaining(['created', 'usage', 'lastHour']));
    expect(complete('users', 'plan', '7', '')).toEqual(expect.arrayContaining(['monthly', 'yearly']));
    expect(complete('demo', '--node', '')).toEqual(expect.arrayContaining(['cosmos', 'legacy']));
    expect(complete('completion', '')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']));
  });
});
