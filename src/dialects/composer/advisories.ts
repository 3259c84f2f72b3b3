// POST /api/security-advisories/: names in a form, answered with all advisories of each. Composer warns about
// a name that it did not ask for, so each is answered as it was sent, and once.

import type { AskedProducts } from '../../http/asked-products.ts';
import type { HandlerContext } from '../../http/context.ts';
import type { Admit, PathParts } from '../../http/dialect.ts';
import type { Answer } from '../../http/replies/responses.ts';
import type { Steps } from '../../http/work/steps.ts';
import { addAsked, mayPause } from '../asked-products.ts';
import { tooManyPackages } from './limits.ts';
import { readNames } from './names-form.ts';
import { type AnswerForm, answerAbout } from './packages.ts';
import { problem } from './problems.ts';

export function* handleAdvisories(
  _: string,
  __: PathParts,
  body: Uint8Array,
  context: HandlerContext,
  admit: Admit,
): Steps<Answer> {
  const read = readNames(body);
  if (read.kind === 'too-many') return tooManyPackages();
  if (read.kind === 'bad') return problem('invalid_body', read.detail);
  yield;
  return admit(read.names.size) ?? (yield* answerAbout(context, read.names, formFor(context)));
}

export function* askedByForm(body: Uint8Array, products: AskedProducts): Steps<void> {
  const read = readNames(body);
  if (read.kind !== 'names') return;
  let count = 0;
  for (const name of read.names) {
    addAsked(products, 'composer', name, '');
    if (mayPause(count++)) yield;
  }
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
