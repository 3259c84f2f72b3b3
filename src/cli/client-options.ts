// The options of `serve` about clients: which languages it speaks and where, who needs no key, whose word
// about addresses counts, the registry behind the npm mount, and whether there is a page for people. Names of
// dialects and networks are checked by the entry, because a command must not import those folders.

import { type Command, InvalidArgumentError, Option } from 'commander';
import { isValidUrl } from '../download/valid-url.ts';
import { UsageError } from './command-error.ts';
import { setting, trueOrFalse } from './options.ts';

export interface ClientOptions {
  /** `NAME`, `NAME=/path` or `all`; undefined for the default ones. */
  readonly mounts: readonly string[] | undefined;
  /** The names of the dialects that answer without a key. */
  readonly anonymous: readonly string[];
  /** Addresses and CIDR blocks. */
  readonly trustedProxies: readonly string[];
  /** Without a trailing slash. */
  readonly npmUpstream: string | undefined;
  /** The address of the server for its clients, without a trailing slash. */
  readonly publicUrl: string | undefined;
  /** Whether people get a page, and not only programs an API. */
  readonly console: boolean;
}

export function addClientOptions(command: Command): Command {
  return (
    command
      .addOption(
        setting(
          '--mounts <mount...>',
          'client languages to speak: NAME, NAME=/path, or all (default: patchstack npm-audit)',
          { parse: words('the name of a mount, such as patchstack or osv=/osv-api') },
        ),
      )
      .addOption(
        setting('--anonymous <mount...>', 'mounts that answer without a key, limited by client address', {
          parse: words('the name of a mount, such as osv'),
          default: [],
          shown: 'none',
        }),
      )
      .addOption(
        setting(
          '--trusted-proxies <network...>',
          'proxies whose Forwarded or X-Forwarded-* headers are trusted: addresses or CIDR blocks',
          { parse: words('an IP address or a CIDR block, such as 10.0.0.0/8'), default: [], shown: 'none' },
        ),
      )
      .addOption(
        setting(
          '--npm-upstream <url>',
          'registry to which the npm mount redirects everything except audits',
          { parse: registryUrl },
        ),
      )
      .addOption(
        setting(
          '--public-url <url>',
          'address of this server for its clients, for documents that name it (default: as each request says)',
          { parse: publicUrl },
        ),
      )
      .addOption(new Option('--no-console', 'do not serve /console and /docs (or VULNDEX_CONSOLE=false)'))
      // A negated option cannot take its variable's value; this one, which it negates, can.
      .addOption(
        setting('--console <switch>', 'serve /console and /docs', {
          parse: trueOrFalse,
          default: true,
        }).hideHelp(),
      )
  );
}

/** Throws UsageError for a URL with credentials: a refusal by its parser would repeat them. */
export function checkClientOptions({ npmUpstream, publicUrl: own }: ClientOptions): void {
  if (hasCredentials(npmUpstream)) {
    throw new UsageError(
      '--npm-upstream has credentials, which every client would be sent: leave them out, and let clients send their own',
    );
  }
  if (hasCredentials(own)) {
    throw new UsageError('--public-url has credentials, which every client would be sent: leave them out');
  }
}

function hasCredentials(text: string | undefined): boolean {
  if (text === undefined) return false;
  const { username, password } = new URL(text);
  return username !== '' || password !== '';
}

/** Adds the comma-separated words of one value to those parsed before; an empty one is a mistake. */
function words(expected: string): (text: string, before?: readonly string[]) => readonly string[] {
  return (text, before = []) => {
    const parts = text.split(',').map((part) => part.trim());
    if (parts.every((part) => part !== '')) return [...before, ...parts];
    throw new InvalidArgumentError(`Got ${JSON.stringify(text)}, expected ${expected}.`);
  };
}

const registryUrl = baseUrl('the http or https URL of a registry, such as https://registry.npmjs.org');
const publicUrl = baseUrl('the http or https URL of this server, such as https://vulndex.example/security');

/** Reads a URL that others are appended to: without a trailing slash. */
function baseUrl(expected: string): (text: string) => string {
  return (text) => {
    const url = isValidUrl(text.trim()) ? new URL(text.trim()) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol))
      throw new InvalidArgumentError(`Got ${JSON.stringify(text)}, expected ${expected}.`);
    // One with credentials is refused later, by a message without them.
    if (/[?#]/.test(text) && !hasCredentials(url.href))
      throw new InvalidArgumentError(`Got ${JSON.stringify(text)}, expected ${expected}, without ? or #.`);
    return url.href.replace(/\/+$/, '');
  };
}
