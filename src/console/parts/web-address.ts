// Which addresses a person may be led to: advisories come from outside, and one may say `javascript:`.

/** The address, normalised, if it is http or https; else undefined. */
export function webAddress(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, href } = new URL(text);
  return protocol === 'https:' || protocol === 'http:' ? href : undefined;
}
