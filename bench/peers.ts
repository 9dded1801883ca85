import { compare } from './comparison.ts';
import type { Environment } from './environment.ts';
import { missingForGateway, startGateway } from './gateway.ts';
import { LATEST, openStand, UNLIMITED } from './stand.ts';
import { type Figure, seen } from './table.ts';

/** Compares the service with a gateway: one nginx worker with Lua, in front of a server with the same response. */
export async function measure(environment: Environment): Promise<Figure[]> {
  const missing = missingForGateway();
  if (missing) {
    console.error(`The gateway is skipped: ${missing}.`);
    return [];
  }
  const stand = await openStand(environment);
  const service = await stand.startService();
  const latest = `${service.url}${LATEST}`;
  const origin = await (await stand.baselinesOf(latest)).withHeaders();
  const gateway = await startGateway({ upstream: origin.url, keys: stand.keys, limit: UNLIMITED });
  const [ratio = 0] = await compare({ url: latest, keys: [stand.key] }, { url: `${gateway.url}/`, keys: [stand.key] });
  await gateway.close();
  await stand.close();
  return [seen('latest/token against one worker of nginx with Lua', ratio.toFixed(3))];
}
