import { beforeEach, expect, test, vi } from 'vitest';
import { createSession, type Session } from '#database/embedded/session';

const ready = (state: string) => Buffer.from(`Z\0\0\0\x05${state}`, 'latin1');

/** An engine whose statements determine the resulting transaction state. */
const engine = {
  ran: [] as string[],
  async execProtocolRawStream(messages: Uint8Array, { onRawData }: { onRawData: (piece: Uint8Array) => void }) {
    const text = Buffer.from(messages).toString();
    engine.ran.push(/ROLLBACK|RESET/.exec(text)?.[0] ?? text);
    onRawData(ready(text.startsWith('begin') ? 'T' : text.startsWith('fail') ? 'E' : 'I'));
  },
};

const client = (isTrusted = true) => ({ isTrusted, onEvicted: vi.fn() });
const send = (session: Session, from: ReturnType<typeof client>, text: string) => session.run(from, Buffer.from(text));

beforeEach(() => {
  engine.ran = [];
});

test('clients take turns in order of arrival, but a client in a transaction precedes all others', async () => {
  const session = createSession(engine);
  const [one, two] = [client(), client()];
  await send(session, one, 'begin');
  const others = [send(session, two, 'two 1'), send(session, two, 'two 2')];
  await send(session, one, 'fail');
  await send(session, one, 'end');
  await Promise.all(others);
  expect(engine.ran).toEqual(['begin', 'fail', 'end', 'two 1', 'two 2']);
});

test('statements of a disconnected client are not run', async () => {
  const session = createSession(engine);
  const [one, two, three] = [client(), client(), client()];
  await send(session, one, 'begin');
  void send(session, two, 'two');
  const third = send(session, three, 'three');
  const left = session.leave(two);
  await send(session, one, 'end');
  await Promise.all([third, left]);
  expect(engine.ran).toEqual(['begin', 'end', 'three', 'ROLLBACK']);
});

test('parameters that a client of the socket sets do not apply to the statements of other clients', async () => {
  const session = createSession(engine);
  const [ours, psql] = [client(), client(false)];
  await send(session, ours, 'one');
  for (const text of ['set', 'begin', 'end']) await send(session, psql, text);
  await send(session, ours, 'two');
  await send(session, ours, 'three');
  expect(engine.ran).toEqual(['one', 'set', 'begin', 'end', 'RESET', 'two', 'three']);
});

test('an idle transaction is ended when other clients wait, however many statements they send', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const session = createSession(engine, 1000);
  const [one, two] = [client(), client()];
  await send(session, one, 'begin');
  await vi.advanceTimersByTimeAsync(5000);
  expect(one.onEvicted).not.toHaveBeenCalled();
  void send(session, two, 'two 1');
  await vi.advanceTimersByTimeAsync(600);
  void send(session, two, 'two 2');
  await vi.advanceTimersByTimeAsync(300);
  expect(one.onEvicted).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(200);
  expect(one.onEvicted).toHaveBeenCalledTimes(1);
  vi.useRealTimers();
});
