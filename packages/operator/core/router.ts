/** A view and its parameters, from the fragment of the URL: `#/users?sort=usage`, `#/users/7`. */
export type Place = { view: string; id: string | undefined; query: Readonly<Record<string, string>> };

export function placeIn(fragment: string): Place {
  const [path = '', query = ''] = fragment.replace(/^#\/?/, '').split('?', 2);
  const [view = '', id] = path.split('/');
  return { view, id, query: Object.fromEntries(new URLSearchParams(query)) };
}

/** Parameters without a value are omitted. */
export function fragmentOf(view: string, query: Readonly<Record<string, string>> = {}): string {
  const parameters = Object.entries(query).filter(([, value]) => value !== '');
  return `#/${view}${parameters.length > 0 ? `?${new URLSearchParams(parameters)}` : ''}`;
}
