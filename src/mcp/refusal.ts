import type { Problem } from '#core/problems';
import { ADVICE } from '#docs/problem-advice';

/** Problems are written for HTTP. These phrases have another form in the result of a tool. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/`/g, ''],
  [/GET \/v1\/tokens/g, 'list_tokens'],
  [/ for each entry in errors, which states what is wrong and what is expected/g, ' and call the tool again'],
];

const forTools = (text: string): string =>
  PHRASES.reduce((given, [phrase, other]) => given.replace(phrase, other), text);

/** The result of a refused call: what is wrong, what to do, and when to try again. */
export function refusal({ code, title, message, headers, members }: Problem, requestId: string) {
  const wait = headers['retry-after'];
  const remedy = forTools(ADVICE[code].remedy).replace(
    'the number of seconds in Retry-After',
    `${wait ?? 'a few'} seconds`,
  );
  const lines = [
    `${title} (${code})`,
    forTools(message),
    remedy,
    ...(wait === undefined ? [] : [`Retry after: ${wait} seconds`]),
    ...(members.gaps?.length ? [`Missing: ${members.gaps.join(', ')}`] : []),
    ...(members.error === undefined ? [] : [`Reported by the node: ${members.error}`]),
    `Request ID: ${requestId}. Nothing was charged.`,
  ];
  return { isError: true, content: [{ type: 'text' as const, text: lines.join('\n') }] };
}
