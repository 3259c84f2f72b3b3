// Asks for the API key.

import { useEffect, useRef } from 'preact/hooks';

interface KeyDialogProps {
  readonly why: string;
  readonly onKey: (key: string) => void;
  readonly onClose: () => void;
  /** Undefined if there is no key to forget. */
  readonly onForget: (() => void) | undefined;
}

export function KeyDialog({ why, onKey, onClose, onForget }: KeyDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby="key-title" onClose={onClose}>
      <form
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault();
          const key = field.current?.value.trim() ?? '';
          if (key !== '') onKey(key);
        }}
      >
        <h2 id="key-title">API key</h2>
        <p id="key-why">{why}</p>
        <label>
          Key
          <input
            ref={field}
            type="password"
            name="key"
            autocomplete="off"
            spellcheck={false}
            required
            aria-describedby="key-why key-note"
          />
        </label>
        <p id="key-note" class="soft">
          It stays in this tab until you close the tab, and is sent only in a header.
        </p>
        <p class="actions">
          <button type="submit" class="main-action">
            Use this key
          </button>
          <button type="button" onClick={onClose}>
            Close
          </button>
          {onForget !== undefined && (
            <button type="button" onClick={onForget}>
              Forget the key
            </button>
          )}
        </p>
      </form>
    </dialog>
  );
}
