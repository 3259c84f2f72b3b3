// Loads the uWebSockets addon: from the first package of a list that has a binary for
// this Node release and platform.

import type * as UWebSockets from 'uWebSockets.js';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { MAX_HEADER_BYTES } from './transport.ts';

export type Native = typeof UWebSockets;

/**
 * The official name first, which package.json gives to a package with more binaries;
 * that package's own name second.
 */
export const ADDONS: readonly string[] = ['uWebSockets.js', 'uws-pack'];

export type AddonSearch =
  | { readonly kind: 'found'; readonly native: Native; readonly name: string }
  /** `reason` says what is wrong with each package that is installed, or that none is. */
  | { readonly kind: 'missing'; readonly reason: string };

type Import = (name: string) => Promise<unknown>;
/** The name and version in the package installed under a name; undefined if they cannot be read. */
type Identify = (name: string) => string | undefined;

/**
 * Tries the packages in turn. Never throws: whatever a package throws while it loads goes into the reason.
 */
export async function findNative(
  names: readonly string[] = ADDONS,
  load: Import = (name) => import(name),
  identify: Identify = installedAs,
): Promise<AddonSearch> {
  process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= String(MAX_HEADER_BYTES); // read by the addon once, when it loads
  const reasons: string[] = [];
  for (const name of names) {
    try {
      const native = nativeOf(await load(name));
      if (native !== undefined) return { kind: 'found', native, name };
      reasons.push(`${name} does not export App`);
    } catch (error) {
      if (!isAbsent(error, name)) {
        reasons.push(`${name} does not load: ${subjectOf(name, identify(name))} ${failureOf(error)}`);
      }
    }
  }
  if (reasons.length === 0) reasons.push(`neither ${names.join(' nor ')} is installed`);
  return { kind: 'missing', reason: reasons.join('; ') };
}

/**
 * An ES module exports the addon's functions by name; CommonJS, like the official
 * package, as the default export.
 */
function nativeOf(module: unknown): Native | undefined {
  const { App, default: inner } = module as { readonly App?: unknown; readonly default?: Partial<Native> };
  if (typeof App === 'function') return module as Native; // App is the function that identifies the addon
  return typeof inner?.App === 'function' ? (inner as Native) : undefined;
}

/** Not so if the package is there and a part of it is missing. */
function isAbsent(error: unknown, name: string): boolean {
  const { code, message } = (error ?? {}) as NodeJS.ErrnoException;
  return code === 'ERR_MODULE_NOT_FOUND' && message.startsWith(`Cannot find package '${name}'`);
}

/** package.json is not among the exports of every package, so it is looked for where Node looks. */
function installedAs(alias: string): string | undefined {
  for (const folder of createRequire(import.meta.url).resolve.paths(alias) ?? []) {
    try {
      const { name, version } = JSON.parse(readFileSync(join(folder, alias, 'package.json'), 'utf8'));
      return `${name} ${version}`;
    } catch {
      // It is in none of the folders, or in one further up.
    }
  }
  return undefined;
}

function subjectOf(alias: string, identity: string | undefined): string {
  if (identity === undefined) return 'it';
  return identity.startsWith(`${alias} `) ? identity : `${identity}, installed under that name,`;
}

/**
 * The package says the same of every failure, over several lines: which releases it supports. Behind that is
 * the error of `require`, which tells a binary that is not there from one that the system refuses.
 */
function failureOf(error: unknown): string {
  const text = String(error instanceof Error ? error.message : error).trim();
  const said = text.split('\n')[0].replace(/\.$/, '');
  const here = `Node ${process.version} on ${process.platform}-${process.arch}`;
  if (/Cannot find module .*\.node'/.test(text)) return `has no binary for ${here}: ${said}`;
  const refusal = /^Error: (.+)$/m.exec(text)?.[1];
  return `fails on ${here}: ${refusal === undefined ? said : `${refusal} (${said})`}`;
}
