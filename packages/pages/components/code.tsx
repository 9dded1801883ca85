import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** How long a button shows whether the copy succeeded, in ms. */
const COPIED_MS = 2000;

type CopyProps = { text: string; label?: string; onCopied?: (() => void) | undefined };

/** Copies a text. On a page without TLS, browsers offer no clipboard. */
export function CopyButton({ text, label = 'Copy', onCopied }: CopyProps) {
  const result = useSignal<'Copied' | 'Copy failed' | undefined>(undefined);
  useEffect(() => {
    if (result.value === undefined) return undefined;
    const timer = setTimeout(() => {
      result.value = undefined;
    }, COPIED_MS);
    return () => clearTimeout(timer);
  }, [result.value]);
  // The result is about the text that was copied.
  useEffect(() => {
    result.value = undefined;
  }, [text]);
  async function copy() {
    // A second click restarts the confirmation.
    result.value = undefined;
    try {
      await navigator.clipboard.writeText(text);
      result.value = 'Copied';
      onCopied?.();
    } catch {
      result.value = 'Copy failed';
    }
  }
  return (
    <>
      <button type="button" class="small copy" onClick={() => void copy()}>
        {result.value ?? label}
      </button>
      <span class="unseen" role="status">
        {result.value === 'Copy failed'
          ? 'The browser does not allow copying. Select the text and copy it manually.'
          : result.value}
      </span>
    </>
  );
}

/** A text to copy, such as a command or a key. */
export const CodeBlock = ({ text, onCopied }: CopyProps) => (
  <div class="code-block">
    <code>{text}</code>
    <CopyButton text={text} onCopied={onCopied} />
  </div>
);

/** Code of several lines. */
export const Code = ({ text }: { text: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable with the keyboard
  <pre class="code" tabIndex={0}>
    <code>{text}</code>
  </pre>
);
