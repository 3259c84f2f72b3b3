// Where npm's clients are answered.

import type { Mount } from '../../http/dialect.ts';

/** The whole namespace below it is npm's: at the root, packages are called `all`, `latest` and `batch`. */
export const NPM_MOUNT: Mount = { path: '/npm', description: 'As the registry of an npm client.' };

export const MOUNTS: readonly Mount[] = [{ path: '', description: 'The service’s own root.' }, NPM_MOUNT];
