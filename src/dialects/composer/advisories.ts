// POST /api/security-advisories/: names in a form, answered with all advisories of each. Composer warns about
// a name that it did not ask for, so each is answered as it was sent, and once. GET takes the form as query.
//
// Packagist also takes `updatedSince`, a time, and answers what changed since. Here times are those of the
// sources, and a record may arrive later than its own: who asked so would miss it.

import type { HandlerContext } from '../../http/context.ts';
import { isCurrent } from '../../http/replies/etag.ts';
import type { Answer } from '../../http/replies/responses.ts';
import type { Admit, KeptRequest, PathParts } from '../../http/routing/dialect.ts';
import type { Steps } from '../../http/work/steps.ts';
import { etags } from '../etags.ts';
import { tooManyPackages } from './limits.ts';
import { type ReadNames, readForm, readNames } from './names-form.ts';
import { type AnswerForm, answerAbout } from './packages.ts';
import { problem } from './problems.ts';

const UPDATES = { kind: 'updates' } as const;
const NO_UPDATES =
  'updatedSince is not supported: a record can arrive here later than its own time. Name packages instead, or ask ' +
  '/changes?platform=composer for what changed between two snapshots.';

export function* handleAdvisories(
  query: string,
  _: PathParts,
  body: Uint8Array,
  context: HandlerContext,
  admit: Admit,
): Steps<Answer> {
  return yield* answerTo(asksForUpdates(query) ? UPDATES : readNames(body), context, admit);
}

/** The same question in a query, as scripts ask Packagist. */
export function* handleAdvisoriesOf(
  { query, ifNoneMatch }: KeptRequest,
  _: PathParts,
  context: HandlerContext,
  admit: Admit,
): Steps<Answer> {
  const read = asksForUpdates(query) ? UPDATES : readForm(query);
  const etag = etags.composer(context.generation);
  if (read.kind === 'names' && isCurrent(ifNoneMatch, etag)) return { kind: 'not-modified', etag };
  return yield* answerTo(read, context, admit);
}

function* answerTo(read: ReadNames | typeof UPDATES, context: HandlerContext, admit: Admit): Steps<Answer> {
  switch (read.kind) {
    case 'updates':
      return problem('unsupported_parameter', NO_UPDATES);
    case 'too-many':
      return tooManyPackages();
    case 'bad':
      return problem('invalid_body', read.detail);
    case 'names':
      yield;
      return admit(read.names.size) ?? (yield* answerAbout(context, read.names, formFor(context)));
  }
}

function asksForUpdates(query: string): boolean {
  return query !== '' && new URLSearchParams(query).has('updatedSince');
}

function formFor({ memory: { out } }: HandlerContext): AnswerForm {
  return {
    open: '{"advisories":{',
    close: '}',
    write(entries, name, ordinals, isFirst) {
      if (!isFirst) out.text(',');
      out.jsonText(name);
      ordinals.forEach((ordinal, i) => {
        out.text(i === 0 ? ':[' : ',');
        entries.writeAdvisory(ordinal);
      });
      out.text(']');
      return true;
    },
  };
}
