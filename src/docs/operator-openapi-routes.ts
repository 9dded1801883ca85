import type { FastifyInstance } from 'fastify';
import { generateDocument } from '#docs/openapi/document';
import type { Access } from '#docs/openapi/schemas';
import { operatorProblemPage } from '#docs/site/problems';
import { PAGE_SECURITY, serveText } from '#server/responses/static-content';
import { serveStyles } from './openapi-routes.ts';

const TAGS = [
  { name: 'users', description: 'Find users' },
  { name: 'changes', description: 'Change a user. Each change adds an audit event.' },
  { name: 'tokens', description: 'Find, add and remove tokens. Each change adds an audit event.' },
  { name: 'service', description: 'Data sources, requests, undelivered messages and the announcement' },
  { name: 'audit', description: 'The changes that the operator made' },
];

const DESCRIPTION = `The operator's own interface. It has its own port (\`ADMIN_PORT\`) and is not available on the public port.

Send \`ADMIN_TOKEN\` as the Bearer token in \`Authorization\`. API keys of users have no meaning here. After ten wrong
tokens within a minute, requests are rejected with 429.

Lists are returned in pages of up to 100 items. To get the next page, send \`nextCursor\` as \`cursor\`, with the same
parameters. Times are in UTC. Each change adds an audit event with the ID of its request.`;

const WITH_TOKEN: Access = {
  security: [{ AdminToken: [] }],
  problems: ['admin_token_invalid', 'cross_site', 'rate_limited', 'database_unavailable', 'overloaded'],
  headers: {
    'WWW-Authenticate': {
      description: 'The authentication scheme: the admin token as the Bearer token.',
      schema: { type: 'string', pattern: '^Bearer$' },
      example: 'Bearer',
      required: true,
    },
  },
};

/** Documents the operator API in its own `/openapi.json`, with the problem page to which problems refer. */
export async function describeOperatorInterface(app: FastifyInstance): Promise<void> {
  await generateDocument(app, {
    title: 'Quotient operator API',
    description: DESCRIPTION,
    basePath: '',
    tags: TAGS,
    access: WITH_TOKEN,
    securitySchemes: {
      AdminToken: { type: 'http', scheme: 'bearer', description: 'The value of `ADMIN_TOKEN`.' },
    },
  });
  serveStyles(app, '');
  serveText(app, '/docs/problems', {
    type: 'text/html; charset=utf-8',
    headers: PAGE_SECURITY,
    text: operatorProblemPage,
  });
}
