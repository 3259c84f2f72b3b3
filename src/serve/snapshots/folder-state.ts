// The state of the snapshot folder in words: what the log, /status and the outcome of an order say of it.

import { resolve } from 'node:path';
import type { FolderState } from '../../loader/live/snapshot-folder.ts';
import type { PostedFolderState } from '../messages.ts';

interface FolderProblem {
  /** Shown to strangers at /status, so without the path. */
  readonly reason: string;
  readonly remedy: string;
}

/**
 * The form posted between threads. `folder` may be relative, as the operator gave it; the messages say where
 * that is.
 */
export function postedFolderState(
  state: FolderState,
  folder: string,
  followsSource: boolean,
): PostedFolderState {
  const path = resolve(folder);
  // The slash says that it is a folder, which is created where there is none.
  const compiling = `with \`vulndex compile --out ${path}/\``;
  switch (state.kind) {
    case 'filled':
      return state;
    case 'empty': {
      const remedy = followsSource
        ? 'the first snapshot of the source will be stored there'
        : `copy one there, or compile one ${compiling}`;
      return { kind: 'empty', message: `${path} has no file that ends in .vdx: ${remedy}` };
    }
    case 'unreadable': {
      const { reason, remedy } = folderProblem(state.error);
      const isAbsent = (state.error as NodeJS.ErrnoException).code === 'ENOENT';
      const instead = isAbsent && !followsSource ? `, or compile a snapshot into it ${compiling}` : '';
      return { kind: 'unreadable', reason, message: `${path}: ${reason}; ${remedy}${instead}` };
    }
  }
}

/** In plain words for what usually happens; otherwise with the system's name of the error. */
export function folderProblem(error: NodeJS.ErrnoException): FolderProblem {
  switch (error.code) {
    case 'ENOENT':
      return { reason: 'the folder does not exist', remedy: 'create it' };
    case 'ENOTDIR':
      return { reason: 'a file is where the folder should be', remedy: 'move it away and create the folder' };
    case 'EACCES':
      return {
        reason: 'this process may not read the folder',
        remedy: 'let its user read the folder and enter those above it',
      };
    default: {
      const reason = `the system refused (${error.code ?? error.name})`;
      return { reason, remedy: 'check the storage of the folder' };
    }
  }
}
