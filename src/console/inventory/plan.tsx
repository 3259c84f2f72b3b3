// The smallest set of updates, for people and as commands.

import { useMemo, useState } from 'preact/hooks';
import type { Package, Updater } from '../../inventory/inventory.ts';
import type { Api } from '../app/api.ts';
import { useResource } from '../app/use-resource.ts';
import type { Explanation } from '../lookup/answers.ts';
import { explainPath } from '../lookup/query.ts';
import { Fewest } from '../lookup/verdict.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { MajorMark } from '../parts/major-mark.tsx';
import { SeverityBadge } from '../parts/severity.tsx';
import { count, counted } from '../parts/words.ts';
import { commandsFor } from './commands.ts';
import type { Row } from './findings.ts';
import { planUpdates } from './updates.ts';

const FIRST = 8;
const SHOWN = 100;
const MAX_LINES = 10;
const LINE_CHARS = 100; // as wide as the page gets

interface PlanProps {
  readonly api: Api;
  readonly rows: readonly Row[];
  readonly updater: Updater;
}

export function PlanPanel({ api, rows, updater }: PlanProps) {
  const plan = useMemo(() => planUpdates(rows), [rows]);
  const commands = useMemo(() => commandsFor(plan, updater), [plan, updater]);
  const [limit, setLimit] = useState(FIRST);
  const { updates, stuck } = plan;
  const knowsDirect = updates.every(({ steps }) => steps.every(({ pack }) => pack.direct !== null));
  return (
    <section class="panel" aria-labelledby="plan-title">
      <h2 id="plan-title">The smallest set of updates</h2>
      {updates.length > 0 && (
        <>
          <p class="soft">
            {counted(updates.length, 'product')}, each to the lowest version that no known advisory applies
            to.
          </p>
          <ol class="updates">
            {updates.slice(0, limit).map(({ type, name, steps, severity, advisoryCount }) => (
              <li key={`${type} ${name}`}>
                <span class="mono">{name}</span>{' '}
                {steps.map(({ pack, to }) => (
                  <span key={pack.version} class="step mono">
                    {pack.version} → <strong>{to}</strong>
                    <MajorMark {...pack} to={to} />
                  </span>
                ))}{' '}
                <SeverityBadge severity={severity} />{' '}
                <span class="soft">{counted(advisoryCount, 'advisory', 'advisories')}</span>
              </li>
            ))}
          </ol>
          {updates.length > limit && (
            <button type="button" class="quiet" onClick={() => setLimit(updates.length)}>
              Show all {count(updates.length)}
            </button>
          )}
        </>
      )}
      {commands.lines.length > 0 && <Snippet title="Commands" text={commands.lines.join('\n')} />}
      {commands.remarks.map((remark) => (
        <p key={remark} class="soft">
          {remark}
        </p>
      ))}
      {commands.overrides !== undefined && (
        <>
          <Snippet
            title={`For packages that others bring in, in ${commands.overrides.file}`}
            text={commands.overrides.text}
          />
          <p class="soft">
            Run the commands first, add this to the file, and install again
            {commands.overrides.hint !== undefined && ` (${commands.overrides.hint})`}.
          </p>
          {!knowsDirect && (
            <p class="soft">
              This inventory does not say which packages the project itself declares: change their ranges
              there instead.
            </p>
          )}
        </>
      )}
      {commands.leftOut.length > 0 && (
        <details>
          <summary>{counted(commands.leftOut.length, 'update')} to do by hand</summary>
          <ul class="notes">
            {commands.leftOut.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </details>
      )}
      {stuck.length > 0 && (
        <details open={updates.length === 0}>
          <summary>{counted(stuck.length, 'package')} that no update clears</summary>
          <ul class="notes">
            {stuck.slice(0, SHOWN).map(({ pack, severity, reason }, index) => (
              <li key={`${pack.type} ${pack.name} ${pack.version}`}>
                <span class="mono">
                  {pack.name} {pack.version}
                </span>{' '}
                <SeverityBadge severity={severity} /> {reason}.{' '}
                {index < FIRST && <BestOf api={api} pack={pack} />}
              </li>
            ))}
          </ul>
          {stuck.length > SHOWN && <p class="soft">And {stuck.length - SHOWN} more, in the table.</p>}
        </details>
      )}
    </section>
  );
}

/** The version that leaves the fewest advisories, once the server has said it. */
function BestOf({ api, pack }: { readonly api: Api; readonly pack: Package }) {
  const { value } = useResource((signal) => api.get<Explanation>(explainPath(pack), signal), []);
  return value === undefined ? null : <Fewest explanation={value} />;
}

function Snippet({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <div class="snippet">
      <div class="snippet-head">
        <h3>{title}</h3>
        <CopyButton text={text}>Copy</CopyButton>
      </div>
      {/* A field scrolls by keyboard, and its text can be selected as a whole. */}
      <textarea
        class="mono"
        readOnly
        spellcheck={false}
        aria-label={title}
        rows={Math.min(MAX_LINES, linesOf(text))}
        value={text}
      />
    </div>
  );
}

function linesOf(text: string): number {
  return text.split('\n').reduce((sum, line) => sum + Math.ceil(line.length / LINE_CHARS), 1);
}
