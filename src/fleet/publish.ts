// Publishes a snapshot for a fleet: what the manifest names first, then its signature, then the manifest, so
// that no replica ever sees a name without its object. The sequence is one above all that were published. Of
// two publishers at once one wins, where the store checks conditions; elsewhere that is said.

import { createHash } from 'node:crypto';
import { MANIFEST_NAME, type Manifest, parseManifest, signatureName, writeManifest } from './manifest.ts';
import { signManifest } from './manifest-signature.ts';
import { ManifestError } from './members.ts';
import { end } from './objects/body.ts';
import { type ObjectContent, ObjectError, type ObjectTarget, type PutCondition } from './objects/objects.ts';
import {
  filesOf,
  nextManifest,
  type Publication,
  type PublishContext,
  PublishError,
  type PublishPlan,
  type ToUpload,
} from './publication.ts';
import { bytesOf, FOR_EVER, historyName, historyOf, type Keeping, removeOld } from './published.ts';

const ALWAYS_ASK = 'no-cache';
/** The ETag of no object. */
const NO_ETAG = '"0"';

/** Throws PublishError, ObjectError, ManifestError. */
export async function publish(
  target: ObjectTarget,
  plan: PublishPlan,
  context: PublishContext,
): Promise<Publication> {
  return new Publishing(target, plan, context).run();
}

class Publishing {
  readonly #target: ObjectTarget;
  readonly #plan: PublishPlan;
  readonly #context: PublishContext;
  readonly #uploaded: string[] = [];
  readonly #present: string[] = [];

  constructor(target: ObjectTarget, plan: PublishPlan, context: PublishContext) {
    this.#target = target;
    this.#plan = plan;
    this.#context = context;
  }

