import type { FastifyInstance } from 'fastify';
import { lettersApart, tolerance } from '#core/spelling';

/** What pages load; nobody types these addresses. */
const ASSET = /\/(static|console)\//;

/** The paths of an app's routes, noted as these are added. */
export function createKnownPaths(app: FastifyInstance) {
  const routes = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  app.addHook('onRoute', ({ url, method }) => {
    // A preflight is answered on any path: that makes none known.
    if (url === '*') return;
    const escaped = url.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
    const pattern = escaped.replace(/:[A-Za-z]+/g, '[^/]+').replaceAll('*', '.*');
    const route = routes.get(url) ?? { pattern: new RegExp(`^${pattern}$`), methods: new Set() };
    for (const one of [method].flat()) route.methods.add(one);
    routes.set(url, route);
  });
  const pathOf = (url: string) => url.split('?', 1)[0] as string;

  return {
    /** The methods of the path of a URL; undefined where no route has it. */
    methods: (url: string): ReadonlySet<string> | undefined =>
      [...routes.values()].find(({ pattern }) => pattern.test(pathOf(url)))?.methods,

    /** The path to be read that was meant by an unknown one, where it is near to one. */
    nearest(url: string): string | undefined {
      const readable = [...routes].filter(([path, { methods }]) => methods.has('GET') && !/[:*]/.test(path));
      const paths = readable.map(([path]) => path).filter((path) => !ASSET.test(path));
      return nearestPath(pathOf(url), paths);
    },
  };
}

/** A shorter end of a path says too little. */
const SHORTEST_END = 4;

/** The known path that another is meant to be: but for case and slashes, for a letter or two, or for what is before it. */
export function nearestPath(path: string, known: readonly string[]): string | undefined {
  const given = path.toLowerCase().replace(/\/+/g, '/').replace(/\/$/, '');
  const apart = (one: string) => lettersApart(given, one.toLowerCase(), tolerance(one.length));
  const isEnd = (whole: string, end: string) => end.length >= SHORTEST_END && whole.endsWith(end);
  const [nearest] = known
    .map((one) => ({ one, letters: apart(one) }))
    .filter(({ letters }) => letters < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.letters - b.letters);
  return nearest?.one ?? known.find((one) => isEnd(one, given) || isEnd(given, one));
}
