/** Throws if the page has no element of this kind with the ID. */
export function byId<T extends Element = HTMLElement>(
  id: string,
  kind: new () => T = HTMLElement as unknown as new () => T,
): T {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`the page has no ${kind.name} #${id}`);
  return element;
}

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

export const placeholder = () => make('span', { class: 'placeholder' }, '\u2007');

/** Secondary text. */
export const softText = (...content: (Node | string)[]) => make('p', { class: 'soft' }, ...content);

/** An entry of a list of labels and values. */
export const makeFigure = (label: Node | string, ...value: (Node | string)[]) =>
  make('div', {}, make('dt', {}, label), make('dd', {}, ...value));

/** An element of an image. */
export function makeSvg(tag: string, attributes: Readonly<Record<string, string | number>>, ...children: SVGElement[]) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

export function makeButton(label: string, act: () => void, kind = ''): HTMLButtonElement {
  const button = make('button', { type: 'button', class: kind }, label);
  button.addEventListener('click', act);
  return button;
}

export function announce(text: string): void {
  byId('announcements').textContent = text;
}

/** How long a button shows whether the copy succeeded, in ms. */
const COPIED_MS = 2000;

type Copied = {
  shown: Node;
  /** The text to copy, if it differs from the shown text. */
  text?: () => string;
  onCopied?: () => void;
};

/** Makes a button copy text to the clipboard. The confirmation disappears when the text changes. */
export function copyButton(
  button: HTMLElement,
  { shown, text = () => shown.textContent ?? '', onCopied }: Copied,
): void {
  const label = button.textContent ?? '';
  let timer: ReturnType<typeof setTimeout> | undefined;
  let content: string | undefined;
  const reset = () => {
    clearTimeout(timer);
    button.textContent = label;
  };
  const resetOther = () => {
    if (text() !== content) reset();
  };
  new MutationObserver(resetOther).observe(shown, { childList: true, characterData: true, subtree: true });
  button.addEventListener('click', async () => {
    const ownContent = text();
    content = ownContent;
    // On a page without TLS, browsers offer no clipboard.
    const clipboard = navigator.clipboard as Clipboard | undefined;
    const copied = await Promise.resolve(clipboard?.writeText(ownContent)).then(
      () => clipboard !== undefined,
      () => false,
    );
    if (copied) onCopied?.();
    announce(copied ? 'Copied' : 'The browser does not allow copying. Select the text and copy it manually.');
    // The text may have changed during the copy.
    if (ownContent !== text()) return reset();
    clearTimeout(timer);
    button.textContent = copied ? 'Copied' : 'Copy failed';
    timer = setTimeout(reset, COPIED_MS);
  });
}

/**
 * These are not radio buttons, because an arrow key would select the next radio button, and each selection may cost a
 * call.
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
    enable(isPossible: (value: T) => boolean): void {
      for (const [value, button] of buttons) button.disabled = !isPossible(value);
    },
    offer(isOffered: (value: T) => boolean): void {
      for (const [value, button] of buttons) button.hidden = !isOffered(value);
    },
  };
}

/** Marks the edges beyond which content is hidden, because phones hide scroll bars. */
export function openScrollEdges(box: HTMLElement): void {
  const frame = box.parentElement;
  if (!frame) return;
  const update = () => {
    const { scrollLeft, clientWidth, scrollWidth } = box;
    frame.toggleAttribute('data-more-left', scrollLeft > 0);
    // Positions are fractional on some screens.
    frame.toggleAttribute('data-more-right', scrollLeft + clientWidth < scrollWidth - 1);
  };
  box.addEventListener('scroll', update, { passive: true });
  const observer = new ResizeObserver(update);
  for (const element of [box, ...box.children]) observer.observe(element);
}