  async run(): Promise<Publication> {
    const target = this.#target;
    const context = this.#context;
    const { key, keep, graceMs, isDryRun } = this.#plan;
    const { signal, report } = context;
    const files = filesOf(this.#plan);
    // What must be refused is refused before anything is sent.
    const planned = await this.#next(report);
    if (key === undefined && planned.before !== undefined) await this.#warnIfSigned(planned.before.bytes);
    if (isDryRun) {
      for (const { name, content } of files) {
        ((await this.#has(name, content)) ? this.#present : this.#uploaded).push(name);
      }
      return { manifest: planned.manifest, uploaded: this.#uploaded, present: this.#present, removed: [] };
    }

    for (const file of files) await this.#upload(file);
    // Again, since that may have taken long: its times begin now, and others may have published.
    const { before, last, history, manifest, nowMs } = await this.#next(() => {});
    const bytes = writeManifest(manifest);
    if (key !== undefined) {
      const name = signatureName(createHash('sha256').update(bytes).digest('hex'));
      await this.#put(name, text(signManifest(key, bytes, manifest.sequence, nowMs), FOR_EVER, 'text/plain'));
    }
    const historical = historyName(manifest.sequence);
    await this.#claim(historical, bytes);
    const keepsConditions = await this.#keepsConditions(historical, bytes);
    try {
      await this.#replaceManifest(bytes, before, keepsConditions);
    } catch (error) {
      // The history has only what was the latest once, but a lost answer leaves that open.
      const isDead = error instanceof PublishError && error.code === 'overtaken';
      if (isDead) await target.remove(historical, signal).catch(() => {});
      throw error;
    }
    const dead = last === undefined ? [] : history.filter((sequence) => sequence > last.sequence);
    // Another publisher may have removed them as old ones, between the look for them and the manifest.
    for (const { name, content } of files) {
      if (!(await this.#has(name, content))) await this.#put(name, content);
    }
    const removed = await this.#removeOld(dead.map(historyName), { keep, graceMs, nowMs, replaced: last });
    return { manifest, uploaded: this.#uploaded, present: this.#present, removed };
  }

  /** The manifest that would be published now, and what it would follow. */
  async #next(report: (line: string) => void) {
    const { shownAs } = this.#target;
    const { signal } = this.#context;
    const before = await bytesOf(this.#target, MANIFEST_NAME, signal);
    const history = await historyOf(this.#target, signal);
    const last = before === undefined ? undefined : this.#read(before.bytes);
    const nowMs = this.#context.nowMs();
    const manifest = nextManifest(this.#plan, { last, highest: history[0], shownAs }, { nowMs, report });
    return { before, last, history, manifest, nowMs };
  }

  #read(bytes: Buffer): Manifest {
    try {
      return parseManifest(bytes);
    } catch (error) {
      if (!(error instanceof ManifestError)) throw error;
      const remedy = 'move it away: the sequence then continues that of history/';
      throw new PublishError(
        'unreadable-manifest',
        `${this.#target.shownAs}: ${MANIFEST_NAME}: ${error.message}; ${remedy}`,
      );
    }
  }

  async #warnIfSigned(before: Buffer): Promise<void> {
    const name = signatureName(createHash('sha256').update(before).digest('hex'));
    if ((await bytesOf(this.#target, name, this.#context.signal)) === undefined) return;
    const remedy = 'replicas that trust a key refuse this one; publish with --key';
    this.#context.report(`warning: the manifest before it was signed: ${remedy}`);
  }

  async #upload({ name, content }: ToUpload): Promise<void> {
    if (await this.#has(name, content)) {
      this.#present.push(name);
      return;
    }
    const upload = this.#context.onUpload?.(content);
    try {
      const onSent = (bytes: number): void => upload?.advance(bytes);
      await this.#put(name, { ...content, onSent });
    } finally {
      upload?.end();
    }
    this.#uploaded.push(name);
  }

  /** Under a name that is a hash, the size tells a whole object from the rest of a broken upload. */
  async #has(name: string, { bytes }: ToUpload['content']): Promise<boolean> {
    const reply = await this.#target.get(name, { signal: this.#context.signal });
    if (reply.kind === 'found') await end(reply.body);
    return reply.kind === 'found' && reply.bytes === bytes;
  }

  async #put(name: string, content: ObjectContent): Promise<void> {
    await this.#target.put(name, content, this.#context.signal);
  }

  /** Takes the sequence. */
  async #claim(name: string, bytes: Buffer): Promise<void> {
    const isTaken = !(await this.#putIf(name, bytes, FOR_EVER, { kind: 'absent' }));
    if (isTaken) throw this.#overtaken(`${name} is there already`);
  }

  /** The same bytes again, under a condition that cannot hold: whether the store refuses. */
  async #keepsConditions(name: string, bytes: Buffer): Promise<boolean> {
    const condition = { kind: 'unchanged', etag: NO_ETAG } as const;
    const outcome = await this.#target.put(name, text(bytes, FOR_EVER), this.#context.signal, condition);
    if (outcome === 'changed') return true;
    this.#context.report(
      `warning: ${this.#target.shownAs} does not check conditions: see that there is only one publisher at a time`,
    );
    return false;
  }

  async #replaceManifest(bytes: Buffer, before: Before, keepsConditions: boolean): Promise<void> {
    const { signal } = this.#context;
    const condition = conditionOf(before);
    if (keepsConditions && condition !== undefined) {
      if (!(await this.#putIf(MANIFEST_NAME, bytes, ALWAYS_ASK, condition)))
        throw this.#overtaken('the manifest has changed');
    } else {
      const now = await bytesOf(this.#target, MANIFEST_NAME, signal);
      const isSame = now === undefined ? before === undefined : before?.bytes.equals(now.bytes) === true;
      if (!isSame) throw this.#overtaken('the manifest has changed');
      await this.#put(MANIFEST_NAME, text(bytes, ALWAYS_ASK));
    }
    const after = await bytesOf(this.#target, MANIFEST_NAME, signal);
    if (after?.bytes.equals(bytes) !== true) throw this.#overtaken('another manifest is there afterwards');
  }

  /**
   * Whether the object is there with these bytes. A request whose answer was lost is sent again, and then
   * meets its own object.
   */
  async #putIf(name: string, bytes: Buffer, cacheControl: string, condition: PutCondition): Promise<boolean> {
    const { signal } = this.#context;
    const outcome = await this.#target.put(name, text(bytes, cacheControl), signal, condition);
    if (outcome === 'stored') return true;
    const found = await bytesOf(this.#target, name, signal);
    if (outcome === 'changed') return found?.bytes.equals(bytes) === true;
    if (found !== undefined && condition.kind === 'absent') return found.bytes.equals(bytes);
    await this.#put(name, text(bytes, cacheControl));
    return true;
  }

  /**
   * Also numbers that were taken by publishers that failed. The snapshot is published by then: what fails
   * here is left for the next time.
   */
  async #removeOld(
    dead: readonly string[],
    { keep, ...keeping }: Omit<Keeping, 'keep'> & { readonly keep: number | undefined },
  ): Promise<readonly string[]> {
    const { signal, report } = this.#context;
    try {
      for (const name of dead) await this.#target.remove(name, signal);
      return keep === undefined ? [] : await removeOld(this.#target, { ...keeping, keep }, signal);
    } catch (error) {
      if (!(error instanceof ObjectError || error instanceof ManifestError)) throw error;
      report(`warning: old objects are not removed: ${error.message}`);
      return [];
    }
  }

  #overtaken(how: string): PublishError {
    const remedy = 'another publisher is at work: publish again when it has ended';
    return new PublishError('overtaken', `${this.#target.shownAs}: ${how}; ${remedy}`);
  }
}

type Before = Awaited<ReturnType<typeof bytesOf>>;

/** Undefined for a tag that cannot be one. */
function conditionOf(before: Before): PutCondition | undefined {
  if (before === undefined) return { kind: 'absent' };
  const { etag } = before;
  return etag === undefined || etag.startsWith('W/') ? undefined : { kind: 'unchanged', etag };
}

function text(content: string | Buffer, cacheControl: string, type = 'application/json'): ObjectContent {
  return { kind: 'bytes', bytes: Buffer.from(content), type, cacheControl };
}
