// Parses the origins given to `--cors-origin`: each as a browser will send it, `*` only alone.

import { InvalidArgumentError } from 'commander';
import { isValidUrl } from '../download/valid-url.ts';

const ORIGIN = /^[a-z][a-z\d+.-]*:\/\/[^\s/?#@\\,*]+$/i;

/** Adds the comma-separated origins of one value to those parsed before. */
export function origins(text: string, before: readonly string[]): readonly string[] {
  const all = [...before, ...text.split(',').map((part) => origin(part.trim()))];
  if (all.includes('*') && all.length > 1) {
    throw new InvalidArgumentError(
      '"*" already means every origin; use it alone, or list origins without it.',
    );
  }
  return all;
}

/** Browsers compare the text, so it is normalised to their spelling: lower case, no default port. */
function origin(text: string): string {
  if (text === '*') return text;
  if (!ORIGIN.test(text) || !isValidUrl(text)) {
    throw new InvalidArgumentError(
      `Got ${JSON.stringify(text)}, expected * or an origin, scheme://host[:port] without a path, such as https://shop.example.`,
    );
  }
  const { origin } = new URL(text);
  // 'null': an app's or extension's scheme, kept in lower case.
  return origin === 'null' ? text.toLowerCase() : origin;
}
