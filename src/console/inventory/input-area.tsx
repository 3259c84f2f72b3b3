// The whole view takes what is pasted or dropped, also while it shows another inventory.

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Task } from './task.ts';

/** Longer texts are read without being shown: a text field of megabytes makes browsers slow. */
const MAX_SHOWN_CHARS = 100_000;

interface AreaProps {
  readonly onTask: (task: Task) => void;
  readonly children: ComponentChildren;
}

export function InventoryArea({ onTask, children }: AreaProps) {
  const [isOver, setIsOver] = useState(false);
  /** Returns whether there was something to read. */
  const read = (data: DataTransfer | null): boolean => {
    const file = data?.files[0];
    const text = data?.getData('text/plain') ?? '';
    if (file !== undefined) onTask({ source: file, fileName: file.name });
    else if (text !== '') onTask({ source: text, fileName: '' });
    return file !== undefined || text !== '';
  };
  useEffect(() => {
    const onPaste = (event: ClipboardEvent): void => {
      const { target, clipboardData } = event;
      const isLong = (clipboardData?.getData('text/plain').length ?? 0) > MAX_SHOWN_CHARS;
      const isField = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
      if (clipboardData?.files[0] !== undefined || isLong || !isField) {
        if (read(clipboardData)) event.preventDefault();
      } else if (target instanceof HTMLTextAreaElement && target.value === '') {
        read(clipboardData); // and shown in the field
      }
    };
    document.addEventListener('paste', onPaste);
    return () => document.removeEventListener('paste', onPaste);
  });
  return (
    <section
      aria-label="Your inventory"
      class={`drop ${isOver ? 'over' : ''}`}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setIsOver(false);
        read(event.dataTransfer);
      }}
    >
      {children}
    </section>
  );
}
