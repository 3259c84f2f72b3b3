// The view "Look up": is this version affected, why, and what to update to. The address holds what was asked.

import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Api } from '../app/api.ts';
import { fragmentOf } from '../app/route.ts';
import { mountOf, type Settings } from '../app/settings.ts';
import { useResource } from '../app/use-resource.ts';
import type { ViewProps } from '../app/view.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Busy, Failure, Notice } from '../parts/notice.tsx';
import { AdvisoryList, elementId, type Openings } from './advisory-list.tsx';
import { AdvisoryPage } from './advisory-page.tsx';
import { type Answer, askFor, inReadingOrder } from './answers.ts';
import { commandsFor } from './copy-as.ts';
import { LookupForm } from './lookup-form.tsx';
import { fitsPath, parametersOf, queryOf, unknownType } from './query.ts';
import { Ruler } from './ruler.tsx';
import { Start } from './start.tsx';
import { Readings, Verdict } from './verdict.tsx';

export function LookupPage({ api, settings, parameters, setParameters, revision }: ViewProps) {
  const query = queryOf(parameters);
  const { type, name, version } = query;
  const wrongType = unknownType(parameters);
  const id = parameters.get('id') ?? '';
  const canAsk = wrongType === undefined && name !== '' && fitsPath(query);
  const { value, error, isBusy } = useResource<Answer>(
    canAsk ? (signal) => askFor(api, query, signal) : undefined,
    [type, name, version, revision],
  );
  // An older answer stays while a newer one is under way, never beside the newer one's failure.
  const isOld = value !== undefined && fragment(value.query) !== fragment(query);
  const shown = canAsk && !(isOld && error !== undefined) ? value : undefined;
  return (
    <>
      <h1>Look up</h1>
      <LookupForm
        api={api}
        query={query}
        onAsk={(asked) => setParameters(parametersOf(asked))}
        onId={(each) => setParameters({ type, id: each })}
      />
      {id !== '' && <AdvisoryPage key={id} api={api} id={id} revision={revision} />}
      {name === '' && id === '' && <Start {...{ api, settings, revision }} />}
      {wrongType !== undefined && (
        <Notice kind="error" title={`“${wrongType}” is not a product type`}>
          Choose one in the form.
        </Notice>
      )}
      {name !== '' && !fitsPath(query) && (
        <Notice kind="warning" title="This cannot be looked up">
          An address cannot contain “.” or “..” as a name or version. Use POST /batch.
        </Notice>
      )}
      {error?.code === 'invalid_parameter' ? (
        <Notice kind="warning" title="This cannot be looked up">
          {error.message}
        </Notice>
      ) : (
        <Failure error={error} />
      )}
      {isBusy && shown === undefined && <Busy>Asking</Busy>}
      {shown !== undefined && (
        <div class="result" aria-busy={isOld}>
          <Result key={fragment(shown.query)} answer={shown} api={api} settings={settings} />
        </div>
      )}
    </>
  );
}

function fragment(query: Answer['query']): string {
  return fragmentOf('lookup', parametersOf(query));
}

interface ResultProps {
  readonly answer: Answer;
  readonly api: Api;
  readonly settings: Settings;
}

function Result({ answer, api, settings }: ResultProps) {
  const { explanation, isBrief } = answer;
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const [showsOthers, setShowsOthers] = useState(false);
  const [wanted, setWanted] = useState<number | undefined>();
  const advisories = useMemo(() => inReadingOrder(explanation.advisories), [explanation]);
  const openings: Openings = {
    open,
    setOpen: (id, isOpen) =>
      setOpen((before) => {
        if (before.has(id) === isOpen) return before;
        const after = new Set(before);
        if (isOpen) after.add(id);
        else after.delete(id);
        return after;
      }),
    showsOthers,
    setShowsOthers,
  };
  const openFromRuler = (id: number): void => {
    openings.setOpen(id, true);
    if (advisories.some((advisory) => advisory.id === id && !advisory.applies)) setShowsOthers(true);
    setWanted(id);
  };
  useEffect(() => {
    if (wanted === undefined) return;
    const summary = document.getElementById(elementId(wanted))?.querySelector('summary');
    summary?.scrollIntoView({ block: 'start' });
    summary?.focus({ preventScroll: true });
    setWanted(undefined);
  }, [wanted]);
  return (
    <>
      <Verdict answer={answer} />
      <div class="asides">
        <CopyAs answer={answer} api={api} settings={settings} />
        <Readings answer={answer} />
      </div>
      {isBrief && (
        <Notice kind="info" title="Without reasons">
          Your key does not include /explain, so there are no ranges and no ruler.
        </Notice>
      )}
      {explanation.axes.map(
        (axis, index) =>
          axis.versions.length > 0 && (
            <Ruler
              key={axis.version_scheme}
              {...{ answer, advisories }}
              axisIndex={index}
              onOpen={openFromRuler}
            />
          ),
      )}
      <AdvisoryList {...{ api, answer, advisories }} {...openings} />
    </>
  );
}

function CopyAs({ answer: { query, explanation }, api, settings }: ResultProps) {
  const osv = mountOf(settings, 'osv');
  const commands = commandsFor({
    query,
    updateTo: explanation.advisories.some(({ applies }) => applies) ? explanation.update_to : null,
    address: (path) => api.address(path),
    osvQuery: osv === undefined ? undefined : new URL(`${osv}/v1/query`.slice(1), api.base),
    page: new URL(`console/${fragment(query)}`, api.base).href,
  });
  return (
    <details>
      <summary>Copy as</summary>
      <ul class="commands">
        {commands.map(({ label, text }) => (
          <li key={label}>
            <span class="soft">{label}</span>
            <code>{text}</code>
            <CopyButton text={text}>{`Copy ${label}`}</CopyButton>
          </li>
        ))}
      </ul>
    </details>
  );
}
