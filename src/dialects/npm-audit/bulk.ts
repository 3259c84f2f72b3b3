// POST /-/npm/v1/security/advisories/bulk: names with their versions, answered with the advisories that apply to at least
// one of them. The answer names vulnerable packages only, in the order in which JSON.parse lists the names: as sent, after
// names that are whole numbers.

import type { HandlerContext } from '../../http/context.ts';
import { type Admit, MAX_BODY_ITEMS, type PathParts } from '../../http/dialect.ts';
import { type Answer, json } from '../../http/responses.ts';
import type { AnswerBuffer } from '../../index/memory/answer-buffer.ts';
import { WriterFullError } from '../../index/memory/byte-writer.ts';
import { writeAdvisory } from './advisory.ts';
import {
  answerTooLarge,
  type JsonObject,
  MAX_NAMES,
  MAX_OUTPUT_BYTES,
  MAX_VERSIONS,
  readObject,
  tooManyNames,
  tooManyVersions,
} from './body.ts';
import { etagOf } from './etag.ts';
import { affectedPrereleases } from './prereleases.ts';
import { problem } from './problems.ts';
import { Verdicts } from './verdicts.ts';

export function handleBulk(
  _: string,
  __: PathParts,
  body: Uint8Array,
  context: HandlerContext,
  admit: Admit,
): Answer {
  const asked = readObject(body);
  if (asked === undefined) {
    return problem(
      'invalid_body',
      'The body must be a JSON object in UTF-8: names of packages with their versions.',
    );
  }
  const names = Object.keys(asked);
  const refusal = refusalOf(asked, names) ?? admit(Math.min(names.length, MAX_BODY_ITEMS));
  if (refusal !== undefined) return refusal;
  const { out } = context.memory;
  out.restart();
  out.limitTo(MAX_OUTPUT_BYTES);
  try {
    writeAnswer(out, context, asked, names);
  } catch (error) {
    if (error instanceof WriterFullError) return answerTooLarge();
    throw error;
  }
  // A buffer that an earlier answer has grown does not refuse.
  return out.length > MAX_OUTPUT_BYTES ? answerTooLarge() : json(out.view(), etagOf(context.generation));
}

/** What is wrong with the question as a whole. Texts that are not versions are not: a tree may have odd dependencies. */
function refusalOf(asked: JsonObject, names: readonly string[]): Answer | undefined {
  if (names.length > MAX_NAMES) return tooManyNames(names.length);
  let count = 0;
  for (const name of names) {
    const versions = asked[name];
    if (!Array.isArray(versions)) {
      return problem('invalid_body', `The versions of ${JSON.stringify(name.slice(0, 256))} must be a list.`);
    }
    count += versions.length;
  }
  return count > MAX_VERSIONS ? tooManyVersions() : undefined;
}

/** Stops when the answer is too large. */
function writeAnswer(
  out: AnswerBuffer,
  { generation, memory }: HandlerContext,
  asked: JsonObject,
  names: readonly string[],
): void {
  const verdicts = new Verdicts(generation, memory);
  let separator = '{';
  for (const name of names) {
    const versions = asked[name] as readonly unknown[]; // refusalOf has seen that it is a list
    const ordinals = verdicts.ofAny(name, versions);
    if (ordinals.length === 0) continue;
    const prereleases = affectedPrereleases(verdicts, name, versions);
    out.text(separator);
    out.jsonText(name);
    out.text(':[');
    ordinals.forEach((ordinal, i) => {
      if (i > 0) out.text(',');
      writeAdvisory(memory, generation, ordinal, prereleases.get(ordinal));
    });
    out.text(']');
    if (out.length > MAX_OUTPUT_BYTES) return;
    separator = ',';
  }
  out.text(separator === '{' ? '{}' : '}');
}
