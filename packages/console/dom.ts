/** The element with an id; throws if the page has none of that kind. */
export function byId<T extends Element = HTMLElement>(
  id: string,
  kind: new () => T = HTMLElement as unknown as new () => T,
): T {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`the page has no ${kind.name} #${id}`);
  return element;
}

/** A new element with attributes and children. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string>> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Stands where a value is to come. */
export const placeholder = () => make('span', { class: 'placeholder' }, '\u2007');

/** A new table row. */
export const makeRow = (...cells: (readonly [text: string, kind?: string])[]) =>
  make('tr', {}, ...cells.map(([text, kind = '']) => make('td', { class: kind }, text)));

/** A new button that runs `act`. */
export function makeButton(label: string, act: () => void, kind = ''): HTMLButtonElement {
  const button = make('button', { type: 'button', class: kind }, label);
  button.addEventListener('click', act);
  return button;
}

/** Announces a text to screen readers. */
export function announce(text: string): void {
  byId('announcements').textContent = text;
}

/** Makes a button copy a text, and say whether it did. */
export function copyButton(button: HTMLElement, text: () => string, onCopied?: () => void): void {
  const label = button.textContent ?? '';
  button.addEventListener('click', async () => {
    const copied = await navigator.clipboard.writeText(text()).then(
      () => true,
      () => false,
    );
    if (copied) onCopied?.();
    button.textContent = copied ? 'Copied' : 'Copying failed';
    announce(copied ? 'Copied' : 'The browser does not allow copying: select the text and copy it yourself');
    setTimeout(() => {
      button.textContent = label;
    }, 2000);
  });
}

/**
 * A group of buttons of which one is pressed. They are no radio buttons, since with those the arrow keys would select,
 * and pay for, every option on the way.
 */
export function buttonGroup<T extends string>(
  group: HTMLElement,
  options: readonly (readonly [value: T, label: string])[],
  onSelect: (value: T) => void,
) {
  const buttons = new Map(options.map(([value, label]) => [value, makeButton(label, () => onSelect(value))]));
  group.append(...buttons.values());
  return {
    select(selected: T): void {
      for (const [value, button] of buttons) button.setAttribute('aria-pressed', String(value === selected));
    },
    /** Hides the options that are not available. */
    offer(isOffered: (value: T) => boolean): void {
      for (const [value, button] of buttons) button.hidden = !isOffered(value);
    },
  };
}
