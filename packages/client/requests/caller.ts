import { QuotientError, readArguments } from '../core/error.ts';
import type { Answer } from '../transport/answer.ts';
import { createAnswers } from '../transport/answers.ts';
import type { CallOptions } from '../transport/call-options.ts';
import type { TransportOptions } from '../transport/client-options.ts';
import type { Allowance } from '../transport/rate-limit.ts';
import { createTransport } from '../transport/transport.ts';
import { pairs, type Request } from './request.ts';

/** Throws `invalid_answer` if the text does not have the expected shape. */
function readAnswer<T>(text: string, read: (text: string) => T, { status, requestId }: Answer): T {
  try {
    return read(text);
  } catch (cause) {
    const facts = { cause, status, requestId };
    throw new QuotientError('invalid_answer', 'the answer has an unexpected shape', facts);
  }
}

/** Makes requests of one service and keeps what is told beside the results. Throws `QuotientError` for invalid options. */
export function createCaller(baseUrl: unknown, options: TransportOptions) {
  const answers = createAnswers();
  let allowance: Allowance | undefined;
  const transport = createTransport(baseUrl, options, (answer) => {
    allowance = answer.allowance ?? allowance;
  });

  return {
    /** According to the last priced answer. */
    allowance: () => allowance,
    about: answers.of,

    /** Rejects with `QuotientError`, also for what `make` throws, or with the signal's reason. */
    async send<T>(make: () => Request<T>, apiKey: string | undefined, call?: CallOptions): Promise<T> {
      const { isPublic, read, ...question } = readArguments(() => {
        const { query = {}, ...request } = make();
        return { ...request, query: pairs(query) };
      });
      const { answer, text } = await transport.ask({ ...question, ...(!isPublic && { apiKey }) }, call);
      const result = readAnswer(text, read, answer);
      answers.keep(result, answer);
      return result;
    },
  };
}

export type Caller = ReturnType<typeof createCaller>;
