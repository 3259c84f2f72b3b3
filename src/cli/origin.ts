// Reader of the origins that `--cors-origin` names: each as a browser will send it, `*` only alone.

import { InvalidArgumentError } from 'commander';

const ORIGIN = /^[a-z][a-z\d+.-]*:\/\/[^\s/?#@\\,*]+$/i;

/** Adds the origins of one value, comma separated, to those read before. */
export function origins(text: string, before: readonly string[]): readonly string[] {
  const all = [...before, ...text.split(',').map((part) => origin(part.trim()))];
  if (all.includes('*') && all.length > 1) {
    throw new InvalidArgumentError(
      '"*" already means every origin; give it alone, or list origins without it.',
    );
  }
  return all;
}

/** Browsers compare the text, so what they would write differently (upper case, a default port) is rewritten. */
function origin(text: string): string {
  if (text === '*') return text;
  if (!ORIGIN.test(text) || !URL.canParse(text)) {
    throw new InvalidArgumentError(
      `Got ${JSON.stringify(text)}, expected * or an origin, scheme://host[:port] without a path, such as https://shop.example.`,
    );
  }
  const { origin } = new URL(text);
  return origin === 'null' ? text.toLowerCase() : origin; // 'null': a scheme of an app or an extension, kept as it is
}
