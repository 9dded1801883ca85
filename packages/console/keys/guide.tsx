import { useSignal } from '@preact/signals';
import { ButtonGroup } from '../../pages/components/button-group.tsx';
import { Code, CopyButton } from '../../pages/components/code.tsx';
import { codeFor, formatNames, noteFor, PLACEHOLDER, type Terms, titleOf, type UseName, usesOf } from './uses.ts';

type GuideProps = {
  of: Terms;
  /** Without it, the code contains a placeholder. */
  apiKey?: string;
  baseUrl: string;
  onCopied?: () => void;
};

/** Code for each use that a key permits. */
export function KeyGuide({ of: key, apiKey = PLACEHOLDER, baseUrl, onCopied }: GuideProps) {
  const uses = usesOf(key);
  const use = useSignal<UseName>(uses[0] ?? 'server');
  const chosen = useSignal('');
  const formats = formatNames(use.value, key);
  const format = formats.includes(chosen.value) ? chosen.value : String(formats[0]);
  const code = codeFor(use.value, format, key, baseUrl.replace(/\/$/, ''), apiKey);
  const titles = uses.map((name) => [name, titleOf(name)] as const);
  return (
    <div class="key-guide">
      <div class="controls">
        <ButtonGroup label="Purpose" options={titles} selected={use.value} onSelect={(name) => (use.value = name)} />
        {formats.length > 1 && (
          <ButtonGroup
            label="Format"
            options={formats.map((name) => [name, name] as const)}
            selected={format}
            onSelect={(name) => (chosen.value = name)}
          />
        )}
      </div>
      <Code text={code} />
      <div class="foot">
        <CopyButton label="Copy code" text={code} onCopied={onCopied} />
        <span class="soft">{noteFor(use.value, key, apiKey !== PLACEHOLDER)}</span>
      </div>
    </div>
  );
}
