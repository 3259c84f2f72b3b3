// The text in a file's bytes: UTF-8, or UTF-16 with a byte order mark, which Windows PowerShell writes for
// `>`.

import { Refusal } from './refusal.ts';

export function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const isLittle = first === 0xff && second === 0xfe;
  const encoding = isLittle ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new Refusal(
      'This file is not text in UTF-8 or UTF-16. Unpack an archive first; save any other text as UTF-8.',
    );
  }
}
