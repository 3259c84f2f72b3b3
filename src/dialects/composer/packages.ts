// The packages of one question: which are known, and what is said of those that cannot be looked up.

import type { HandlerContext } from '../../http/context.ts';
import type { ReplyHeader } from '../../http/replies/reply-headers.ts';
import { type Answer, json } from '../../http/replies/responses.ts';
import type { Steps } from '../../http/work/steps.ts';
import type { Generation } from '../../index/generation.ts';
import { WriterFullError } from '../../index/memory/byte-writer.ts';
import { etags } from '../etags.ts';
import { withoutData } from '../lookup-headers.ts';
import { MAX_NAME_BYTES } from '../path-part.ts';
import { slugHeader } from '../slug-header.ts';
import { EntryWriter } from './entry.ts';
import { answerTooLarge, MAX_OUTPUT_BYTES } from './limits.ts';

/** What was asked about and is not the name of a package. */
const UNREAD_NAMES = 'Vulndex-Unread-Names';

const TYPE = 'composer';
const NAME = /^[^\s/]+\/[^\s/]+$/;
/** Of PHP itself, its extensions and libraries: Composer asks about them, and they are not packages. */
const PLATFORM = /^(?:php|hhvm|composer)(?:-[\w-]+)?$|^(?:ext|lib)-/i;
/** Looked up without a pause. */
const NAMES_AT_ONCE = 512;

const NO_DATA = 'This server has no advisories of Composer packages: nothing was checked.';

/** The body of an answer: `open`, what `write` appends for each known package, `close`, then warnings. */
export interface AnswerForm {
  readonly open: string;
  readonly close: string;
  /** Appends what there is about a package; `isFirst` until something was appended, which it returns. */
  write(entries: EntryWriter, name: string, ordinals: Uint32Array, isFirst: boolean): boolean;
}

/** Requires: each name once. */
export function* answerAbout(
  { generation, memory }: HandlerContext,
  names: Iterable<string>,
  form: AnswerForm,
  warnings: readonly string[] = [],
  headers: readonly ReplyHeader[] = [],
): Steps<Answer> {
  const { out } = memory;
  const entries = new EntryWriter({ generation, memory });
  const unread: string[] = [];
  let isFirst = true;
  let looked = 0;
  out.restart();
  out.limitTo(MAX_OUTPUT_BYTES);
  try {
    out.text(form.open);
    for (const name of names) {
      if (++looked % NAMES_AT_ONCE === 0) yield;
      if (!NAME.test(name) && !PLATFORM.test(name)) unread.push(name);
      const ordinals = advisoriesOf(generation, name);
      if (ordinals === undefined) continue;
      if (form.write(entries, name, ordinals, isFirst)) isFirst = false;
      yield;
    }
    out.text(form.close);
    const missing = withoutData(generation, [TYPE]);
    const said = missing.length === 0 ? warnings : [NO_DATA, ...warnings];
    // As Composer prints them, for every release of it.
    if (said.length > 0) {
      out.text(`,"warnings":${JSON.stringify(said.map((message) => ({ message, versions: '*' })))}`);
    }
    out.text('}');
    if (out.length > MAX_OUTPUT_BYTES) return answerTooLarge();
    return json(out.view(), etags.composer(generation), [
      ...missing,
      ...slugHeader(UNREAD_NAMES, unread),
      ...headers,
    ]);
  } catch (error) {
    if (error instanceof WriterFullError) return answerTooLarge();
    throw error;
  }
}

/** Undefined for none. */
function advisoriesOf(generation: Generation, name: string): Uint32Array | undefined {
  if (name.length > MAX_NAME_BYTES) return undefined;
  const product = generation.findProduct(TYPE, name);
  if (product === undefined) return undefined;
  const ordinals = generation.advisoriesOf(product);
  return ordinals.length === 0 ? undefined : ordinals;
}
