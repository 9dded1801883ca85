import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { editDistance, tolerance } from '#core/forms/record-fields';
import { maskApiKeys } from '#core/log';
import { Problem } from '#core/problems';
import { type AccessLog, factsOf } from '#server/access-log';
import { checkRequest } from '#server/connections/request-head';
import type { Gate } from '#server/gate';
import type { RequestHistograms } from '#server/request-metrics';
import { traceProblem } from '#server/request-trace';
import { PAGE_SECURITY, withVary } from '#server/responses/static-content';
import { urlKeyHeaders } from '#server/url-key';
import { prefersHtml } from './negotiation.ts';

export const MEDIA_TYPE = 'application/problem+json; charset=utf-8';

/** Writes the body of a problem, with further members. Removes anything that looks like a key. */
export function textOf(problem: Problem, basePath: string, requestId: string, more: object = {}): string {
  const { code, title, status, message, members } = problem;
  const type = `${basePath}/docs/problems#${code}`;
  return maskApiKeys(JSON.stringify({ type, title, status, detail: message, code, requestId, ...members, ...more }));
}

/** Errors that Fastify and Node throw before a handler is reached. */
const FRAMEWORK: Record<string, () => Problem> = {
  FST_ERR_BAD_URL: () =>
    new Problem('invalid_request', 'The path has invalid percent-encoding. Encode the path in UTF-8.'),
  FST_ERR_MAX_PARAM_LENGTH: () => new Problem('uri_too_long', 'A segment of the path is too long.'),
};

/** Converts any error to a problem. An unknown error becomes `internal_error` without details. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const { code, statusCode = 500 } = error as FastifyError;
  const frameworkProblem = FRAMEWORK[code];
  if (frameworkProblem) return frameworkProblem();
  if (code?.startsWith('FST_') && statusCode >= 400 && statusCode < 500) {
    return new Problem('invalid_request', 'The service cannot read the request.', { cause: error });
  }
  const detail = 'An unexpected error occurred. The operator can find the error in the log by the request ID.';
  return new Problem('internal_error', detail, { cause: error });
}

/** Whether a person will read the response: a browser's navigation, or any GET of an unknown path outside the API. */
function isForPerson({ method, url, headers }: FastifyRequest, { basePath, nearest }: Options): boolean {
  const { 'sec-fetch-mode': mode, 'upgrade-insecure-requests': upgrade } = headers;
  if (method !== 'GET' && method !== 'HEAD') return mode === 'navigate';
  if (mode !== undefined) return mode === 'navigate';
  return upgrade === '1' || (nearest !== undefined && !url.startsWith(`${basePath}/v1/`));
}

/** The URL of a request, including the query. `unknown` is set if no route serves it. */
export type Asked = {
  basePath: string;
  url: string;
  requestId: string;
  unknown?: { nearest: string | undefined } | undefined;
};

type Options = {
  basePath: string;
  page: (problem: Problem, asked: Asked) => string;
  log: Pick<AccessLog, 'failed'>;
  requests: Pick<RequestHistograms, 'problem' | 'observe'> | undefined;
  listing: string;
  limits?: Record<string, string>;
  nearest?: ((url: string) => string | undefined) | undefined;
};

/** Converts an error to a problem, which is counted, traced and, if the service is at fault, logged. */
export const createProblemReport =
  ({ log, requests }: Pick<Options, 'log' | 'requests'>) =>
  (request: FastifyRequest, reply: FastifyReply, error: unknown): Problem => {
    const problem = toProblem(error);
    request.problem = problem.code;
    request.problemDetail = problem.message;
    requests?.problem(problem.code);
    traceProblem(problem);
    if (problem.status >= 500) log.failed(factsOf(request, reply, problem.status), problem);
    return problem;
  };

export type ReportProblem = ReturnType<typeof createProblemReport>;

function send(request: FastifyRequest, reply: FastifyReply, problem: Problem, options: Options): FastifyReply {
  const { basePath, page, limits = {}, nearest } = options;
  createProblemReport(options)(request, reply, problem);
  for (const name of Object.keys(reply.getHeaders())) {
    if (/^(content-|etag$|last-modified$|age$|cache-|quotient-)/.test(name)) reply.removeHeader(name);
  }
  const { id: requestId, url, headers } = request;
  reply.code(problem.status).headers({ ...limits, ...problem.headers, 'cache-control': 'no-store' });
  if (prefersHtml(headers.accept) && isForPerson(request, options)) {
    const unknown = nearest && { nearest: nearest(url) };
    return reply
      .headers({ ...PAGE_SECURITY, vary: withVary(reply, 'Accept') })
      .type('text/html; charset=utf-8')
      .send(maskApiKeys(page(problem, { basePath, url, requestId, unknown })));
  }
  return reply.header('content-type', MEDIA_TYPE).send(textOf(problem, basePath, requestId));
}

