import { useId } from 'preact/hooks';

type ButtonGroupProps<T extends string> = {
  /** The name of the group, for screen readers. */
  label: string;
  options: readonly (readonly [value: T, label: string])[];
  selected: T | undefined;
  onSelect: (value: T) => void;
  /** Why an option is not available, or an empty text. */
  fault?: (value: T) => string;
  /** Receives the reason when the user selects an option that is not available. */
  onFault?: (reason: string) => void;
};

/**
 * A group of buttons, one of which is pressed. They are not radio buttons, because an arrow key would select the next
 * radio button, and each selection may cost a call. A button that is not available keeps its place and can have the
 * focus, so that screen readers read the reason.
 */
export function ButtonGroup<T extends string>({
  label,
  options,
  selected,
  onSelect,
  fault = () => '',
  onFault,
}: ButtonGroupProps<T>) {
  const id = useId();
  return (
    <fieldset class="button-group">
      <legend class="unseen">{label}</legend>
      {options.map(([value, text]) => {
        const reason = fault(value);
        return (
          <button
            key={value}
            type="button"
            aria-pressed={value === selected}
            aria-disabled={reason !== '' || undefined}
            aria-describedby={reason ? `${id}-${value}` : undefined}
            title={reason || undefined}
            onClick={() => (reason ? onFault?.(reason) : onSelect(value))}
          >
            {text}
            {reason && (
              <span id={`${id}-${value}`} hidden>
                {reason}
              </span>
            )}
          </button>
        );
      })}
    </fieldset>
  );
}
