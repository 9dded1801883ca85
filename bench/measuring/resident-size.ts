import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

export async function residentSize(pid: number): Promise<number | undefined> {
  const kilobytes =
    process.platform === 'linux'
      ? /VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8').catch(() => ''))?.[1]
      : await run('ps', ['-o', 'rss=', '-p', String(pid)]).then(
          ({ stdout }) => stdout,
          () => undefined,
        );
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
}

/** The peak resident size of a process in MB. Linux only. */
export async function peakSize(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024;
}
