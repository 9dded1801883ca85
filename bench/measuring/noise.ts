import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '../stand/service-process.ts';
import { differences } from './comparison.ts';
import { median } from './table.ts';

/** About the size of a price. */
const BODY = JSON.stringify('x'.repeat(300));

/** The median difference between the rates of two processes of the same bare server, as a share of the rate. */
export async function measureNoise(): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'quotient-bench-'));
  const file = join(directory, 'body');
  await writeFile(file, BODY);
  const start = () => startServer('stand/bare-server.ts', { BODY_FILE: file });
  const [one, other] = [await start(), await start()];
  const target = ({ url }: typeof one) => ({ url: `${url}/`, keys: [] });
  const ratios = await differences(target(one), target(other));
  await Promise.all([one.close(), other.close(), rm(directory, { recursive: true })]);
  return median(ratios.map((ratio) => Math.abs(ratio - 1)));
}
