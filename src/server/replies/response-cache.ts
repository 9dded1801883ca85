import { LRUCache } from 'lru-cache';
import { type Clock, SECOND } from '#core/clock';
import { type Answer, type Body, bodyOf, longBodyOf } from '#server/replies/answer-body';

/** How long a response is reused while nothing new is stored, in ms. */
const GIVEN_FOR = SECOND;
/** The maximum memory of all bodies with their compressed forms, in bytes. */
const KEPT_BYTES = 32 * 1024 * 1024;

type Kept = {
  body: Body;
  /** Identifies everything from which the body is made. Undefined for a body that only its response uses. */
  version: string | undefined;
  given?: { answer: Answer; at: number; generation: number };
};

/** The data from which responses are made. Its `generation` changes with the data. */
type Source = { generation(): number };
/** The rows of a window, identified by `version`. Undefined if their bodies are not cached. */
type Rows = { version: string | undefined; isWide: boolean };

/**
 * Caches the body of each request while its rows do not change, and the whole response for a second. So a request made
 * thousands of times is processed once. A response that needed a fetch, or whose fetch failed, is not reused, because
 * the next response differs.
 * @param keptBytes the maximum memory of all bodies together, in bytes
 */
export function createResponseCache(clock: Clock, keptBytes = KEPT_BYTES) {
  const kept = new LRUCache<string, Kept>({
    maxSize: keptBytes,
    sizeCalculation: ({ body, version = '' }, key) => body.size() + version.length + key.length,
  });
  /** The creation times of responses whose bodies cannot be reused later, oldest first. */
  const fleeting = new Map<string, number>();

  const isRecent = (at: number, now: number): boolean => now >= at && now - at < GIVEN_FOR;

  /** Evicts bodies that cannot be reused. Otherwise, they would remain until the cache is full. */
  function evictFleeting(now: number): void {
    for (const [key, at] of fleeting) {
      if (isRecent(at, now)) return;
      fleeting.delete(key);
      if (kept.peek(key)?.version === undefined) kept.delete(key);
    }
  }

  /** `service` distinguishes its requests from those of other services. */
  return function answersOf(service: string, source: Source) {
    /** Long responses in progress, shared with identical requests that arrive in the meantime. */
    const underWay = new Map<string, Promise<Answer>>();
    const keyOf = (requestKey: string) => `${service} ${requestKey}`;

    function find(key: string, now: number): Answer | undefined {
      const given = kept.get(key)?.given;
      const holds = given && isRecent(given.at, now) && given.generation === source.generation();
      return holds ? given.answer : undefined;
    }

    const bodyFor = (key: string, version: string): Body | undefined => {
      const known = kept.get(key);
      return known?.version === version ? known.body : undefined;
    };

    function keepBody(key: string, version: string, body: Body): Body {
      kept.set(key, { body, version });
      return body;
    }

    const get = (requestKey: string): Answer | undefined => find(keyOf(requestKey), clock.now());

    function keep(requestKey: string, made: Answer): Answer {
      const { fetched, refreshing, failure } = made.outcome;
      if (fetched || refreshing || failure !== undefined) return made;
      const key = keyOf(requestKey);
      const answer = { ...made, fromCache: (now: number) => find(key, now) };
      const at = clock.now();
      evictFleeting(at);
      const before = kept.peek(key);
      const version = before?.body === made.body ? before.version : undefined;
      fleeting.delete(key);
      if (version === undefined) fleeting.set(key, at);
      kept.set(key, { body: made.body, version, given: { answer, at, generation: source.generation() } });
      return answer;
    }

    /** @param version identifies everything from which the body is made, so that a cached body is never outdated */
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
      respond(requestKey: string, isLong: () => boolean, make: () => Promise<Answer>): Answer | Promise<Answer> {
        const known = get(requestKey) ?? underWay.get(requestKey);
        if (known) return known;
        const made = make().then((answer) => keep(requestKey, answer));
        if (isLong()) {
          const forget = () => underWay.delete(requestKey);
          underWay.set(requestKey, made);
          made.then(forget, forget);
        }
        return made;
      },
    };
  };
}

export type ResponseCache = ReturnType<typeof createResponseCache>;
export type Answers = ReturnType<ResponseCache>;
