import { z } from 'zod';
import type { createCallLog } from './call-log.ts';
import { type createFaults, faultSchema } from './faults.ts';
import { parseJson } from './replies.ts';
import type { Answer } from './upstream.ts';

const orderSchema = z.strictObject({
  fault: faultSchema,
  times: z.int().min(1).max(1_000_000).optional(),
  path: z.string().min(1).max(1_000).optional(),
});

const json = (status: number, body: unknown, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers },
  body: `${JSON.stringify(body)}\n`,
});

const nothing: Answer = { status: 204, headers: {}, body: '' };

/**
 * The control interface of the sandbox:
 * - `PUT /sandbox/faults` `{fault, times?, path?}`: replaces all faults by this one, for the next `times` matching
 *   requests, or for all without `times`; `path` is a part of the path. 204, or 400
 *   with `{error, issues}`.
 * - `DELETE /sandbox/faults`: removes all faults. 204.
 * - `GET /sandbox/calls`: `{total, byEndpoint, calls}`, the newest call last. `DELETE` forgets them. 204.
 */
export function createControls(
  faults: ReturnType<typeof createFaults>,
  log: ReturnType<typeof createCallLog>,
) {
  function order(text: string): Answer {
    const body = parseJson(text);
    if (body === undefined) return json(400, { error: 'the body is not JSON', issues: [] });
    const parsed = orderSchema.safeParse(body);
    if (!parsed.success) {
      const issues = parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
      return json(400, { error: 'unknown fault', issues });
    }
    const { fault, times, path } = parsed.data;
    const where = path === undefined ? {} : { path };
    faults.clear();
    if (times === undefined) faults.always(fault, where);
    else faults.next(fault, { times, ...where });
    return nothing;
  }

  const verbs: Record<string, Record<string, (body: string) => Answer>> = {
    '/sandbox/faults': {
      PUT: order,
      DELETE() {
        faults.clear();
        return nothing;
      },
    },
    '/sandbox/calls': {
      GET: () => json(200, { total: log.count(), byEndpoint: log.countByEndpoint(), calls: log.calls }),
      DELETE() {
        log.clear();
        return nothing;
      },
    },
  };

  /** The answer to a request under `/sandbox/`. */
  return (method: string, path: string, body: string): Answer => {
    const known = verbs[path];
    if (!known) return json(404, { error: `nothing is at ${path}`, paths: Object.keys(verbs) });
    const verb = known[method];
    return verb?.(body) ?? json(405, { error: `not ${method}` }, { allow: Object.keys(known).join(', ') });
  };
}
