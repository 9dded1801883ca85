import { Problem } from '#core/problems';
import { UpstreamFailure } from './failure.ts';

/** Which failure of the database an error is; undefined for any other error. */
export type IdentifyDatabaseFailure = (error: unknown) => { cause: string; reason: string } | undefined;

/** The subject of a failure: `key` identifies it, `name` is the first word of its log lines, `cause` is of a closed list. */
type Identity = {
  key: string;
  name: string;
  about: object;
  /** Whether it is a dependency, whose recovery is noticed. */
  recovers: boolean;
  /** Undefined where only the consequence is known: a request that was refused since the database failed just now. */
  cause: string | undefined;
  /** Further members of the log line. */
  details: object;
};

/** The error that is behind a problem. */
function rootOf(error: unknown): unknown {
  let root = error;
  while (root instanceof Problem && root.cause !== undefined) root = root.cause;
  return root;
}

const nameOf = (error: unknown): string => {
  const { code, name } = Object(error) as { code?: unknown; name?: unknown };
  return String(code ?? name ?? 'unknown');
};

/**
 * Finds the subject of a failure: an upstream, the database, or the work itself.
 *
 * @param observed the upstreams that report their successes; a failure under any other name is one of the work
 */
export function identifyFailure(
  work: string,
  error: unknown,
  identifyDatabaseFailure: IdentifyDatabaseFailure,
  observed: ReadonlySet<string>,
): Identity {
  const root = rootOf(error);
  const itself = { name: work, about: {}, recovers: false };
  if (root instanceof UpstreamFailure) {
    const { upstream, reason: cause, message } = root;
    const shared = { key: upstream, cause, details: { reason: message } };
    if (!observed.has(upstream)) return { ...itself, ...shared };
    return { ...shared, name: 'upstream', about: { upstream }, recovers: true };
  }
  const database = { key: 'database', name: 'database', about: {}, recovers: true };
  const known = identifyDatabaseFailure(root);
  if (known) return { ...database, cause: known.cause, details: { reason: known.reason } };
  if (error instanceof Problem && error.code === 'database_unavailable') {
    if (root instanceof Problem) return { ...database, cause: undefined, details: {} };
    return { ...database, cause: nameOf(root), details: { err: root } };
  }
  if (root instanceof Problem) {
    return { ...itself, key: root.code, cause: root.code, details: { reason: root.message } };
  }
  return { ...itself, key: work, cause: nameOf(root), details: { err: root } };
}
