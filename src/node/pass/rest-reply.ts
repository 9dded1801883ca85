import { bodyOf, nodeStateOf } from '#cosmos/dialects/node-errors';
import { NodeFault, NodeRejection } from '#cosmos/exchange';
import { isMembers } from '#cosmos/parsers';
import type { PassedReply } from '#node/source';

/** The maximum length of a node's error message. A panic contains a stack trace of several KB. */
const MAX_MESSAGE = 2_000;
/** Longer bodies are not errors. */
const MAX_ERROR = 4_096;
const NOT_FOUND = 5;
/** The start of an error body. Providers also send one with status 200. */
const ERROR = /^\s*\{\s*"(code|message|error|jsonrpc)"/;

/** A rejection that another node may not share. If all nodes reject the request, the client receives this reply. */
export class PassedRejection extends NodeRejection {
  readonly reply: PassedReply;

  constructor(reply: PassedReply, message: string) {
    super(400, message, { isDoubtful: true });
    this.reply = reply;
  }
}

const withBody = (reply: PassedReply, status: number, body: object): PassedReply => ({
  ...reply,
  status,
  bytes: Buffer.from(JSON.stringify(body)),
});

function errorBodyOf({ status, bytes, body }: PassedReply): unknown {
  if (status >= 400) return body;
  if (bytes.length > MAX_ERROR) return undefined;
  const text = bytes.toString();
  try {
    return ERROR.test(text) ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

/** The reply that the client receives. Throws `NodeFault` and `PassedRejection` if another node is asked. */
export function restReply(reply: PassedReply, isHeightChosen: boolean): PassedReply {
  const { status } = reply;
  const body = errorBodyOf(reply);
  if (status < 400 && body === undefined) return reply;
  const { code, message } = isMembers(body) ? body : {};
  const text = typeof message === 'string' ? message : '';
  // A wrong verb, a disabled service or a path of another version: no failure of the node.
  if (status === 501) return reply;
  if (status === 404 && code !== NOT_FOUND)
    return withBody(reply, 501, { code: 12, message: 'Not Implemented', details: [] });
  const shown =
    text.length > MAX_MESSAGE
      ? withBody(reply, status, { ...(body as object), message: text.slice(0, MAX_MESSAGE) })
      : reply;
  try {
    bodyOf({ status, body }, { isHeightChosen });
  } catch (error) {
    // Simulations report panics of the application with status 500, with words that also failing nodes use.
    if (status === 500 && nodeStateOf(text) === undefined) throw new PassedRejection(shown, text);
    if (error instanceof NodeFault && error.kind !== 'wrong_dialect') throw error;
  }
  return shown;
}
