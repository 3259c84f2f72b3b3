// POST /api/v3/component-report: a report for each coordinate, in the order of the request. Clients know no
// error of one coordinate, and read a report without vulnerabilities as clean. They show nothing of a refusal
// but its status, and one version that nobody can read would cost a whole project its audit. So such a
// version counts as any version: every advisory of the package is listed, and nothing is missed. What was not
// checked is told in the report's description and in headers.

import type { HandlerContext } from '../../http/context.ts';
import type { ReplyHeader } from '../../http/replies/reply-headers.ts';
import { type Answer, json } from '../../http/replies/responses.ts';
import type { Admit, PathParts } from '../../http/routing/dialect.ts';
import type { Steps } from '../../http/work/steps.ts';
import { WriterFullError } from '../../index/memory/byte-writer.ts';
import { MAX_OUTPUT_BYTES } from '../batch-request.ts';
import { etags } from '../etags.ts';
import { UNREAD_VERSIONS } from '../lookup-headers.ts';
import { Matcher, type PackageQuery } from '../osv/matcher.ts';
import { Notes } from '../osv/notes.ts';
import { uriOf } from '../osv/uri.ts';
import { slugHeader } from '../slug-header.ts';
import { type Coordinate, readCoordinates } from './coordinates.ts';
import { answerTooLarge } from './problems.ts';
import { VulnerabilityWriter } from './vulnerability.ts';

export function* handleReport(
  _query: string,
  _: PathParts,
  body: Uint8Array,
  context: HandlerContext,
  admit: Admit,
): Steps<Answer> {
  const read = yield* readCoordinates(body);
  if (read.kind === 'problem') return read;
  const refusal = admit(read.list.length);
  if (refusal !== undefined) return refusal;
  const { out } = context.memory;
  out.restart();
  out.limitTo(MAX_OUTPUT_BYTES);
  const reports = new Reports(context);
  try {
    out.text('[');
    for (const [i, coordinate] of read.list.entries()) {
      if (i > 0) out.text(',');
      yield* reports.write(coordinate);
      yield;
      // A buffer that an earlier answer has grown takes more.
      if (out.length > MAX_OUTPUT_BYTES) throw new WriterFullError(MAX_OUTPUT_BYTES);
    }
    out.text(']');
  } catch (error) {
    if (!(error instanceof WriterFullError)) throw error;
    return answerTooLarge();
  }
  return json(out.view(), etags.ossIndex(context.generation), reports.headers());
}

/** The reports of one request, one after the other. */
class Reports {
  readonly #context: HandlerContext;
  readonly #matcher: Matcher;
  readonly #vulnerabilities: VulnerabilityWriter;
  readonly #notes = new Notes();
  /** Purls whose version counted as any. */
  readonly #unread: string[] = [];

  constructor(context: HandlerContext) {
    this.#context = context;
    this.#matcher = new Matcher(context);
    this.#vulnerabilities = new VulnerabilityWriter(context);
  }

  *write(coordinate: Coordinate): Steps<void> {
    const { out } = this.#context.memory;
    out.text('{"coordinates":');
    out.jsonText(coordinate.purl);
    out.text(',"description":');
    out.jsonText(
      coordinate.kind === 'package'
        ? this.#find(coordinate.purl, coordinate.query)
        : this.#notHeld(coordinate.about),
    );
    out.text(',"reference":');
    // Dependency-Check fails over a report without one. The purl is a URI, and leads to no foreign page.
    out.jsonText(uriOf(Buffer.from(coordinate.purl).toString()) ?? '');
    out.text(',"vulnerabilities":[');
    if (coordinate.kind === 'package') yield* this.#writeFound();
    out.text(']}');
  }

  *#writeFound(): Steps<void> {
    const { out } = this.#context.memory;
    let isFirst = true;
    while (this.#matcher.next()) {
      if (!isFirst) out.text(',');
      isFirst = false;
      this.#vulnerabilities.write(this.#matcher.ordinal, this.#matcher.head);
      yield;
    }
  }

  #notHeld(about: string): string {
    this.#notes.addEcosystem(about);
    return `Not checked: this server knows nothing about packages of the type ${about}.`;
  }

  /** Begins the list of what a package is affected by. Returns what is to be said about it. */
  #find(purl: string, query: PackageQuery): string {
    this.#notes.addIgnored(query.ignored);
    this.#matcher.find(query);
    const missing = query.ecosystems.filter((ecosystem) => this.#matcher.withoutData.has(ecosystem));
    if (missing.length > 0) return `Not checked: there is no advisory about ${missing.join(', ')} at all.`;
    if (query.version === '') return 'Without a version, every advisory of the package is listed.';
    if (!this.#matcher.hasUnread) return '';
    this.#unread.push(purl);
    this.#matcher.find({ ...query, version: '' });
    return 'The version cannot be read, so every advisory of the package is listed.';
  }

  headers(): readonly ReplyHeader[] {
    this.#notes.addSlugs(this.#matcher.ambiguous);
    this.#notes.addVersionParts(this.#matcher.ignoredParts);
    for (const ecosystem of this.#matcher.withoutData) this.#notes.addEcosystem(ecosystem);
    return [...this.#notes.headers(), ...slugHeader(UNREAD_VERSIONS, this.#unread)];
  }
}
