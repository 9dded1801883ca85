import type { Usage } from '../../client/index.ts';
import { byId, make } from '../../pages/dom.ts';
import { count } from '../../pages/format.ts';
import { type OnError, toError } from '../../pages/problem.ts';
import type { Session } from '../api/session.ts';
import { callsOn } from './key-texts.ts';

type Part = Pick<NonNullable<Usage['keys']>[number], 'calls' | 'daily'>;

/** Shows the calls by key and by path while the section is open. Both requests are free. */
export function openUsageParts(session: Session, onError: OnError) {
  const section = byId('usage-parts', HTMLDetailsElement);
  const [keys, paths, problem] = [byId('usage-keys'), byId('usage-paths'), byId('usage-parts-problem')];

  function rowOf(name: string, part: Part): HTMLElement {
    const today = new Date().toISOString().slice(0, 10);
    const number = (calls: number) => make('td', { class: 'number' }, count(calls));
    return make('tr', {}, make('th', { scope: 'row' }, name), number(callsOn(today, part)), number(part.calls));
  }

  const nameOfKey = ({ id, label, start }: NonNullable<Usage['keys']>[number]) =>
    label ?? (start === null ? (id === null ? 'not recorded' : `key ${id}`) : `${start}…`);

  async function load(): Promise<void> {
    if (!section.open || !session.user) return;
    const { client } = session;
    try {
      const [byKey, byPath] = [await client.usage({ by: 'key' }), await client.usage({ by: 'path' })];
      if (client !== session.client) return;
      keys.replaceChildren(...(byKey.keys ?? []).map((part) => rowOf(nameOfKey(part), part)));
      paths.replaceChildren(...(byPath.paths ?? []).map((part) => rowOf(part.path ?? 'not recorded', part)));
      problem.replaceChildren();
    } catch (thrown) {
      if (client === session.client) onError(toError(thrown), problem, load, keys.childElementCount > 0);
    }
  }
  section.addEventListener('toggle', () => void load());

  return {
    load,
    clear(): void {
      section.open = false;
      for (const place of [keys, paths, problem]) place.replaceChildren();
    },
  };
}
