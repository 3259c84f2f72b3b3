// A part of the page that scrolls by itself.

import type { ComponentChildren } from 'preact';

interface ScrollBoxProps {
  readonly label: string;
  readonly class: string;
  readonly children: ComponentChildren;
}

export function ScrollBox({ label, class: name, children }: ScrollBoxProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without the focus, the keyboard cannot scroll it
    <section class={name} tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}
