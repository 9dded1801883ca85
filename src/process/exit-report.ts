import { SettingsError } from '#core/forms/setting-forms';
import { Problem } from '#core/problems';
import { isDatabaseUnable, lastLine } from '#database/connection/unreachable';
import { EXIT, ExitError } from './exit.ts';

const LISTEN_FAULTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process uses the port; set another PORT, ADMIN_PORT or METRICS_PORT',
  EACCES: 'permission denied; use a port of 1024 or above',
  EADDRNOTAVAIL: 'this machine does not have the address; correct HOST, ADMIN_HOST or METRICS_HOST',
};

type ListenFault = NodeJS.ErrnoException & { address?: string; port?: number; hostname?: string };

function cannotListen({ syscall, code = '', message, address, port, hostname }: ListenFault) {
  if (syscall === 'getaddrinfo') return `${hostname} has no address; correct HOST, ADMIN_HOST or METRICS_HOST`;
  if (syscall !== 'listen') return undefined;
  const reason = LISTEN_FAULTS[code];
  const host = address?.includes(':') ? `[${address}]` : address;
  return reason ? `cannot listen at ${host}:${port}: ${reason}` : message;
}

/** Whether the database or its connection failed, rather than this program or a file, whose errors name a system call. */
const isOfDatabase = (error: Error & { syscall?: string }): boolean =>
  error.name.startsWith('PrismaClient') ||
  'severity' in error ||
  (error.syscall === undefined && isDatabaseUnable(error));

/** One line for an expected error, one line per invalid setting, or the stack trace of any other error. */
export function toExitReport(error: unknown): { text: string; exitCode: number } {
  if (error instanceof ExitError) return { text: error.message, exitCode: error.exitCode };
  if (error instanceof SettingsError) return { text: error.message, exitCode: EXIT.refused };
  if (error instanceof Problem) return { text: error.message, exitCode: EXIT.failed };
  if (!(error instanceof Error)) return { text: String(error), exitCode: EXIT.failed };
  const place = cannotListen(error);
  if (place) return { text: place, exitCode: EXIT.failed };
  if (isOfDatabase(error)) {
    const reason = lastLine(error.message) || 'no reason given';
    return { text: `the database failed: ${reason}`, exitCode: EXIT.failed };
  }
  return { text: error.stack ?? error.message, exitCode: EXIT.failed };
}
