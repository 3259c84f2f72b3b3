// POST /-/npm/v1/security/advisories/bulk: names with their versions, answered with the advisories that apply
// to at least one of them. The answer names vulnerable packages only, in the order of the request. A text
// that is not a version is not an error: a tree may have odd dependencies.

import type { HandlerContext } from '../../http/context.ts';
import { type Answer, json } from '../../http/replies/responses.ts';
import type { Admit, PathParts } from '../../http/routing/dialect.ts';
import type { Steps } from '../../http/work/steps.ts';
import type { AnswerBuffer } from '../../index/memory/answer-buffer.ts';
import { WriterFullError } from '../../index/memory/byte-writer.ts';
import { etags } from '../etags.ts';
import { writeAdvisory } from './advisory.ts';
import { answerTooLarge, MAX_OUTPUT_BYTES, tooManyPackages } from './body.ts';
import { type Packages, type ReadBulk, readBulk } from './bulk-body.ts';
import { affectedPrereleases } from './prereleases.ts';
import { problem } from './problems.ts';
import { Verdicts } from './verdicts.ts';

/** Looked up without a pause. */
const NAMES_AT_ONCE = 1_024;

export function* handleBulk(
  _: string,
  __: PathParts,
  body: Uint8Array,
  context: HandlerContext,
  admit: Admit,
): Steps<Answer> {
  const read = yield* readBulk(body);
  if (read.kind !== 'packages') return refusalOf(read);
  const { packages } = read;
  const refusal = admit(packages.nameCount);
  if (refusal !== undefined) return refusal;
  const { out } = context.memory;
  out.restart();
  out.limitTo(MAX_OUTPUT_BYTES);
  const verdicts = new Verdicts(context.generation, context.memory);
  try {
    yield* writeAnswer(out, context, packages, verdicts);
  } catch (error) {
    if (error instanceof WriterFullError) return answerTooLarge();
    throw error;
  }
  // A buffer that an earlier answer has grown does not refuse.
  return out.length > MAX_OUTPUT_BYTES
    ? answerTooLarge()
    : json(out.view(), etags.npmAudit(context.generation), verdicts.headers());
}

function refusalOf(read: Exclude<ReadBulk, { readonly kind: 'packages' }>): Answer {
  switch (read.kind) {
    case 'not-json':
      return problem(
        'invalid_body',
        'The body must be a JSON object in UTF-8: names of packages with their versions.',
      );
    case 'not-versions':
      return problem(
        'invalid_body',
        `The versions of ${JSON.stringify(read.name.slice(0, 256))} must be a list.`,
      );
    case 'too-many':
      return tooManyPackages(read.what);
  }
}

/** Stops when the answer is too large. */
function* writeAnswer(
  out: AnswerBuffer,
  { generation, memory }: HandlerContext,
  packages: Packages,
  verdicts: Verdicts,
): Steps<void> {
  // Most names end here. Of equal ones the last is meant, in the place of the first.
  const known = new Map<string, number>();
  for (let index = 0; index < packages.nameCount; index++) {
    if (packages.isKnownAt(index, verdicts)) known.set(packages.nameAt(index), index);
    if (index % NAMES_AT_ONCE === 0) yield;
  }
  let separator = '{';
  for (const [name, index] of known) {
    const versions = packages.versionsAt(index);
    yield;
    const ordinals = yield* verdicts.ofAny(name, versions);
    if (ordinals.length === 0) continue;
    const prereleases = affectedPrereleases(verdicts, name, versions);
    out.text(separator);
    out.jsonText(name);
    out.text(':[');
    for (const [i, ordinal] of ordinals.entries()) {
      if (i > 0) out.text(',');
      writeAdvisory(memory, generation, ordinal, prereleases.get(ordinal));
      yield;
    }
    out.text(']');
    if (out.length > MAX_OUTPUT_BYTES) return;
    separator = ',';
  }
  out.text(separator === '{' ? '{}' : '}');
}
