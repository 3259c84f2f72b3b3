// The commands under "Copy as". People paste them into a shell, and names come from links and data: every
// value is quoted, and a command whose program could take a value for something else is left out. The key is
// never in them.

import { PLATFORM_TABLE, productTypeFacts } from '../../index/product-type.ts';
import { updateToolOf } from '../parts/platform-tools.ts';
import { productPath, type Query } from './query.ts';

export interface Command {
  readonly label: string;
  readonly text: string;
}

export interface CommandFacts {
  readonly query: Query;
  readonly updateTo: string | null;
  /** The address of an endpoint of the contract. */
  readonly address: (path: string) => URL;
  /** Where queries of OSV clients go; undefined if they are off. */
  readonly osvQuery: URL | undefined;
  /** The address of this page with this query. */
  readonly page: string;
}

const KEY = '-H "PSKey: $KEY"';

/** Requires: the query has a name, and fits a path. */
export function commandsFor({ query, updateTo, address, osvQuery, page }: CommandFacts): Command[] {
  const commands: Command[] = [{ label: 'Link', text: page }];
  if ([query.name, query.version, updateTo ?? ''].some(hasControlCharacter)) return commands;
  commands.push({ label: 'curl', text: `curl ${KEY} ${shellQuote(address(productPath(query)).href)}` });
  const update = updateTo === null ? undefined : updateCommand(query, updateTo);
  if (update !== undefined) commands.push(update);
  if (osvQuery !== undefined) {
    const asked = { package: { purl: purlOf(query) }, ...(query.version && { version: query.version }) };
    const body = shellQuote(JSON.stringify(asked));
    commands.push({ label: 'OSV', text: `curl ${KEY} ${shellQuote(osvQuery.href)} -d ${body}` });
  }
  return commands;
}

function updateCommand({ type, name, version }: Query, to: string): Command | undefined {
  const tool = updateToolOf(type);
  if (!tool?.name.test(name) || !tool.version.test(to)) return undefined;
  const words = tool.wordsFor({ type, name, from: version, to });
  return words && { label: tool.label, text: [tool.command, ...words.map(shellQuote)].join(' ') };
}

/** As the server's OSV mount reads it: WordPress has no registered type. */
function purlOf({ type, name }: Query): string {
  const { platform, run } = productTypeFacts(type);
  const { purlType, purlName } = PLATFORM_TABLE[run];
  const path = (purlName?.(name) ?? name).split('/').map(encodeURIComponent).join('/');
  return `pkg:${purlType}/${type === platform ? '' : `${type}/`}${path}`;
}

/**
 * One word of a POSIX shell. Requires: no control characters, which a terminal acts on before the shell sees
 * them.
 */
export function shellQuote(text: string): string {
  if (/^[\w@%+:,./-][\w@%+=:,./-]*$/.test(text)) return text;
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function hasControlCharacter(text: string): boolean {
  return /\p{Cc}/u.test(text);
}
