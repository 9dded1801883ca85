import { VERSION } from '#core/version';
import { readEnvFile } from '#process/env-file';
import { EXIT, ExitError } from '#process/exit';
import { stopWithParent } from '#process/parent';
import { isLaunched, launch } from '#process/start';
import { type Command, readArguments, UsageError, wrongUsage } from './arguments.ts';
import { GROUPS } from './commands.ts';

/** Removes `--env-file PATH` and `--env-file=PATH`, which every command accepts in any place. */
function withoutEnvFile(given: readonly string[]): { args: string[]; path: string | undefined } {
  const at = given.findIndex((text) => /^--env-file(=|$)/.test(text));
  if (at < 0) return { args: [...given], path: undefined };
  const [, inline] = /=(.*)/s.exec(given[at] ?? '') ?? [];
  const path = inline ?? given[at + 1];
  if (!path) throw wrongUsage('--env-file requires a value: use --env-file <path>');
  return { args: given.toSpliced(at, inline === undefined ? 2 : 1), path };
}

const namesOf = (named: readonly { name: string }[]) => named.map(({ name }) => name.split(' ').at(-1)).join(', ');

type Found = { help: string } | { command: Command; args: readonly string[] };

/** The command that the words name, or the help for them. Throws `UsageError`, which does not repeat the words. */
async function find([name, ...rest]: readonly string[], isHelp: boolean): Promise<Found> {
  const { usage, usageOf, usageOfGroup } = isHelp ? await import('./usage.ts') : {};
  if (name === undefined && usage) return { help: usage() };
  const group = GROUPS.find((candidate) => candidate.name === name);
  if (!group) throw wrongUsage(`${name === undefined ? 'missing' : 'unknown'} command: use one of ${namesOf(GROUPS)}`);
  const { commands, notes } = await group.load();
  const command = commands.find((candidate) => [name, `${name} ${rest[0]}`].includes(candidate.name));
  if (command) {
    if (usageOf) return { help: usageOf(command, commands.length === 1 ? notes : '') };
    return { command, args: command.name === name ? rest : rest.slice(1) };
  }
  if (rest.length === 0 && usageOfGroup) return { help: usageOfGroup(group, commands, notes) };
  const fault = rest.length === 0 ? 'missing' : 'unknown';
  throw hinted(wrongUsage(`${fault} command: use one of ${namesOf(commands)}`), name);
}

const hinted = (error: UsageError, name?: string) =>
  new ExitError(
    `${error.message} (see \`${['quotient', name, '--help'].filter(Boolean).join(' ')}\`)`,
    error.exitCode,
    error,
  );

async function withHint<Result>(name: string | undefined, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof UsageError ? hinted(error, name) : error;
  }
}

/** @param prepare called before the command runs. If it returns an exit code, the command does not run. */
async function dispatch(
  given: readonly string[],
  prepare: (command: Command) => Promise<number | undefined>,
): Promise<number> {
  const isHelp = given.some((text) => text === '--help' || text === '-h');
  const { args, path } = await withHint(undefined, async () => withoutEnvFile(given));
  if (args[0] === '--version') {
    process.stdout.write(`${VERSION}\n`);
    return EXIT.ok;
  }
  const words = args.filter((text) => !isHelp || !/^(-h|--help)$/.test(text));
  const found = await withHint(undefined, () => find(words, isHelp));
  if ('help' in found) {
    process.stdout.write(found.help);
    return EXIT.ok;
  }
  const { command, args: rest } = found;
  return withHint(command.name, async () => {
    const input = readArguments(rest, command);
    readEnvFile(path);
    return (await prepare(command)) ?? (await command.run(input)) ?? EXIT.ok;
  });
}

async function exitCodeOf(work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    const { toExitReport } = await import('#process/exit-report');
    const { text, exitCode } = toExitReport(error);
    process.stderr.write(`${text}\n`);
    return exitCode;
  }
}

/**
 * A command does its work even if its output is lost. The reader of a pipe may close it early (`… | head`), which is
 * not a failure. After any other failure, such as a full disk, the exit code is not 0.
 */
function tolerateLostOutput(): void {
  let isIncomplete = false;
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', ({ code, message }: NodeJS.ErrnoException) => {
      if (code === 'EPIPE' || isIncomplete) return;
      isIncomplete = true;
      process.stderr.write(`the output is incomplete: ${message}\n`);
    });
  }
  process.on('exit', () => {
    if (isIncomplete) process.exitCode ||= EXIT.failed;
  });
}

/** Returns 0 for success, 1 for failure, and 2 for wrong usage, settings or data directory. */
export const runCommand = (args: readonly string[]): Promise<number> =>
  exitCodeOf(() => dispatch(args, async () => undefined));

/** Sets the exit code instead of exiting, so that pending output is flushed. */
export async function runProcess(args: readonly string[]): Promise<void> {
  tolerateLostOutput();
  stopWithParent();
  process.exitCode = await exitCodeOf(() =>
    dispatch(args, async ({ nodeFlags }) => (nodeFlags && !isLaunched() ? launch(nodeFlags) : undefined)),
  );
}
