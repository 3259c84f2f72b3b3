// A figure with its name, in a <dl class="tiles">.

import type { ComponentChildren } from 'preact';

interface TileProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** In small letters below. */
  readonly note?: ComponentChildren;
}

export function Tile({ title, children, note }: TileProps) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        {children}
        {note !== undefined && <small>{note}</small>}
      </dd>
    </div>
  );
}
