import { readFile } from 'node:fs/promises';

/** Linux counts the time in hundredths of a second. */
async function cpuTime(pid: number): Promise<[user: number, kernel: number]> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
  return [Number(fields[11]) * 10_000, Number(fields[12]) * 10_000];
}

/** The CPU time of a process during a run, in user mode and in the kernel, in µs. */
export async function cpuTimeDuring(
  { pid }: { pid: number },
  run: () => Promise<unknown>,
): Promise<[user: number, kernel: number]> {
  const [user, kernel] = await cpuTime(pid);
  await run();
  const [userAfter, kernelAfter] = await cpuTime(pid);
  return [userAfter - user, kernelAfter - kernel];
}
