import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { invalidRequest, Problem } from '#core/problems';
import { signedBody } from '#node/broadcast';
import { NODE_FACTS, NODE_PROBLEMS, type PassScope, readRawBodies } from '#node/node-routes';
import type { PassedReply } from '#node/source';
import { parseJson } from '#server/json-body';
import { nameCall } from '#server/request-trace';
import { assertSimulation, type Rest, signedRequest } from './rest.ts';
import { gatewayError } from './rest-errors.ts';
import { type RestCall, readRestCall } from './rest-path.ts';

const HEADERS = { 'cache-control': 'no-store', 'content-type': 'application/json' };
const HEIGHT = /^\d{1,18}$/;
const HEIGHT_HEADERS = ['x-cosmos-block-height', 'grpc-metadata-x-cosmos-block-height'] as const;

const config = {
  ...NODE_FACTS,
  passesCalls: true,
  problems: [...NODE_PROBLEMS, 'unsupported_media_type', 'overloaded'],
} as const;

function heightOf({ headers }: FastifyRequest): string | undefined {
  const height = headers['x-cosmos-block-height'];
  if (height === undefined || HEIGHT.test(String(height))) return height as string | undefined;
  throw invalidRequest({ location: 'header.x-cosmos-block-height', message: 'must be a block height', fix: '' });
}

function bodyOf({ body, headers }: FastifyRequest): Buffer {
  if (/^\s*application\/grpc/i.test(headers['content-type'] ?? ''))
    throw new Problem('unsupported_media_type', 'Send the body as application/json.');
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

type Options = PassScope & { rest: Rest; prefixes: ReadonlySet<string> };

export const restPassThrough: FastifyPluginAsyncZod<Options> = async (app, { rest, prefixes, call, ...scope }) => {
  readRawBodies(app, scope);
  app.setErrorHandler((error, request, reply) => {
    const problem = scope.report(request, reply, error);
    const { status, body } = gatewayError(problem);
    return reply
      .code(status)
      .headers({ ...problem.headers, ...HEADERS })
      .send(body);
  });

  /** The call, named by its prefix. `mount` is the length of the route's path before the node's path. */
  function checked(request: FastifyRequest): RestCall {
    const pattern = request.routeOptions.url as string;
    const mount = pattern.replace(/\/?\*?$/, '');
    const found = readRestCall(request.method, request.url.slice(mount.length), prefixes);
    nameCall(request, `${mount}/${found.name}`);
    return found;
  }

  function send(request: FastifyRequest, reply: FastifyReply, { status, headers, bytes }: PassedReply): FastifyReply {
    const own = HEIGHT_HEADERS.flatMap((name) =>
      HEIGHT.test(String(headers[name])) ? [name, String(headers[name])] : [],
    );
    return scope.sendBytes(request, reply, status, bytes, own);
  }

  async function get(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const found = checked(request);
    const height = heightOf(request);
    return send(request, reply, await call(request, reply, (by) => rest.pass({ call: found, height }, by)));
  }

  async function post(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const found = checked(request);
    const bytes = bodyOf(request);
    const body = signedBody(parseJson(bytes.toString()));
    if (found.kind === 'broadcast') {
      const signed = signedRequest(body);
      return send(request, reply, await call(request, reply, (by) => rest.broadcast(found, signed, by)));
    }
    assertSimulation(body);
    return send(request, reply, await call(request, reply, (by) => rest.pass({ call: found, body: bytes }, by)));
  }

  // Not in the OpenAPI document: a path parameter cannot contain a slash (OpenAPI, "Path Templating"), and generated
  // clients would encode it. Encoded slashes are rejected.
  const schema = { hide: true };
  for (const url of ['/rest', '/rest/*']) {
    app.get(url, { schema, config, exposeHeadRoute: false }, get);
    app.post(url, { schema, config }, post);
  }
};
