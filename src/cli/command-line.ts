import { EXIT, ExitError, explain } from '#process/exit';
import { UsageError, wrongUsage } from './arguments.ts';

/** The commands of a process by their names; each gives the exit code. */
export type CommandLine = {
  /** Its script in package.json. */
  name: string;
  usage: string;
  commands: Readonly<Record<string, (args: readonly string[]) => Promise<number>>>;
};

/** Runs some work of a command line. A wrong usage is reported with the command that prints the usage. */
export async function withUsageHint<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    // `npm run <name> --help`, without the two dashes, is npm's own help.
    throw new ExitError(`${error.message} (see \`npm run ${name} -- --help\`)`, error.exitCode, error);
  }
}

/** Runs the command that the arguments begin with; `--help` anywhere only prints the usage. */
async function dispatch({ usage, commands }: CommandLine, args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(usage);
    return EXIT.ok;
  }
  const [name, ...rest] = args;
  const names = Object.keys(commands);
  if (name === undefined) throw wrongUsage(`missing command: use one of ${names.join(', ')}`);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) throw wrongUsage(`unknown command: use one of ${names.join(', ')}`);
  return command(rest);
}

/** The exit code of some work; an error goes to stderr. */
async function exitCodeOf(work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    const { text, exitCode } = explain(error);
    process.stderr.write(`${text}\n`);
    return exitCode;
  }
}

/** Runs some work and sets the exit code. The process then ends by itself. */
export async function runToExitCode(work: () => Promise<number>): Promise<void> {
  // The reader may close the pipe early, as `… | head` does.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  process.exitCode = await exitCodeOf(work);
}

const run = (commandLine: CommandLine, args: readonly string[]) =>
  withUsageHint(commandLine.name, () => dispatch(commandLine, args));

/** Runs a command and gives its exit code: 0 done, 1 failed, 2 wrong usage, settings or data directory. */
export const runCommand = (commandLine: CommandLine, args: readonly string[]): Promise<number> =>
  exitCodeOf(() => run(commandLine, args));

/** Runs the command line of this process. */
export const runCommandLine = (commandLine: CommandLine): Promise<void> =>
  runToExitCode(() => run(commandLine, process.argv.slice(2)));
