import { headersOf, type Occurrence } from './described-headers.ts';
import { describedBody, describedParameter } from './parameters.ts';
import { problemResponses } from './problem-responses.ts';
import type { Context, Media, Operation, Ref, Response } from './schemas.ts';
import { exampleOf, type NamedSchemas, resolve } from './schemas.ts';

/** The ways to present a key: any of them will do. */
const WITH_ANY_SCHEME: Record<string, string[]>[] = [{ ApiKey: [] }, { Bearer: [] }, { Basic: [] }];

/** What a route itself declares, with an example for each media type and words for what it gives. */
function success(status: string, { description, content }: Response, named: NamedSchemas): Response {
  if (status === '204' || !content) return { description: 'Done; there is nothing to say' };
  const media = Object.entries(content).map(([type, { schema }]): [string, Media] => {
    return [type, { schema, example: exampleOf(schema, named) }];
  });
  const told = media[0] && resolve(media[0][1].schema, named).description;
  const isDefault = description === 'Default Response';
  return { description: (isDefault && told) || description, content: Object.fromEntries(media) };
}

/**
 * The response to a client that has the answer already, declared once for all routes with the same headers. It reveals no
 * figure, so it has no `Quotient-Currency`, which may name a rate.
 */
function notModified(isPriced: boolean, all: readonly Occurrence[], { responses, headers }: Context): Ref {
  const own = all.filter((header) => header !== 'Quotient-Currency?');
  const name = ['304', ...(isPriced ? ['priced'] : []), ...own].join('-').replaceAll('?', '');
  responses[name] ??= {
    description:
      'Not modified: what `If-None-Match` or `If-Modified-Since` names is still the answer. Free of charge.',
    headers: headersOf(304, isPriced, own, headers),
  };
  return { $ref: `#/components/responses/${name}` };
}

/** Completes an operation with all that follows from what its route says of itself. */
export function describeOperation(
  { 'x-route': facts = {}, parameters, requestBody, responses, ...rest }: Operation,
  method: string,
  context: Context,
): Operation {
  const isPriced = Boolean(facts.cost);
  const own = facts.headers ?? [];
  const answers: Record<string, Response | Ref> = {};
  for (const [status, response] of Object.entries(responses)) {
    const headers = headersOf(Number(status), isPriced, own, context.headers);
    answers[status] = { ...success(status, response as Response, context.named), headers };
  }
  if (method === 'get' && (isPriced || own.includes('ETag')))
    answers['304'] = notModified(isPriced, own, context);

  return {
    ...rest,
    ...(facts.price && { 'x-price': facts.price }),
    ...(parameters && { parameters: parameters.map(describedParameter) }),
    ...(requestBody && { requestBody: describedBody(requestBody) }),
    ...(facts.scope && facts.scope !== 'any' && { 'x-scope': facts.scope }),
    security: facts.open ? [] : facts.keyInQuery ? [{}, ...WITH_ANY_SCHEME] : WITH_ANY_SCHEME,
    responses: { ...answers, ...problemResponses(facts, context) },
  };
}
