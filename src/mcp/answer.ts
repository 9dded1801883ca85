import type { Answer } from '#server/replies/answer-body';

/** The JSON of a route's response, which the response cache shares. */
export function jsonOf<Value>({ body }: Answer): Value {
  const { payload } = body.identity;
  return JSON.parse((typeof payload === 'string' ? Buffer.from(payload, 'latin1') : payload).toString());
}

/** The origin of a response, as results of tools state it. */
export const provenanceOf = ({ source, modifiedAt: at, gaps, currency }: Omit<Answer, 'body'>) => ({
  source,
  at,
  gaps,
  currency,
});
