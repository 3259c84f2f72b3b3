// The form: type, name and version. What is typed stays here until it is asked for.

import { useEffect, useRef, useState } from 'preact/hooks';
import { PRODUCT_TYPE_TABLE, type ProductType } from '../../index/product-type.ts';
import type { Api } from '../app/api.ts';
import { NameField } from './name-field.tsx';
import { isAdvisoryId, takeApart } from './pasted.ts';
import { type Query, tidy, WORDPRESS } from './query.ts';

interface LookupFormProps {
  readonly api: Api;
  /** What is asked for now. */
  readonly query: Query;
  readonly onAsk: (query: Query) => void;
  /** An advisory's id was given in place of a name. */
  readonly onId: (id: string) => void;
}

export function LookupForm({ api, query, onAsk, onId }: LookupFormProps) {
  const [draft, setDraft] = useState(query);
  const nameField = useRef<HTMLInputElement>(null);
  const versionField = useRef<HTMLInputElement>(null);
  useEffect(() => setDraft(query), [query.type, query.name, query.version]);
  useEffect(() => {
    if (query.name === '') nameField.current?.focus();
  }, []);
  const ask = (asked: Query): void => {
    setDraft(asked);
    if (asked.name !== '') onAsk(asked);
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    if (isAdvisoryId(draft.name)) {
      onId(draft.name.trim());
      return;
    }
    const typed = takeApart(draft.name, draft.type);
    ask(typed === undefined ? tidy(draft) : { ...typed, version: typed.version || draft.version.trim() });
  };
  const changeType = (type: ProductType): void => {
    const wasCore = draft.type === WORDPRESS && draft.name === WORDPRESS;
    const name = type === WORDPRESS ? WORDPRESS : wasCore ? '' : draft.name;
    setDraft({ ...draft, type, name });
  };
  return (
    <search aria-label="Look up a product">
      <form class="lookup-form" onSubmit={submit}>
        <label>
          Type
          <select
            name="type"
            value={draft.type}
            onChange={(event) => changeType(event.currentTarget.value as ProductType)} // its options are types
          >
            {PRODUCT_TYPE_TABLE.map(({ name, label }) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <div class="field">
          <label for="lookup-name">Name, package URL, name@version or advisory id</label>
          <NameField
            api={api}
            type={draft.type}
            name={draft.name}
            field={nameField}
            onInput={(name) => setDraft({ ...draft, name })}
            onTake={(name) => {
              ask({ type: draft.type, name, version: '' });
              versionField.current?.focus();
            }}
            onPaste={(text) => {
              if (isAdvisoryId(text)) {
                setDraft({ ...draft, name: text.trim() });
                onId(text.trim());
                return true;
              }
              const pasted = takeApart(text, draft.type);
              if (pasted !== undefined) ask(pasted);
              return pasted !== undefined;
            }}
          />
        </div>
        <label>
          Version
          <input
            ref={versionField}
            name="version"
            class="mono"
            value={draft.version}
            placeholder="all"
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            maxLength={256}
            onInput={(event) => setDraft({ ...draft, version: event.currentTarget.value })}
          />
        </label>
        <button type="submit" class="main-action">
          Look up
        </button>
      </form>
    </search>
  );
}
