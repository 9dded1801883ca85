import { Readable } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  ConnectionEnd,
  createByteReader,
  queryMessage,
  readBatch,
  readStart,
  SYNC,
  startMessage,
} from '#database/embedded/messages';

/** A stream of the bytes, split into pieces of these lengths. */
function cut(bytes: Buffer, lengths: readonly number[] = []) {
  const pieces: Buffer[] = [];
  let at = 0;
  for (const length of lengths) {
    if (at < bytes.length) pieces.push(bytes.subarray(at, at + length));
    at += length;
  }
  if (at < bytes.length) pieces.push(bytes.subarray(at));
  return createByteReader(Readable.from(pieces, { objectMode: false }));
}

const message = (letter: string, body: string) => {
  const bytes = Buffer.from(`${letter}\0\0\0\0${body}`);
  bytes.writeUInt32BE(bytes.length - 1, 1);
  return bytes;
};

test('messages arrive in batches that end with a message that requires a response, however the bytes are split', async () => {
  const body = fc.string({ maxLength: 300 });
  const extended = fc.array(body, { maxLength: 4 }).map((texts) => {
    const before = texts.map((text, i) => message('PBDE'[i % 4] as string, text));
    return Buffer.concat([...before, SYNC]);
  });
  const batches = fc.array(fc.oneof(extended, body.map(queryMessage)), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(batches, fc.array(fc.integer({ min: 1, max: 40 })), async (sent, lengths) => {
      const input = cut(Buffer.concat([...sent, message('X', '')]), lengths);
      for (const batch of sent) expect(await readBatch(input)).toEqual(batch);
      expect(await readBatch(input)).toBeUndefined();
    }),
  );
});

test('encryption requests are declined, and then the start message is accepted', async () => {
  const request = (code: number) =>
    Buffer.from([0, 0, 0, 8, code >>> 24, (code >> 16) & 255, (code >> 8) & 255, code & 255]);
  const sent = Buffer.concat([request(80_877_103), request(80_877_104), startMessage('me', 'mine'), SYNC]);
  const input = cut(sent, [3, 8, 9]);
  let declined = 0;
  await readStart(input, () => {
    declined += 1;
  });
  expect(declined).toBe(2);
  expect(await readBatch(input)).toEqual(SYNC);
});

test.each([
  ['an HTTP request', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
  ['a cancel request', Buffer.from([0, 0, 0, 16, 4, 210, 22, 46, 0, 0, 0, 1, 0, 0, 0, 2])],
  ['another protocol version', Buffer.from([0, 0, 0, 8, 0, 2, 0, 0])],
  ['a length that is too short', Buffer.from([0, 0, 0, 4, 0, 3, 0, 0])],
  ['half of a start message', startMessage('me', 'mine').subarray(0, 11)],
])('closes a connection that starts with %s', async (_what, bytes) => {
  await expect(readStart(cut(bytes), () => undefined)).rejects.toThrow(ConnectionEnd);
});

test.each([
  ['too short', Buffer.from('Q\0\0\0\x03'), 'not a protocol message'],
  ['of two gigabytes', Buffer.from('Q\x7f\0\0\0'), 'not a protocol message'],
  ['truncated', queryMessage('SELECT 1').subarray(0, 9), 'the client has disconnected'],
])('closes the connection for a message that is %s', async (_what, bytes, reason) => {
  await expect(readBatch(cut(bytes))).rejects.toThrow(new RegExp(reason));
});
