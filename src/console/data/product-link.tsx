// Leads from an advisory to its product in the view "Look up".

import { useState } from 'preact/hooks';
import type { Api } from '../app/api.ts';
import { fragmentOf } from '../app/route.ts';
import { isGuess, type Product } from './changes.ts';

interface ProductLinkProps {
  readonly api: Api;
  readonly id: number;
  /** Where the link leads if the advisory's page is not to be had; undefined if nothing is known. */
  readonly likely: Product | undefined;
  readonly children: string;
}

/** The part of GET /vulnerability/{id} that counts here. */
interface Page {
  readonly product: { readonly slug: string; readonly type: string };
}

export function ProductLink({ api, id, likely, children }: ProductLinkProps) {
  const [hasFailed, setHasFailed] = useState(false);
  const follow = async (): Promise<void> => {
    const page = await api.get<Page>(`/vulnerability/${id}`).catch(() => undefined);
    const found =
      page === undefined ? likely : { type: page.product.type.toLowerCase(), name: page.product.slug };
    setHasFailed(found === undefined);
    if (found !== undefined) location.hash = fragmentOf('lookup', { ...found });
  };
  if (likely === undefined) {
    return (
      <button type="button" class="quiet slim" onClick={() => void follow()}>
        {hasFailed ? `${children}: its product is not known here` : children}
      </button>
    );
  }
  return (
    <a
      href={fragmentOf('lookup', { ...likely })}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || !isGuess(likely)) return;
        event.preventDefault();
        void follow();
      }}
    >
      {children}
    </a>
  );
}
