// The field for the name, with suggestions: a combobox with a list box, as in the ARIA Authoring Practices.
// Without an answer from the server, for example because the key does not grant it, it is a plain field.

import type { Ref } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ProductType } from '../../index/product-type.ts';
import type { Api } from '../app/api.ts';
import { ApiError } from '../app/api.ts';
import { counted } from '../parts/words.ts';

export interface Suggestion {
  readonly name: string;
  readonly advisories: number;
}

export interface Suggestions {
  readonly products: readonly Suggestion[];
}

interface NameFieldProps {
  readonly api: Api;
  readonly type: ProductType;
  readonly name: string;
  readonly field: Ref<HTMLInputElement>;
  readonly onInput: (name: string) => void;
  /** A suggestion was taken. */
  readonly onTake: (name: string) => void;
  /** Returns whether the text was taken apart, and is not to be put into the field. */
  readonly onPaste: (text: string) => boolean;
}

/** Longer than between two keys of a fast typist. */
const PAUSE_MS = 120;
const NONE: readonly Suggestion[] = [];
const LIST = 'name-suggestions';

export function NameField({ api, type, name, field, onInput, onTake, onPaste }: NameFieldProps) {
  const [isWanted, setIsWanted] = useState(false);
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const found = useSuggestions(api, type, name, isWanted);
  // By name: a later answer may have it in another place.
  const active = found.findIndex(({ name: suggested }) => suggested === chosen);
  const isOpen = isWanted && found.length > 0;
  const take = (index: number): void => {
    setIsWanted(false);
    onTake(found[index].name);
  };
  const move = (step: number): void => {
    setIsWanted(true);
    if (found.length === 0) return;
    // One more place than there are suggestions: the text as it was typed.
    const places = found.length + 1;
    setChosen(found[((active + 1 + step + places) % places) - 1]?.name);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Enter' && isOpen && active >= 0) take(active);
    else if (event.key === 'Escape' && isOpen) setIsWanted(false);
    else {
      if (event.key === 'Enter') setIsWanted(false); // the form is sent
      return;
    }
    event.preventDefault();
  };
  useEffect(() => setChosen(undefined), [isWanted]); // a list that is opened again begins with none
  useEffect(
    () => document.getElementById(`${LIST}-${active}`)?.scrollIntoView({ block: 'nearest' }),
    [active],
  );
  return (
    <span class="name-field">
      <input
        ref={field}
        id="lookup-name"
        name="name"
        value={name}
        role="combobox"
        aria-expanded={isOpen}
        aria-controls={LIST}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && active >= 0 ? `${LIST}-${active}` : undefined}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        maxLength={2048}
        required
        onInput={(event) => {
          setIsWanted(true);
          setChosen(undefined);
          onInput(event.currentTarget.value);
        }}
        onPaste={(event) => {
          if (!onPaste(event.clipboardData?.getData('text') ?? '')) return;
          event.preventDefault();
          setIsWanted(false);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => setIsWanted(false)}
      />
      <div id={LIST} role="listbox" aria-label="Products" hidden={!isOpen}>
        {found.map(({ name: suggested, advisories }, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled in the field, which keeps the focus
          <div
            key={suggested}
            id={`${LIST}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            onMouseDown={(event) => event.preventDefault()} // the field keeps the focus, so the list stays
            onClick={() => take(index)}
          >
            <span>{suggested}</span>
            <span class="soft">{counted(advisories, 'advisory', 'advisories')}</span>
          </div>
        ))}
      </div>
      <span class="hidden" role="status">
        {isOpen ? counted(found.length, 'suggestion') : ''}
      </span>
    </span>
  );
}

/** The path that asks for products whose names begin with a text. */
function productsPath(type: ProductType, prefix: string, limit: number): string {
  return `/products?${new URLSearchParams({ type, prefix, limit: String(limit) })}`;
}

/** Until the answer for a longer text is there, those of the answer before that begin with it. */
function useSuggestions(api: Api, type: ProductType, name: string, isWanted: boolean): readonly Suggestion[] {
  const [answer, setAnswer] = useState({ type, prefix: '', found: NONE });
  const [isForbidden, setIsForbidden] = useState(false);
  useEffect(() => setIsForbidden(false), [api.key]);
  const prefix = name.trim();
  useEffect(() => {
    if (!isWanted || isForbidden || prefix === '' || api.key === '') {
      setAnswer({ type, prefix, found: NONE });
      return;
    }
    const abort = new AbortController();
    const timer = setTimeout(() => {
      api.get<Suggestions>(productsPath(type, prefix, 10), abort.signal).then(
        ({ products }) => {
          const isAll = products.length === 1 && products[0].name === prefix;
          if (!abort.signal.aborted) setAnswer({ type, prefix, found: isAll ? NONE : products });
        },
        (error: unknown) => {
          if (abort.signal.aborted) return;
          setAnswer({ type, prefix, found: NONE }); // typing continues without
          if (error instanceof ApiError && error.kind === 'forbidden') setIsForbidden(true);
        },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [type, prefix, isWanted, isForbidden, api.key]);
  if (answer.type !== type) return NONE;
  if (answer.prefix === prefix) return answer.found;
  const lower = prefix.toLowerCase();
  return answer.found.filter((each) => each.name.toLowerCase().startsWith(lower));
}
