import { type Problem, problemKind } from '#core/problems';

/** Problems are written for HTTP. These phrases have another form in the result of a tool. */
const forTools = (text: string): string => text.replaceAll('`', '').replaceAll('GET /v1/tokens', 'list_tokens');

/** Each fault of the arguments with the expected input, which the detail of the problem can omit. */
const faultsIn = ({ message, members: { errors } }: Problem): string[] =>
  errors?.map(({ location, message, fix }) => `${location} ${message}: ${fix}`) ?? [message];

function remedyOf({ code, headers, members }: Problem): string {
  if (members.errors) return 'Correct the arguments and call the tool again.';
  const wait = headers['retry-after'] ?? 'a few';
  return forTools(problemKind(code).remedy).replace('the number of seconds in Retry-After', `${wait} seconds`);
}

export function rejectionOf(problem: Problem, requestId: string) {
  const { code, title, headers, members } = problem;
  const wait = headers['retry-after'];
  const lines = [
    `${title} (${code})`,
    ...faultsIn(problem).map(forTools),
    remedyOf(problem),
    ...(wait === undefined ? [] : [`Retry after: ${wait} seconds`]),
    ...(members.gaps?.length ? [`Missing: ${members.gaps.join(', ')}`] : []),
    ...(members.error === undefined ? [] : [`Reported by the node: ${members.error}`]),
    `Request ID: ${requestId}. Nothing was charged.`,
  ];
  return { isError: true, content: [{ type: 'text' as const, text: lines.join('\n') }] };
}
