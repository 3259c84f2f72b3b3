// POST /-/npm/v1/security/audits/quick and .../audits: a dependency tree, answered with a report. Both are
// retired upstream, and still asked by pnpm 10 and npm 10. Advisories are answered by descending id.

import { isObject, readJson } from '../../http/bodies/json-body.ts';
import type { HandlerContext } from '../../http/context.ts';
import { type Answer, json as jsonAnswer } from '../../http/replies/responses.ts';
import type { Admit, PathParts } from '../../http/routing/dialect.ts';
import type { Steps } from '../../http/work/steps.ts';
import { WriterFullError } from '../../index/memory/byte-writer.ts';
import { etags } from '../etags.ts';
import { answerTooLarge, MAX_OUTPUT_BYTES, tooManyPackages } from './body.ts';
import { problem } from './problems.ts';
import { type Finding, writeReport } from './report.ts';
import { readTree, type Tree } from './tree.ts';
import { Verdicts } from './verdicts.ts';

export function* handleQuick(
  _: string,
  __: PathParts,
  body: Uint8Array,
  context: HandlerContext,
  admit: Admit,
): Steps<Answer> {
  const json = yield* readJson(body);
  if (json.kind === 'too-complex') return tooManyPackages(json.what);
  if (json.kind === 'not-json' || !isObject(json.value)) {
    return problem('invalid_body', 'The body must be a JSON object in UTF-8: a tree of dependencies.');
  }
  const read = yield* readTree(json.value);
  if (read.kind === 'not-a-tree') return problem('invalid_body', read.detail);
  if (read.kind === 'too-large') return tooManyPackages(`send a tree of ${read.what}`);
  const { tree } = read;
  const refusal = admit(tree.packages.size);
  if (refusal !== undefined) return refusal;
  const { out } = context.memory;
  out.restart();
  out.limitTo(MAX_OUTPUT_BYTES);
  const verdicts = new Verdicts(context.generation, context.memory);
  try {
    const findings = yield* findingsIn(tree, verdicts);
    if (!(yield* writeReport(context, tree, findings))) return answerTooLarge();
  } catch (error) {
    if (error instanceof WriterFullError) return answerTooLarge();
    throw error;
  }
  return jsonAnswer(out.view(), etags.npmAudit(context.generation), verdicts.headers());
}

/** What applies to the packages of the tree, by ordinal, ascending. */
function* findingsIn(tree: Tree, verdicts: Verdicts): Steps<ReadonlyMap<number, Finding>> {
  const found = new Map<number, Finding>();
  for (const [name, versions] of tree.packages) {
    yield;
    if (!verdicts.isKnown(name)) continue;
    for (const [version, occurrences] of versions) {
      yield;
      for (const ordinal of verdicts.of(name, version)) {
        const finding = found.get(ordinal);
        if (finding === undefined) found.set(ordinal, { name, versions: [{ version, occurrences }] });
        else finding.versions.push({ version, occurrences });
      }
    }
  }
  return new Map([...found].sort(([a], [b]) => a - b));
}
