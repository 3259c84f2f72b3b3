// A button that copies text.

import { useEffect, useState } from 'preact/hooks';

const SHOWN_MS = 2_000;

export function CopyButton({ text, children }: { readonly text: string; readonly children: string }) {
  const [outcome, setOutcome] = useState('');
  useEffect(() => {
    if (outcome === '') return;
    const timer = setTimeout(() => setOutcome(''), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = (): void => {
    // The clipboard is there on secure pages only: https, or this machine.
    const done = navigator.clipboard?.writeText(text) ?? Promise.reject();
    done.then(
      () => setOutcome('Copied'),
      () => setOutcome('Select and copy by hand'),
    );
  };
  return (
    <button type="button" class="quiet" onClick={copy}>
      <span aria-live="polite">{outcome || children}</span>
    </button>
  );
}
