import { listenForMetrics } from '#server/request-metrics';
import type { Service } from './service.ts';

/** A service with metrics, which the test serves on a separate port. */
export const METRICS_ON = { METRICS_PORT: '0' };

export type Series = ReadonlyMap<string, number>;

/** The series of an exposition: the name with its labels as written, and the value. */
export function seriesOf(exposition: string): Series {
  const lines = exposition.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const [, name, value] = /^(\w+(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
      if (name === undefined) throw new Error(`invalid line of an exposition: ${line}`);
      return [name, Number(value?.replace('+Inf', 'Infinity'))];
    }),
  );
}

/** Serves a service's metrics as Prometheus reads them. `close` stops the server. */
export async function openScrape(service: Pick<Service, 'parts'>) {
  const listener = await listenForMetrics({ ...service.parts.metrics, host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${listener.address.port}/metrics`;

  return {
    url,
    text: async () => (await fetch(url)).text(),
    series: async () => seriesOf(await (await fetch(url)).text()),
    close: listener.close,
  };
}

export type Scrape = Awaited<ReturnType<typeof openScrape>>;

/** The counted requests: `GET 200 /v1/…` and their number. */
export function requestsOf(series: Series): Record<string, number> {
  const counted = [...series].flatMap(([name, value]) => {
    const [, route, method, status] =
      /^quotient_http_requests_total\{route="(.*)",method="(.*)",status="(.*)"\}$/.exec(name) ?? [];
    return route === undefined ? [] : [[`${method} ${status} ${route}`, value] as const];
  });
  return Object.fromEntries(counted);
}
