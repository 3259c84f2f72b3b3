// POST /api/filter: purls and the names of lists, answered with the entries of these lists. There is one
// list, of malware, which Composer 2.10 blocks at `install` too. Another one is named as unknown: an empty
// answer would say that nothing is on it.

import { isObject, readJson } from '../../http/bodies/json-body.ts';
import type { HandlerContext } from '../../http/context.ts';
import type { Answer } from '../../http/replies/responses.ts';
import type { Admit, PathParts } from '../../http/routing/dialect.ts';
import type { Steps } from '../../http/work/steps.ts';
import { parsePurl } from '../../index/parse-purl.ts';
import { listOf, slugHeader } from '../slug-header.ts';
import { MAX_NAMES, tooManyPackages } from './limits.ts';
import { type AnswerForm, answerAbout } from './packages.ts';
import { problem } from './problems.ts';

export const MALWARE = 'malware';
const UNKNOWN_LISTS = 'Vulndex-Unknown-Lists';

const MAX_LISTS = 100;
const NO_QUESTION =
  'The body must be a JSON object in UTF-8: {"packages": ["pkg://composer/vendor/package"], "lists": ["malware"]}.';

interface Question {
  readonly kind: 'question';
  /** Each once; a purl that is not of Composer is as it was sent, which is the name of no package. */
  readonly names: ReadonlySet<string>;
  readonly lists: readonly string[];
}

type ReadQuestion =
  | Question
  | { readonly kind: 'bad'; readonly detail: string }
  | { readonly kind: 'too-many' };

const BAD: ReadQuestion = { kind: 'bad', detail: NO_QUESTION };

export function* handleFilter(
  _: string,
  __: PathParts,
  body: Uint8Array,
  context: HandlerContext,
  admit: Admit,
): Steps<Answer> {
  const read = yield* readQuestion(body);
  if (read.kind === 'too-many') return tooManyPackages();
  if (read.kind === 'bad') return problem('invalid_body', read.detail);
  const refusal = admit(read.names.size);
  if (refusal !== undefined) return refusal;
  const unknown = read.lists.filter((list) => list !== MALWARE);
  const warnings =
    unknown.length === 0 ? [] : [`This server has no list of these names: ${listOf(unknown, encodeURI)}.`];
  const isAsked = read.lists.includes(MALWARE);
  const form = isAsked ? formFor(context) : NO_LIST;
  return yield* answerAbout(context, read.names, form, warnings, slugHeader(UNKNOWN_LISTS, unknown));
}

function* readQuestion(body: Uint8Array): Steps<ReadQuestion> {
  const read = yield* readJson(body);
  if (read.kind !== 'json' || !isObject(read.value)) return BAD;
  const { packages, lists = [MALWARE] } = read.value;
  if (!isTexts(packages) || !isTexts(lists) || lists.length === 0 || lists.length > MAX_LISTS) return BAD;
  if (packages.length > MAX_NAMES) return { kind: 'too-many' };
  return { kind: 'question', names: new Set(packages.map(nameIn)), lists: [...new Set(lists)] };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function nameIn(text: string): string {
  const purl = parsePurl(text);
  return purl.kind === 'held' && purl.platform.purlType === 'composer' ? purl.name : text;
}

const NO_LIST: AnswerForm = { open: '{"filter":{', close: '}', write: () => false };

function formFor({ memory: { out } }: HandlerContext): AnswerForm {
  return {
    open: `{"filter":{"${MALWARE}":[`,
    close: ']}',
    write(entries, _, ordinals, isFirst) {
      let isNext = !isFirst;
      for (const ordinal of ordinals) {
        if (!entries.isMalware(ordinal)) continue;
        if (isNext) out.text(',');
        entries.writeMalware(ordinal);
        isNext = true;
      }
      return isNext;
    },
  };
}
