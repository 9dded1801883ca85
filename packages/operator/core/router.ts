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

/** Applies the values of a form as parameters when the user submits it or makes a choice. */
export function onFilter(form: HTMLFormElement, apply: (query: Record<string, string>) => void): void {
  const filter = () =>
    apply(Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value).trim()])));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    filter();
  });
  form.addEventListener('change', ({ target }) => {
    if (target instanceof HTMLSelectElement) filter();
  });
}

/** Fills a form with parameters. Values that a select does not offer are ignored. */
export function fillForm(form: HTMLFormElement, query: Readonly<Record<string, string>>): void {
  form.reset();
  for (const element of form.elements) {
    if (!(element instanceof HTMLInputElement || element instanceof HTMLSelectElement)) continue;
    const value = query[element.name];
    const isOffered =
      element instanceof HTMLInputElement || [...element.options].some((option) => option.value === value);
    if (value !== undefined && isOffered) element.value = value;
  }
}
