type ButtonGroupProps<T extends string> = {
  /** The name of the group, for screen readers. */
  label: string;
  options: readonly (readonly [value: T, label: string])[];
  selected: T | undefined;
  onSelect: (value: T) => void;
};

/**
 * Buttons of which one is pressed. They are not radio buttons, because an arrow key would select the next radio button,
 * and each selection may cost a call.
 */
export const ButtonGroup = <T extends string>({ label, options, selected, onSelect }: ButtonGroupProps<T>) => (
  <fieldset class="button-group">
    <legend class="unseen">{label}</legend>
    {options.map(([value, text]) => (
      <button key={value} type="button" aria-pressed={value === selected} onClick={() => onSelect(value)}>
        {text}
      </button>
    ))}
  </fieldset>
);
