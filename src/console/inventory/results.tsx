// What became of an inventory: how far the asking is, what was found, what was left out, and the ways on from
// here.

import { useEffect, useState } from 'preact/hooks';
import { countOpen, type Note } from '../../inventory/inventory.ts';
import type { Api } from '../app/api.ts';
import { Notice } from '../parts/notice.tsx';
import { SeverityBadge } from '../parts/severity.tsx';
import { SEVERITIES } from '../parts/severity-scale.ts';
import { count, counted, duration } from '../parts/words.ts';
import { Exports } from './exports.tsx';
import { type Counts, countRows, isOpen } from './findings.ts';
import { PlanPanel } from './plan.tsx';
import type { Session, State } from './session.ts';
import { RowTable } from './table.tsx';

/** What a list that names neither may be of. */
const LISTED = { plugin: 'plugins', theme: 'themes' } as const;

type ReadState = Extract<State, { kind: 'read' }>;

interface ResultsProps {
  readonly api: Api;
  readonly session: Session;
  readonly state: ReadState;
  readonly revision: number;
  readonly version: string;
}

export function Results({ api, session, state, revision, version }: ResultsProps) {
  const { fileName, inventory, rows, asking } = state;
  const counts = countRows(rows);
  const isAsking = asking.kind === 'asking';
  const open = countOpen(inventory.notes);
  return (
    <>
      <section class="panel" aria-label="Summary">
        <p>
          <strong>{counted(rows.length + open, 'entry', 'entries')}</strong> in{' '}
          {fileName || 'the pasted text'} <span class="soft">({inventory.format})</span>: {count(rows.length)}{' '}
          to look up, {open > 0 ? <strong class="high">{count(open)} not</strong> : '0 not'}
        </p>
        <Verdict counts={counts} total={rows.length} open={open} isAsking={isAsking} />
        <Progress state={state} counts={counts} />
        <div class="actions">
          {isAsking && (
            <button type="button" onClick={() => session.cancel()}>
              Cancel
            </button>
          )}
          {!isAsking && rows.some(isOpen) && (
            <button
              type="button"
              class="main-action"
              onClick={() => void session.askAgain(revision, 'missing')}
            >
              Ask for the rest
            </button>
          )}
          <button type="button" onClick={() => session.forget()}>
            Another inventory
          </button>
          <span class="soft">or drop it here</span>
          {inventory.isEitherList && (
            <label class="inline">
              This is a list of
              <select
                value={inventory.packages[0]?.type}
                onChange={({ currentTarget }) =>
                  void session.retype(currentTarget.value as keyof typeof LISTED, revision)
                }
              >
                {Object.entries(LISTED).map(([type, title]) => (
                  <option key={type} value={type}>
                    {title}
                  </option>
                ))}
              </select>
            </label>
          )}
        </div>
        <Notes notes={inventory.notes} />
      </section>
      {!isAsking && revision !== state.revision && (
        <Notice kind="info" title="The server may know more by now">
          Its data, or your key, has changed since these answers.{' '}
          <button type="button" class="quiet" onClick={() => void session.askAgain(revision, 'all')}>
            Ask again
          </button>
        </Notice>
      )}
      {!isAsking && counts.affected > 0 && <PlanPanel api={api} rows={rows} updater={inventory.updater} />}
      {rows.length > 0 && <RowTable rows={rows} />}
      {rows.length > 0 && !isAsking && (
        <Exports report={{ fileName, format: inventory.format, version, rows, notes: inventory.notes }} />
      )}
    </>
  );
}

interface VerdictProps {
  readonly counts: Counts;
  readonly total: number;
  /** Entries that cannot be looked up. */
  readonly open: number;
  readonly isAsking: boolean;
}

