import type { ComponentChildren } from 'preact';

type SwitchProps = {
  isOn: boolean;
  /** The ID of a text about the switch. */
  hint?: string;
  onChange: (isOn: boolean) => void;
  children: ComponentChildren;
};

/** Turns something on or off at once. */
export const Switch = ({ isOn, hint, onChange, children }: SwitchProps) => (
  <label class="switch">
    <input
      type="checkbox"
      role="switch"
      checked={isOn}
      aria-checked={isOn}
      aria-describedby={hint}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
    <span>{children}</span>
  </label>
);

/** A text that opens on request. */
export const Info = ({ label, children }: { label: ComponentChildren; children: ComponentChildren }) => (
  <details class="info">
    <summary>{label}</summary>
    {children}
  </details>
);
