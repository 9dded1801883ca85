import { LRUCache } from 'lru-cache';
import { type Clock, SECOND } from '#core/clock';
import { type Body, bodyOf, type DataResponse, longBodyOf } from '#server/responses/response-body';

/** How long a response is reused while no new data is stored, in ms. */
const REUSED_FOR = SECOND;
/** The maximum memory of all bodies with their compressed forms, in bytes. */
const MAX_BYTES = 32 * 1024 * 1024;

type CachedBody = {
  body: Body;
  /** Identifies all data from which the body is made. Undefined for a body that only one response uses. */
  version: string | undefined;
  recent?: { response: DataResponse; at: number; generation: number };
};

/** The data from which responses are made. Its `generation` changes with the data. */
type Source = { generation(): number };
/** The rows of a window, identified by `version`. Undefined if their bodies are not cached. */
type Rows = { version: string | undefined; isWide: boolean };

/**
 * Caches the body of each request while its rows do not change, and the whole response for a second, unless it needed a
 * fetch or its fetch failed.
 * @param maxBytes the maximum memory of all bodies together
 */
export function createResponseCache(clock: Clock, maxBytes = MAX_BYTES) {
  const bodies = new LRUCache<string, CachedBody>({
    maxSize: maxBytes,
    sizeCalculation: ({ body, version = '' }, key) => body.size() + version.length + key.length,
  });
  /** The creation times of responses whose bodies cannot be reused later, oldest first. */
  const unversioned = new Map<string, number>();

  const isRecent = (at: number, now: number): boolean => now >= at && now - at < REUSED_FOR;

  /** Evicts bodies that can no longer be reused. Otherwise, they would remain until the cache is full. */
  function evictUnversioned(now: number): void {
    for (const [key, at] of unversioned) {
      if (isRecent(at, now)) return;
      unversioned.delete(key);
      if (bodies.peek(key)?.version === undefined) bodies.delete(key);
    }
  }

  /** `service` distinguishes the requests of a service from those of other services. */
  return function responsesOf(service: string, source: Source) {
    /** Long responses in progress, shared with identical requests that arrive in the meantime. */
    const underWay = new Map<string, Promise<DataResponse>>();
    const keyOf = (requestKey: string) => `${service} ${requestKey}`;

    function find(key: string, now: number): DataResponse | undefined {
      const recent = bodies.get(key)?.recent;
      const holds = recent && isRecent(recent.at, now) && recent.generation === source.generation();
      return holds ? recent.response : undefined;
    }

    const bodyFor = (key: string, version: string): Body | undefined => {
      const cached = bodies.get(key);
      return cached?.version === version ? cached.body : undefined;
    };

    function keepBody(key: string, version: string, body: Body): Body {
      bodies.set(key, { body, version });
      return body;
    }

    const get = (requestKey: string): DataResponse | undefined => find(keyOf(requestKey), clock.now());

    function keep(requestKey: string, fresh: DataResponse): DataResponse {
      const { fetched, refreshing, failure } = fresh.outcome;
      if (fetched || refreshing || failure !== undefined) return fresh;
      const key = keyOf(requestKey);
      const response = { ...fresh, fromCache: (now: number) => find(key, now) };
      const at = clock.now();
      evictUnversioned(at);
      const before = bodies.peek(key);
      const version = before?.body === fresh.body ? before.version : undefined;
      unversioned.delete(key);
      if (version === undefined) unversioned.set(key, at);
      bodies.set(key, { body: fresh.body, version, recent: { response, at, generation: source.generation() } });
      return response;
    }

    /** @param version identifies all data from which the body is made, so that a cached body is never outdated */
    function body(requestKey: string, version: string, make: () => string): Body {
      const key = keyOf(requestKey);
      return bodyFor(key, version) ?? keepBody(key, version, bodyOf(make()));
    }

    return {
      get,
      keep,
      body,

      /** @param pieces the text. For a wide window, the pieces are read later, when the rows may have been replaced */
      async bodyOfRows(requestKey: string, { version, isWide }: Rows, pieces: () => Iterable<string>): Promise<Body> {
        const text = () => [...pieces()].join('');
        if (version === undefined) return isWide ? longBodyOf(pieces) : bodyOf(text());
        if (!isWide) return body(requestKey, version, text);
        const key = keyOf(requestKey);
        return bodyFor(key, version) ?? keepBody(key, version, await longBodyOf(pieces));
      },

      /** Returns the recent response or the long response in progress to the same request, or creates a new one. */
      respond(
        requestKey: string,
        isLong: () => boolean,
        make: () => Promise<DataResponse>,
      ): DataResponse | Promise<DataResponse> {
        const pending = get(requestKey) ?? underWay.get(requestKey);
        if (pending) return pending;
        const response = make().then((response) => keep(requestKey, response));
        if (isLong()) {
          const forget = () => underWay.delete(requestKey);
          underWay.set(requestKey, response);
          response.then(forget, forget);
        }
        return response;
      },
    };
  };
}

export type ResponseCache = ReturnType<typeof createResponseCache>;
export type CachedResponses = ReturnType<ResponseCache>;
