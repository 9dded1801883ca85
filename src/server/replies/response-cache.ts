import { LRUCache } from 'lru-cache';
import { type Clock, SECOND } from '#core/clock';
import type { Answer } from '#server/replies/answer-body';
import { type Body, bodyOf, longBodyOf } from '#server/replies/answer-body';

/** How long an answer is given again while nothing new is stored, in ms. */
const GIVEN_FOR = SECOND;
/** The memory that all bodies may take, with their compressed forms, in bytes. */
const KEPT_BYTES = 32 * 1024 * 1024;

/** The latest body of a question, and the answer with it, if one may be given again. */
type Kept = {
  body: Body;
  /** Names all that the body is made from; undefined for a body that is only kept for its answer. */
  version: string | undefined;
  given?: { answer: Answer; at: number; generation: number };
};

/** What answers are made from; its `generation` is another one after each change. */
type Source = { generation(): number };

/** The rows of a window: `version` names all of them, undefined for rows whose bodies are not kept. */
type Rows = { version: string | undefined; isWide: boolean };

/**
 * Creates the cache of all answers of the service: the body of each question for as long as it is made of the same rows,
 * and for a second the answer with it, so that a question that thousands ask at once is answered once. An answer that
 * needed a fetch, or whose fetch failed, is not given again: the next one differs from it.
 * @param keptBytes what all bodies may take of memory together, in bytes
 */
export function createResponseCache(clock: Clock, keptBytes = KEPT_BYTES) {
  const kept = new LRUCache<string, Kept>({
    maxSize: keptBytes,
    sizeCalculation: ({ body, version = '' }, key) => body.size() + version.length + key.length,
  });
  /** When the answers were made whose bodies are of no use after them, the first one first. */
  const fleeting = new Map<string, number>();

  const isRecent = (at: number, now: number): boolean => now >= at && now - at < GIVEN_FOR;

  /** Evicts bodies that are of no use any more: they would otherwise stay until the cache is full. */
  function evictFleeting(now: number): void {
    for (const [key, at] of fleeting) {
      if (isRecent(at, now)) return;
      fleeting.delete(key);
      if (kept.peek(key)?.version === undefined) kept.delete(key);
    }
  }

  /**
   * The answers of one service.
   * @param service tells its questions from those of others
   */
  return function answersOf(service: string, source: Source) {
    /** Long answers that are being made, for whoever asks the same meanwhile. */
    const underWay = new Map<string, Promise<Answer>>();
    const keyOf = (question: string) => `${service} ${question}`;

    function find(key: string, now: number): Answer | undefined {
      const given = kept.get(key)?.given;
      const holds = given && isRecent(given.at, now) && given.generation === source.generation();
      return holds ? given.answer : undefined;
    }

    const bodyFor = (key: string, version: string): Body | undefined => {
      const known = kept.get(key);
      return known?.version === version ? known.body : undefined;
    };

    /** The answer that was given to the same question a moment ago. */
    const get = (question: string): Answer | undefined => find(keyOf(question), clock.now());

    function keep(question: string, made: Answer): Answer {
      const { fetched, refreshing, failure } = made.outcome;
      if (fetched || refreshing || failure !== undefined) return made;
      const key = keyOf(question);
      const answer = { ...made, recall: (now: number) => find(key, now) };
      const at = clock.now();
      evictFleeting(at);
      const before = kept.peek(key);
      const version = before?.body === made.body ? before.version : undefined;
      fleeting.delete(key);
      if (version === undefined) fleeting.set(key, at);
      kept.set(key, { body: made.body, version, given: { answer, at, generation: source.generation() } });
      return answer;
    }

    /** @param version names all that the body is made from, so that a kept one is never an old one */
    function body(question: string, version: string, make: () => string): Body {
      const key = keyOf(question);
      const known = bodyFor(key, version);
      if (known) return known;
      const made = bodyOf(make());
      kept.set(key, { body: made, version });
      return made;
    }

    return {
      get,
      keep,
      body,

      /** @param pieces the text; of a wide window it is read later, when the rows may have been replaced */
      async bodyOfRows(question: string, { version, isWide }: Rows, pieces: () => Iterable<string>): Promise<Body> {
        const text = () => [...pieces()].join('');
        if (version === undefined) return isWide ? longBodyOf(pieces) : bodyOf(text());
        if (!isWide) return body(question, version, text);
        const key = keyOf(question);
        const known = bodyFor(key, version);
        if (known) return known;
        const made = await longBodyOf(pieces);
        kept.set(key, { body: made, version });
        return made;
      },

      /** The answer that was given to the same question a moment ago, or that is being made at length, or a new one. */
      ask(question: string, isLong: () => boolean, make: () => Promise<Answer>): Answer | Promise<Answer> {
        const known = get(question) ?? underWay.get(question);
        if (known) return known;
        const made = make().then((answer) => keep(question, answer));
        if (isLong()) {
          const forget = () => underWay.delete(question);
          underWay.set(question, made);
          made.then(forget, forget);
        }
        return made;
      },
    };
  };
}

export type ResponseCache = ReturnType<typeof createResponseCache>;
export type Answers = ReturnType<ResponseCache>;
