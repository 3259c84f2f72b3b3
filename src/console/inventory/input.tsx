// Where an inventory comes in: a text field and a file chooser. input-area.tsx has what is pasted and
// dropped.

import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { FORMATS } from '../../inventory/formats.ts';
import { Busy } from '../parts/notice.tsx';
import type { Task } from './task.ts';

interface InputProps {
  readonly isReading: boolean;
  /** What is accepted is shown then. */
  readonly isRefused: boolean;
  readonly onTask: (task: Task) => void;
  readonly onCancel: () => void;
  readonly children: ComponentChildren;
}

export function InventoryInput({ isReading, isRefused, onTask, onCancel, children }: InputProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const readText = (text: string): void => onTask({ source: text, fileName: '' });
  return (
    <section class="panel">
      <p>
        Paste or drop a lockfile, a list or an SBOM to see which versions have known vulnerabilities and what
        to update. It is read in your browser; only types, names and versions are sent.
      </p>
      <label class="wide">
        Text of the inventory
        <textarea
          ref={field}
          class="mono"
          rows={7}
          spellcheck={false}
          autocomplete="off"
          placeholder={'{\n  "lockfileVersion": 3,\n  "packages": …'}
          disabled={isReading}
        />
      </label>
      <div class="actions">
        <button
          type="button"
          class="main-action"
          disabled={isReading}
          onClick={() => readText(field.current?.value ?? '')}
        >
          Check
        </button>
        <label class="file-button">
          <span>or choose a file</span>
          <input
            type="file"
            disabled={isReading}
            onChange={({ currentTarget }) => {
              const file = currentTarget.files?.[0];
              if (file !== undefined) onTask({ source: file, fileName: file.name });
            }}
          />
        </label>
        {isReading && (
          <button type="button" onClick={onCancel}>
            Cancel
          </button>
        )}
      </div>
      {isReading && <Busy>Reading</Busy>}
      {children}
      <details open={isRefused}>
        <summary>What is accepted</summary>
        <ul class="formats">
          {FORMATS.map(({ of, files }) => (
            <li key={of}>
              {of}:{' '}
              {files.map((file, i) => (
                <>
                  {i > 0 && ', '}
                  <code>{file}</code>
                </>
              ))}
            </li>
          ))}
        </ul>
        <p class="soft">At most 50 MB and 200,000 packages.</p>
      </details>
    </section>
  );
}
