import { compare } from './comparison.ts';
import type { Environment } from './environment.ts';
import { missingForGateway, startGateway } from './gateway.ts';
import { ENDLESS, LATEST, openStand } from './stand.ts';
import { type Figure, seen } from './table.ts';

/** Beside a gateway that does the same with other means: one worker of nginx, with Lua, in front of the same answer. */
export async function measure(environment: Environment): Promise<Figure[]> {
  const missing = missingForGateway();
  if (missing) {
    console.error(`The gateway is left out: ${missing}.`);
    return [];
  }
  const stand = await openStand(environment);
  const service = await stand.startService();
  const latest = `${service.url}${LATEST}`;
  const origin = await (await stand.twinsOf(latest)).dressed();
  const gateway = await startGateway({ upstream: origin.url, keys: stand.keys, limit: ENDLESS });
  const [ratio = 0] = await compare({ url: latest, keys: [stand.key] }, { url: `${gateway.url}/`, keys: [stand.key] });
  await gateway.close();
  await stand.close();
  return [seen('latest/token against nginx + Lua gateway', ratio.toFixed(3))];
}
