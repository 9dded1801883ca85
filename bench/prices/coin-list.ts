import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openSimulation } from '../../fixtures/simulation.ts';
import { atMost, type Figure, seen } from '../measuring/table.ts';
import { openBenchDatabase } from '../simulated/database.ts';
import type { Environment } from '../stand/environment.ts';

/** The number of coins in CoinGecko's list, of which three in four have a contract, and some have several. */
const COINS = 17_000;
const PLATFORMS = ['ethereum', 'solana', 'binance-smart-chain', 'base', 'polygon-pos'];
const MB = 1024 * 1024;
const MAX_MB = 12;

function coinOf(n: number) {
  const platforms = PLATFORMS.slice(0, n % 4 === 0 ? 0 : n % 10 === 1 ? 5 : 1);
  const address = `0x${n.toString(16).padStart(40, 'A')}`;
  return {
    id: `a-coin-with-a-name-${n}`,
    symbol: `c${n}`,
    name: `A coin with a name ${n}`,
    platforms: Object.fromEntries(platforms.map((platform) => [platform, address])),
  };
}

/** Without the flag, V8 has no function that collects. */
function createGc(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

/** Measures the memory that CoinGecko's list of coins takes after it has been fetched, stored and used. */
export async function measureCoinList(environment: Environment): Promise<Figure[]> {
  const { open, drop } = await openBenchDatabase(environment);
  const database = await open();
  const simulation = await openSimulation({ open: async () => database, processes: 1 });
  const list = Array.from({ length: COINS }, (_, n) => coinOf(n));
  simulation.sandbox.faults.always({ kind: 'changed', change: () => list }, { path: '/coins/list' });
  const [parts] = simulation.processes;
  const coins = parts?.prices.coins;
  const gc = createGc();
  const heap = (): number => {
    gc();
    return process.memoryUsage().heapUsed / MB;
  };
  // Loads what every installation uses.
  await parts?.market.latest('bitcoin');
  await coins?.storedPlatforms(['bitcoin']);
  const before = heap();
  const started = performance.now();
  await coins?.refresh();
  const took = performance.now() - started;
  const found = await coins?.at('ethereum', [list[1]?.platforms.ethereum ?? '']);
  const after = heap();
  await simulation.close();
  await drop();
  if (found?.size !== 1) throw new Error('the list is not stored');
  return [
    atMost(`memory of the list of ${COINS} coins`, Math.max(0, after - before), MAX_MB, 'MB'),
    seen('heap before and after the list of coins', `${before.toFixed(1)}, ${after.toFixed(1)} MB`),
    seen('time to fetch and store the list of coins', `${(took / 1000).toFixed(1)} s`),
  ];
}
