/** Marks the edges beyond which a box has more content: on a phone, scroll bars are invisible until the user scrolls. */
export function openScrollEdges(box: HTMLElement): void {
  const frame = box.parentElement;
  if (!frame) return;
  const update = () => {
    const { scrollLeft, clientWidth, scrollWidth } = box;
    frame.toggleAttribute('data-more-left', scrollLeft > 0);
    // Positions are fractions of a pixel on some screens.
    frame.toggleAttribute('data-more-right', scrollLeft + clientWidth < scrollWidth - 1);
  };
  box.addEventListener('scroll', update, { passive: true });
  const observer = new ResizeObserver(update);
  for (const element of [box, ...box.children]) observer.observe(element);
}
