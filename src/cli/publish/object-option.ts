// `--object KIND=FILE`: what is published beside the snapshot.

import { InvalidArgumentError } from 'commander';
import { isObjectKind } from '../../fleet/manifest.ts';

export interface ObjectOption {
  readonly kind: string;
  readonly path: string;
}

/** For an option that may be repeated: `overlay=overlay.json`. */
export function objectOption(text: string, before: readonly ObjectOption[] = []): readonly ObjectOption[] {
  const [, kind = '', path = ''] = /^([^=]*)=(.+)$/s.exec(text) ?? [];
  if (!isObjectKind(kind)) {
    throw new InvalidArgumentError(
      `Got ${JSON.stringify(text)}, expected KIND=FILE, such as overlay=overlay.json.`,
    );
  }
  if (before.some((object) => object.kind === kind)) {
    throw new InvalidArgumentError(`There is a ${kind} already; name each kind once.`);
  }
  return [...before, { kind, path }];
}
