// A part of the page that scrolls inside itself, such as a wide table. The keyboard reaches it too.

import type { ComponentChildren } from 'preact';

export function ScrollArea({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ComponentChildren;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without a focus, the keyboard could not scroll it
    <section class="scroll" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
