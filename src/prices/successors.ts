import type { Catalogue } from '#catalogue/catalogue';
import type { Send } from '#server/responses/fast-path';
import type { DataResponse } from '#server/responses/response-body';

const PARAMETERS = ['tokenName', 'tokenNames'];

/** The successors of the tokens that a URL names, as in `Quotient-Token`. Undefined without successors. */
export function successorsIn(url: string, { successorOf }: Pick<Catalogue, 'successorOf'>): string | undefined {
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1));
  const texts = PARAMETERS.flatMap((name) => query.getAll(name)).flatMap((text) => text.split(','));
  const names = texts.flatMap((text) => successorOf(text.trim())?.name ?? []);
  return names.length > 0 ? [...new Set(names)].join(', ') : undefined;
}

/** Adds `Quotient-Token` to a response. */
export function withToken(response: DataResponse, token: string): DataResponse {
  const { fromCache } = response;
  if (!fromCache) return { ...response, token };
  const cached = (now: number) => {
    const found = fromCache(now);
    return found && withToken(found, token);
  };
  return { ...response, token, fromCache: cached };
}

/** Adds `Quotient-Token` to responses that contain the data of a successor. */
export function createTokenSender(send: Send, catalogue: Pick<Catalogue, 'successorOf' | 'hasSuccessors'>): Send {
  return (request, reply, response, format) => {
    const token = catalogue.hasSuccessors() ? successorsIn(request.url, catalogue) : undefined;
    if (token === undefined) return send(request, reply, response, format);
    const named =
      response instanceof Promise ? response.then((built) => withToken(built, token)) : withToken(response, token);
    return send(request, reply, named, format);
  };
}
