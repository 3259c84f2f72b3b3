// Marks an update of an npm package that may need changes in what uses it.

import { isMajorJump } from './npm-range.ts';

interface MajorMarkProps {
  readonly type: string;
  readonly version: string;
  readonly to: string;
}

export function MajorMark({ type, version, to }: MajorMarkProps) {
  return type === 'npm' && isMajorJump(version, to) ? <span class="medium"> major</span> : null;
}
