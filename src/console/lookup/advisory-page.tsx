// The advisories that one id names, each with the way to its product: for people who begin with a CVE.

import { useState } from 'preact/hooks';
import type { Api } from '../app/api.ts';
import { fragmentOf } from '../app/route.ts';
import { useResource } from '../app/use-resource.ts';
import { Busy, Failure, Notice } from '../parts/notice.tsx';
import { counted } from '../parts/words.ts';
import { AdvisoryItem } from './advisory-list.tsx';
import { asListed, type Page, pagesOf, productOf } from './named.ts';

interface AdvisoryPageProps {
  readonly api: Api;
  readonly id: string;
  readonly revision: number;
}

export function AdvisoryPage({ api, id, revision }: AdvisoryPageProps) {
  const { value, error, isBusy } = useResource((signal) => pagesOf(api, id, signal), [id, revision]);
  if (error?.code === 'unknown_vulnerability') {
    return (
      <Notice kind="warning" title={`The data has no advisory ${id}`}>
        It may be of a source that this server does not read, or newer than the snapshot.
      </Notice>
    );
  }
  return (
    <>
      <Failure error={error} />
      {isBusy && value === undefined && <Busy>Asking</Busy>}
      {value !== undefined && (
        <section aria-label={`Advisories with the id ${id}`}>
          <h2>
            {counted(value.length, 'advisory', 'advisories')} with the id <span class="mono">{id}</span>
          </h2>
          {value.map((page) => (
            <Found key={page.vulnerability.id} api={api} page={page} />
          ))}
        </section>
      )}
    </>
  );
}

function Found({ api, page }: { readonly api: Api; readonly page: Page }) {
  const { id } = page.vulnerability;
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set([id]));
  const { label, type, name } = productOf(page);
  return (
    <>
      <p>
        About {label}{' '}
        {type === undefined ? (
          <span class="mono">{name}</span>
        ) : (
          <a class="mono" href={fragmentOf('lookup', { type, name })}>
            {name}
          </a>
        )}
        , affected <span class="mono">{page.versions.affected_in}</span>
      </p>
      <AdvisoryItem
        api={api}
        advisory={asListed(page)}
        hasVersion={false}
        open={open}
        setOpen={(each, isOpen) => setOpen(new Set(isOpen ? [each] : []))}
      />
    </>
  );
}
