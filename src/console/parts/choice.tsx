// One of a few, all in sight: radio buttons side by side.

import { useId } from 'preact/hooks';

interface ChoiceProps<Value extends string> {
  readonly legend: string;
  /** Values and their titles. */
  readonly options: Readonly<Record<Value, string>>;
  /** Undefined while nothing is chosen. */
  readonly value: Value | undefined;
  readonly onChoice: (value: Value) => void;
}

export function Choice<Value extends string>({ legend, options, value, onChoice }: ChoiceProps<Value>) {
  const name = useId();
  return (
    <fieldset class="choice">
      <legend class="hidden">{legend}</legend>
      {(Object.keys(options) as Value[]).map((each) => (
        <label key={each}>
          <input type="radio" name={name} checked={each === value} onChange={() => onChoice(each)} />
          <span>{options[each]}</span>
        </label>
      ))}
    </fieldset>
  );
}
