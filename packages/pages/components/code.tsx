import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** How long a button shows whether the copy succeeded, in ms. */
const COPIED_MS = 2000;

/** Copies a text. On a page without TLS, browsers offer no clipboard. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const result = useSignal<'Copied' | 'Copy failed' | undefined>(undefined);
  useEffect(() => {
    if (result.value === undefined) return undefined;
    const timer = setTimeout(() => {
      result.value = undefined;
    }, COPIED_MS);
    return () => clearTimeout(timer);
  }, [result.value]);
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      result.value = 'Copied';
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
export function CodeBlock({ text }: { text: string }) {
  return (
    <div class="code-block">
      <code class="key">{text}</code>
      <CopyButton text={text} />
    </div>
  );
}
