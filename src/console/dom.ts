/** The element of the page with an id; throws when the page has none of that kind. */
export function byId<T extends Element = HTMLElement>(
  id: string,
  kind: new () => T = HTMLElement as unknown as new () => T,
): T {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`the page has no ${kind.name} #${id}`);
  return element;
}

/** An element with attributes and children: text, elements, or nothing. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string | boolean>> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, '');
    else if (value !== false) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** The same for what is drawn. */
export function draw(tag: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}

/** Tells it to whoever listens to the page. */
export function say(text: string): void {
  byId('said').textContent = text;
}

/** Copies a text, and says on the button that it did. */
export function copyFrom(button: HTMLElement, text: () => string): void {
  const label = button.textContent ?? '';
  button.addEventListener('click', async () => {
    const done = await navigator.clipboard.writeText(text()).then(
      () => true,
      () => false,
    );
    button.textContent = done ? 'Copied' : 'Not allowed: select it';
    say(done ? 'Copied' : 'The browser does not allow it: select the text and copy it');
    setTimeout(() => {
      button.textContent = label;
    }, 2000);
  });
}

/**
 * Buttons of which one is chosen. Buttons and not radio buttons: with these the arrow keys would choose, and pay for,
 * whatever lies on the way.
 */
export function choice<T extends string>(
  group: HTMLElement,
  options: readonly (readonly [value: T, label: string])[],
  onChoose: (value: T) => void,
) {
  const buttons = new Map(
    options.map(([value, label]) => [value, make('button', { type: 'button' }, label)]),
  );
  for (const [value, button] of buttons) button.addEventListener('click', () => onChoose(value));
  group.append(...buttons.values());
  return {
    show(chosen: T): void {
      for (const [value, button] of buttons) button.setAttribute('aria-pressed', String(value === chosen));
    },
    /** Which of them can be chosen at all. */
    offer(offered: (value: T) => boolean): void {
      for (const [value, button] of buttons) button.hidden = !offered(value);
    },
  };
}
