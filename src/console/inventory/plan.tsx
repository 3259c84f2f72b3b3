// The smallest set of updates, for people and as commands.

import { useMemo, useState } from 'preact/hooks';
import { CopyButton } from '../parts/copy-button.tsx';
import { MajorMark } from '../parts/major-mark.tsx';
import { isMajorJump } from '../parts/npm-range.ts';
import { SeverityBadge } from '../parts/severity.tsx';
import { count, counted } from '../parts/words.ts';
import { commandsFor } from './commands.ts';
import type { Row } from './findings.ts';
import type { Updater } from './inventory.ts';
import { planUpdates, type Update } from './updates.ts';

const FIRST = 8;
const SHOWN = 100;
const MAX_LINES = 10;
const LINE_CHARS = 100; // as wide as the page gets

export function PlanPanel({ rows, updater }: { readonly rows: readonly Row[]; readonly updater: Updater }) {
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
                {[...new Set(steps.map(({ to }) => to))].map((to) => (
                  <span key={to} class="step mono">
                    {versionsTo(to, steps)} → <strong>{to}</strong>
                    {type === 'npm' &&
                      steps.some((step) => step.to === to && isMajorJump(step.pack.version, to)) && (
                        <MajorMark />
                      )}
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
      {commands.overrides !== undefined && (
        <>
          <Snippet
            title={`For packages that others bring in, in ${commands.overrides.file}`}
            text={commands.overrides.text}
          />
          <p class="soft">
            Run the commands above first, add this to what the file has, and install again. It changes the
            affected copies only.
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
            {stuck.slice(0, SHOWN).map(({ pack, severity, reason }) => (
              <li key={`${pack.type} ${pack.name} ${pack.version}`}>
                <span class="mono">
                  {pack.name} {pack.version}
                </span>{' '}
                <SeverityBadge severity={severity} /> {reason}
              </li>
            ))}
          </ul>
          {stuck.length > SHOWN && <p class="soft">And {stuck.length - SHOWN} more, in the table.</p>}
        </details>
      )}
    </section>
  );
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

function versionsTo(target: string, steps: Update['steps']): string {
  return steps.flatMap(({ pack, to }) => (to === target ? pack.version : [])).join(', ');
}

function linesOf(text: string): number {
  return text.split('\n').reduce((sum, line) => sum + Math.ceil(line.length / LINE_CHARS), 1);
}
