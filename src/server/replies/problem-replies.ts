import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { maskApiKeys } from '#core/log';
import { Problem } from '#core/problems';
import { lettersApart, tolerance } from '#core/record-fields';
import { checkRequest } from '#server/connections/request-limits';
import type { Gate } from '#server/gate';
import { PAGE_SECURITY } from '#server/replies/static-content';
import type { RequestLog } from '#server/request-log';
import type { RequestHistograms } from '#server/request-metrics';
import { prefersHtml } from './negotiation.ts';

export const MEDIA_TYPE = 'application/problem+json; charset=utf-8';

/** The body of a problem, with everything that has a key's form taken out. */
export function textOf(problem: Problem, basePath: string, requestId: string): string {
  const { code, title, status, message, members } = problem;
  const type = `${basePath}/docs/problems#${code}`;
  return maskApiKeys(JSON.stringify({ type, title, status, detail: message, code, requestId, ...members }));
}

/** What Fastify and Node throw before a handler is reached, in the contract's words. */
const FRAMEWORK: Record<string, () => Problem> = {
  FST_ERR_BAD_URL: () => new Problem('invalid_request', 'The path is not valid percent-encoding: encode it in UTF-8.'),
  FST_ERR_MAX_PARAM_LENGTH: () => new Problem('uri_too_long', 'A part of the path is too long.'),
};

/** Whatever was thrown, as a problem; what it does not know is an `internal_error` that tells nothing. */
function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const { code, statusCode = 500 } = error as FastifyError;
  const known = FRAMEWORK[code];
  if (known) return known();
  if (code?.startsWith('FST_') && statusCode >= 400 && statusCode < 500) {
    return new Problem('invalid_request', 'The request cannot be read.', { cause: error });
  }
  return new Problem('internal_error', 'An unexpected fault; the request id finds it in our log.', {
    cause: error,
  });
}

/**
 * Whether a person reads what is answered: a browser goes to the address, which it says in an older way without
 * encryption. At an unknown path that is not of the API, nobody says it who wants something else.
 */
function isForPerson({ method, url, headers }: FastifyRequest, { basePath, nearest }: Options): boolean {
  const { 'sec-fetch-mode': mode, 'upgrade-insecure-requests': upgrade } = headers;
  if (method !== 'GET' && method !== 'HEAD') return mode === 'navigate';
  if (mode !== undefined) return mode === 'navigate';
  return upgrade === '1' || (nearest !== undefined && !url.startsWith(`${basePath}/v1/`));
}

/** What is said of a problem at an address (its URL, with the query); `unknown` where nothing is served there. */
export type Asked = {
  basePath: string;
  url: string;
  requestId: string;
  unknown?: { nearest: string | undefined } | undefined;
};

type Options = {
  basePath: string;
  /** A problem as a page, for whoever came to the address with a browser. */
  page: (problem: Problem, asked: Asked) => string;
  log: Pick<RequestLog, 'failed'>;
  limits?: Record<string, string>;
  /** Where no route has the path: gives the one that may be meant. */
  nearest?: ((url: string) => string | undefined) | undefined;
};

function send(request: FastifyRequest, reply: FastifyReply, problem: Problem, options: Options): FastifyReply {
  const { basePath, page, limits = {}, nearest } = options;
  if (problem.status >= 500) options.log.failed(request, reply, problem);
  for (const name of Object.keys(reply.getHeaders())) {
    if (/^(content-|etag$|last-modified$|age$|cache-|quotient-)/.test(name)) reply.removeHeader(name);
  }
  const { id: requestId, url, headers } = request;
  reply.code(problem.status).headers({ ...problem.headers, ...limits, 'cache-control': 'no-store' });
  if (prefersHtml(headers.accept) && isForPerson(request, options)) {
    const unknown = nearest && { nearest: nearest(url) };
    // CORS may have set `Vary` too.
    const vary = [reply.getHeader('vary') ?? [], 'Accept'].flat().join(', ');
    return reply
      .headers({ ...PAGE_SECURITY, vary })
      .type('text/html; charset=utf-8')
      .send(maskApiKeys(page(problem, { basePath, url, requestId, unknown })));
  }
  return reply.header('content-type', MEDIA_TYPE).send(textOf(problem, basePath, requestId));
}

type Page = Pick<Options, 'basePath' | 'page' | 'log'>;
type Dependencies = { gate: Pick<Gate, 'limitsOf'>; now: () => number };

/**
 * Makes every error of an app a problem, and tells an unknown path from a method that is not allowed. Gives a function
 * that adds a hook which refuses these: before their body is waited for, and after the hooks that are there already.
 */
export function replyWithProblems(app: FastifyInstance, options: Page, { gate, now }: Dependencies): () => void {
  const { basePath } = options;
  const paths = createKnownPaths(app);

  function notFound({ url, method }: FastifyRequest): Problem {
    const methods = paths.methods(url);
    // A pattern may take the path and the method, and its handler still find nothing there.
    if (methods === undefined || methods.has(method))
      return new Problem('not_found', `No such path: ${basePath}/docs lists those there are.`);
    const allow = [...methods].join(', ');
    return new Problem('method_not_allowed', `This path takes ${allow}.`, { headers: { allow } });
  }

  app.setErrorHandler((error, request, reply) => {
    const problem = toProblem(error);
    const limits = problem.status === 429 ? gate.limitsOf(request, problem.code, now()) : {};
    const isUnknown = request.is404 && problem.code === 'not_found';
    return send(request, reply, problem, {
      ...options,
      limits,
      nearest: isUnknown ? paths.nearest : undefined,
    });
  });
  app.setNotFoundHandler((request) => {
    throw notFound(request);
  });
  return () =>
    app.addHook('onRequest', (request, _reply, done) => {
      if (request.is404) done(notFound(request));
      else done();
    });
}

/** Answers a path that the router cannot make out: Fastify's `frameworkErrors`, which runs no hook. */
export function answerUnroutable(options: Page, requests?: RequestHistograms) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    reply.header('x-request-id', request.id);
    try {
      checkRequest(request);
      send(request, reply, toProblem(error), options);
    } catch (problem) {
      send(request, reply, toProblem(problem), options);
    }
    requests?.observe(undefined, request.method, reply.statusCode, 0);
  };
}

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