export type ProblemPage = Pick<Options, 'basePath' | 'page' | 'log' | 'requests' | 'listing'>;
type Dependencies = { gate: Pick<Gate, 'limitsOf'>; now: () => number };

export function respondWithProblems(app: FastifyInstance, options: ProblemPage, { gate, now }: Dependencies): void {
  const { listing } = options;
  const paths = createKnownPaths(app);
  app.decorateRequest('problem', undefined);
  app.decorateRequest('problemDetail', undefined);

  function notFound({ url, method }: FastifyRequest): Problem {
    const methods = paths.methods(url);
    // A route may match the path and the method although its handler finds nothing.
    if (methods === undefined || methods.has(method)) {
      const nearest = paths.nearest(url);
      const hint = nearest === undefined ? '' : ` The nearest path is ${nearest}.`;
      return new Problem('not_found', `This path does not exist.${hint} ${listing} lists all paths.`);
    }
    const allow = [...methods].join(', ');
    const below = paths.below(url, method);
    const others = below.length > 0 ? ` ${below.join(', ')} ${below.length > 1 ? 'accept' : 'accepts'} ${method}.` : '';
    return new Problem('method_not_allowed', `This path accepts only ${allow}.${others}`, { headers: { allow } });
  }

  app.setErrorHandler((error, request, reply) => {
    const problem = toProblem(error);
    const limits = problem.status === 429 ? gate.limitsOf(request, problem.code, now()) : {};
    const isUnknown = request.is404 && problem.code === 'not_found';
    return send(request, reply, problem, { ...options, limits, nearest: isUnknown ? paths.nearest : undefined });
  });
  app.setNotFoundHandler((request) => {
    throw notFound(request);
  });
}

/** Responds to a path that the router cannot parse: Fastify's `frameworkErrors`, which runs no hook. */
export function respondToUnroutable(options: ProblemPage) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    reply.header('x-request-id', request.id).headers(urlKeyHeaders(request.raw, 'no-store'));
    try {
      checkRequest(request);
      send(request, reply, toProblem(error), options);
    } catch (problem) {
      send(request, reply, toProblem(problem), options);
    }
    options.requests?.observe(undefined, request.method, reply.statusCode, 0);
  };
}

/** The paths of files that pages load. A person does not open these addresses directly. */
const ASSET = /\/(static|console)\//;

function createKnownPaths(app: FastifyInstance) {
  const routes = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  app.addHook('onRoute', ({ url, method }) => {
    // The route for preflights matches every path, but a path counts as existing only if another route matches it.
    if (url === '*') return;
    const escaped = url.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
    const pattern = escaped.replace(/:[A-Za-z]+/g, '[^/]+').replaceAll('*', '.*');
    const route = routes.get(url) ?? { pattern: new RegExp(`^${pattern}$`), methods: new Set() };
    for (const verb of [method].flat()) route.methods.add(verb);
    routes.set(url, route);
  });
  const pathOf = (url: string) => url.split('?', 1)[0] as string;
  const isReadable = (path: string) => !/[:*]/.test(path) && !ASSET.test(path);

  return {
    methods: (url: string): ReadonlySet<string> | undefined =>
      [...routes.values()].find(({ pattern }) => pattern.test(pathOf(url)))?.methods,

    /** The paths that accept a method and have one segment more than the path of a URL. */
    below(url: string, method: string): string[] {
      const parent = `${pathOf(url)}/`;
      const isChild = (path: string) => path.startsWith(parent) && !path.slice(parent.length).includes('/');
      return [...routes].flatMap(([path, { methods }]) =>
        methods.has(method) && isReadable(path) && isChild(path) ? [path] : [],
      );
    },

    nearest(url: string): string | undefined {
      const readable = [...routes].filter(([path, { methods }]) => methods.has('GET') && isReadable(path));
      return nearestPath(
        pathOf(url),
        readable.map(([path]) => path),
      );
    },
  };
}

/** The minimum length of a path's ending. Shorter endings are ambiguous. */
const SHORTEST_END = 4;

/** The path that differs from an unknown path only in case, slashes, one or two letters, or a prefix. */
export function nearestPath(path: string, paths: readonly string[]): string | undefined {
  const wanted = path.toLowerCase().replace(/\/+/g, '/').replace(/\/$/, '');
  const apart = (candidate: string) => editDistance(wanted, candidate.toLowerCase(), tolerance(candidate.length));
  const isEnd = (whole: string, end: string) => end.length >= SHORTEST_END && whole.endsWith(end);
  const [nearest] = paths
    .map((candidate) => ({ candidate, letters: apart(candidate) }))
    .filter(({ letters }) => letters < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.letters - b.letters);
  return nearest?.candidate ?? paths.find((candidate) => isEnd(candidate, wanted) || isEnd(wanted, candidate));
}