function Verdict({ counts, total, open, isAsking }: VerdictProps) {
  if (total === 0) {
    return (
      <Notice kind="warning" title="No package to ask about">
        The format was recognised, but nothing in it can be looked up.
      </Notice>
    );
  }
  if (counts.affected === 0) {
    const isComplete = !isAsking && counts.waiting + counts.failed === 0;
    return isComplete ? (
      <p class={open > 0 ? 'verdict' : 'verdict verdict-clear'}>
        No known vulnerability applies to {open > 0 ? 'those that were looked up' : 'any of them'}.
      </p>
    ) : (
      <p class="verdict">Nothing found so far.</p>
    );
  }
  return (
    <p class={`verdict verdict-${SEVERITIES.find((severity) => counts.severities[severity] !== undefined)}`}>
      <strong>{count(counts.affected)} affected</strong>
      {SEVERITIES.map((severity) => {
        const number = counts.severities[severity];
        return (
          number !== undefined && (
            <span key={severity} class="tally">
              {count(number)} <SeverityBadge severity={severity} />
            </span>
          )
        );
      })}
    </p>
  );
}

/** How often a screen reader hears of progress. */
const QUARTERS = 4;

function Progress({ state, counts }: { readonly state: ReadState; readonly counts: Counts }) {
  const { asking, rows } = state;
  const asked = rows.length - counts.waiting;
  const quarter = rows.length === 0 ? QUARTERS : Math.floor((asked / rows.length) * QUARTERS);
  return (
    <>
      {asking.kind === 'asking' && (
        <p class="progress">
          <progress max={rows.length} value={asked} aria-label="Packages asked about" />
          <span class="soft">
            {count(asked)} of {count(rows.length)}
          </span>
        </p>
      )}
      {asking.kind === 'asking' && asking.waiting !== undefined && (
        <Notice kind="warning" title="The server asks to wait">
          {asking.waiting.why} Continuing in{' '}
          <Countdown key={asking.waiting} seconds={asking.waiting.seconds} />.
        </Notice>
      )}
      {asking.kind === 'stopped' && (
        <Notice kind="warning" title={`Stopped after ${count(asked)} of ${counted(rows.length, 'package')}`}>
          {asking.why}
        </Notice>
      )}
      {asking.kind !== 'asking' && counts.failed > 0 && (
        <Notice kind="warning" title={`${counted(counts.failed, 'package')} without an answer`}>
          The table says why. A version that is not one under the rules of its type cannot be compared.
        </Notice>
      )}
      <p class="hidden" role="status">
        {asking.kind === 'asking'
          ? `${quarter * 25} percent of ${counted(rows.length, 'package')} asked.`
          : `${counts.affected} of ${counted(rows.length, 'package')} affected.`}
      </p>
    </>
  );
}

function Countdown({ seconds }: { readonly seconds: number }) {
  const [left, setLeft] = useState(seconds);
  useEffect(() => {
    const timer = setInterval(() => setLeft((now) => Math.max(0, now - 1)), 1_000);
    return () => clearInterval(timer);
  }, []);
  return <span aria-live="off">{duration(left)}</span>;
}

function Notes({ notes }: { readonly notes: readonly Note[] }) {
  const remarks = notes.filter((note) => note.count === 0);
  return (
    <>
      {remarks.map(({ reason }) => (
        <p key={reason} class="soft remark">
          {reason}
        </p>
      ))}
      <NoteList title="not looked up" isOpen notes={notes.filter(({ isOpen }) => isOpen)} />
      <NoteList title="left out" notes={notes.filter(({ isOpen, count }) => !isOpen && count > 0)} />
    </>
  );
}

interface NoteListProps {
  readonly title: string;
  readonly notes: readonly Note[];
  /** Unfolded, and coloured: what it says must not be missed. */
  readonly isOpen?: boolean;
}

function NoteList({ title, notes, isOpen = false }: NoteListProps) {
  const left = notes.reduce((sum, note) => sum + note.count, 0);
  if (left === 0) return null;
  return (
    <details open={isOpen} class={isOpen ? 'notice warning' : undefined}>
      <summary>
        {counted(left, 'entry', 'entries')} {title}
      </summary>
      <ul class="notes">
        {notes.map(({ reason, count: number, examples }) => (
          <li key={reason}>
            {count(number)} × {reason}: <span class="mono">{examples.join(', ')}</span>
            {number > examples.length && ', …'}
          </li>
        ))}
      </ul>
    </details>
  );
}
