import { readFile } from 'node:fs/promises';

/** The CPU time of a process in user mode and in the kernel, in µs. Linux counts it in hundredths of a second. */
export async function cpuTime({ pid }: { pid: number }): Promise<[user: number, kernel: number]> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
  return [Number(fields[11]) * 10_000, Number(fields[12]) * 10_000];
}
