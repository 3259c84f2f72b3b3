// The registry behind this server: whatever is below `/npm` and is not an audit is asked there by the client
// itself, so that `registry=` may point here. Nothing is fetched from it, and no key is needed.
//
// The address of a redirect always begins with the registry's, whatever the path: only printable ASCII is
// copied, and paths that would step out of the registry's own are refused.

import type { Description } from '../../http/openapi/model.ts';
import { renderProblemDetails, serviceProblem } from '../../http/replies/problems.ts';
import { redirect, refuse } from '../../http/replies/responses.ts';
import type { Dialect } from '../../http/routing/dialect.ts';
import { errorObject } from '../error-object.ts';
import { NPM_MOUNT } from './npm-audit.ts';

const DESCRIPTION: Description = {
  info: {
    description:
      'Below `/npm`, every path without an operation is redirected to the registry behind this server.',
  },
  tags: [],
  paths: {},
};

const NOT_COPIED = /[^\x21-\x7e]|[\\"<>^`{|}]/gu;
/**
 * `.` or `..` as a part of a path, in any spelling that a URL parser, or a registry that decodes the path
 * first, understands.
 */
const DOT_PART = /(?:^|\/|%2f|%5c)(?:\.|%2e){1,2}(?=$|\/|%2f|%5c|;|%3b)/i;

/**
 * Throws a TypeError unless it is the address of a registry: http or https, without a user, a query or a
 * fragment.
 */
export function npmUpstream(upstream: string): Dialect {
  const base = baseOf(upstream);
  return {
    name: 'npm-upstream',
    mounts: [NPM_MOUNT],
    keys: { headers: [], read: () => '', advice: 'No key is needed.', challenge: 'Bearer' },
    routes: [
      {
        kind: 'rest',
        label: 'npm-upstream',
        answer: ({ query }, below) => {
          const path = copied(below);
          if (DOT_PART.test(path)) {
            const detail = 'A path below the mount of npm may not have "." or ".." as a part.';
            return refuse(serviceProblem('not_found', detail));
          }
          return redirect(base + path + (query === '' ? '' : `?${copied(query)}`));
        },
      },
    ],
    renderError: renderProblemDetails,
    openApi: { describe: () => DESCRIPTION, errors: errorObject },
  };
}

/** The address without slashes at its end: the path below the mount begins with one. */
function baseOf(upstream: string): string {
  const { protocol, username, password, search, hash, href } = new URL(upstream);
  const isRegistry = (protocol === 'http:' || protocol === 'https:') && username === '' && password === '';
  if (!isRegistry || search !== '' || hash !== '') {
    throw new TypeError(
      'the address of a registry must begin with http:// or https:// and have no user, query or fragment',
    );
  }
  return href.replace(/\/+$/, '');
}

function copied(text: string): string {
  return text.replace(NOT_COPIED, (character) =>
    Array.from(Buffer.from(character), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(
      '',
    ),
  );
}
