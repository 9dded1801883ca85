import { iso, isoDate } from '#core/clock';
import { visible, visibleJson } from '#core/forms/visible-text';
import { EXIT, ExitError, toExitReport } from '#process/exit';
import { stopWithParent } from '#process/parent';
import { type Command, execute, UsageError, wrongUsage } from './arguments.ts';

export type CommandLine = {
  name: string;
  summary: string;
  commands: readonly Command[];
  /** The column of the help beside the arguments. If undefined, the help is a paragraph below them. */
  column?: number;
  notes: string;
};

const indented = (text: string, width: number) =>
  text
    .split('\n')
    .map((line) => (line === '' ? '' : ' '.repeat(width) + line))
    .join('\n');

function usageOf({ name, summary, commands, column, notes }: CommandLine): string {
  const blocks = commands.map(({ name: command, arguments: text, help }) => {
    const line = `  npm run ${name} -- ${command} ${text}`.trimEnd();
    if (help === undefined) return line;
    if (column === undefined) return `${line}\n\n${indented(help, 4)}\n`;
    const beside = indented(help, column);
    return line.length < column ? line + beside.slice(line.length) : `${line}\n${beside}`;
  });
  return `${summary}\n\n${blocks.join('\n').trimEnd()}\n\n${notes}`;
}

export async function withUsageHint<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    // Without the two dashes, `npm run <name> --help` prints npm's own help.
    throw new ExitError(`${error.message} (see \`npm run ${name} -- --help\`)`, error.exitCode, error);
  }
}

async function dispatch(commandLine: CommandLine, args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(usageOf(commandLine));
    return EXIT.ok;
  }
  const { commands } = commandLine;
  const [name, ...rest] = args;
  const names = commands.map((command) => command.name).join(', ');
  if (name === undefined) throw wrongUsage(`missing command: use one of ${names}`);
  const command = commands.find((candidate) => candidate.name === name);
  if (!command) throw wrongUsage(`unknown command: use one of ${names}`);
  return execute(command, rest);
}

async function exitCodeOf(work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    const { text, exitCode } = toExitReport(error);
    process.stderr.write(`${text}\n`);
    return exitCode;
  }
}

/**
 * A command does its work even if its output is lost. The reader of a pipe may close it early (`… | head`), which is no
 * failure. After any other failure, such as a full disk, the exit code is not 0.
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

/** Sets the exit code instead of exiting, so that pending output is flushed. */
export async function runToExitCode(work: () => Promise<number>): Promise<void> {
  tolerateLostOutput();
  stopWithParent();
  process.exitCode = await exitCodeOf(work);
}

const run = (commandLine: CommandLine, args: readonly string[]) =>
  withUsageHint(commandLine.name, () => dispatch(commandLine, args));

/** Returns 0 for success, 1 for failure, and 2 for wrong usage, settings or data directory. */
export const runCommand = (commandLine: CommandLine, args: readonly string[]): Promise<number> =>
  exitCodeOf(() => run(commandLine, args));

export const runCommandLine = (commandLine: CommandLine): Promise<void> =>
  runToExitCode(() => run(commandLine, process.argv.slice(2)));

export const dateOf = (instant: number | null) => (instant === null ? '-' : isoDate(instant));
export const minuteOf = (instant: number | null) => (instant === null ? '-' : `${iso(instant).slice(0, 16)}Z`);

/** Truncates text so that a table fits into a hundred columns. JSON output is not truncated. */
export function cut(text: string | null, width: number): string {
  const characters = [...(text ?? '-')];
  return characters.length <= width ? characters.join('') : `${characters.slice(0, width - 1).join('')}…`;
}

/** Prints a JSON text. Characters that a terminal does not show are written as escapes. */
export const printJsonText = (json: string) => void process.stdout.write(`${visibleJson(json)}\n`);
export const printJson = (value: unknown) => printJsonText(JSON.stringify(value, null, 2));

export const printLines = (lines: readonly (readonly [name: string, value: unknown])[]) =>
  process.stdout.write(alignedTable(lines.map(([name, value]) => [`${name}:`, String(value ?? '-')])));

export function printFirst(limit: number, kind: string) {
  let count = 0;
  const print = (text: string) => process.stderr.write(`${text}\n`);
  return {
    line(text: string): void {
      count += 1;
      if (count <= limit) print(text);
    },
    rest(): void {
      if (count > limit) print(`… and ${count - limit} more ${kind}`);
    },
  };
}

/** On a terminal, each progress line overwrites the last one. Elsewhere, only permanent lines are written. */
export function progressLine(stream: NodeJS.WriteStream = process.stdout) {
  let isOpen = false;
  const clear = () => {
    if (isOpen) stream.write('\r\u001b[K');
    isOpen = false;
  };
  return {
    show(text: string): void {
      if (!stream.isTTY) return;
      stream.write(`\r\u001b[K${text.slice(0, (stream.columns ?? 80) - 1)}`);
      isOpen = true;
    },
    line(text: string): void {
      clear();
      stream.write(`${text}\n`);
    },
    clear,
  };
}

/**
 * Separates columns by two spaces and aligns numbers to the right. The first row is the heading. Characters that a
 * terminal does not show are written as escapes.
 */
export function alignedTable(rows: readonly (readonly (string | number)[])[]): string {
  const shown = rows.map((row) => row.map((cell) => visible(String(cell))));
  const widths: number[] = [];
  for (const row of shown) {
    for (const [i, text] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, text.length);
  }
  const isNumeric = widths.map((_, i) => rows.slice(1).some((row) => typeof row[i] === 'number'));
  return shown
    .map((row) => {
      const cells = row.map((text, i) => (isNumeric[i] ? text.padStart(widths[i] ?? 0) : text.padEnd(widths[i] ?? 0)));
      return `${cells.join('  ').trimEnd()}\n`;
    })
    .join('');
}

/** Aborted by a process signal. The reason is the exit code: 128 plus the signal number. */
export function interruption(): AbortSignal {
  const stop = new AbortController();
  // npm forwards Ctrl-C, so the signal may arrive twice.
  process.on('SIGINT', () => stop.abort(130));
  process.on('SIGTERM', () => stop.abort(143));
  process.on('SIGHUP', () => stop.abort(129));
  return stop.signal;
}
