// Links to addresses from the data, which may be anything.

import { webAddress } from './web-address.ts';

/** A link if the address is one of the web; else its text. */
export function DataLink({ url, children }: { readonly url: string; readonly children?: string }) {
  const address = webAddress(url);
  const text = children ?? url;
  if (address === undefined) return <span>{text}</span>;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer">
      {text}
    </a>
  );
}
