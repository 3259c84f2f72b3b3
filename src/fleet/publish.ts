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
  nextManifest,
  type Publication,
  type PublishContext,
  PublishError,
  type PublishedFile,
  type PublishPlan,
} from './publication.ts';
import {
  bytesOf,
  historyName,
  historyOf,
  type Keeping,
  objectName,
  removeOld,
  snapshotName,
} from './published.ts';

/** Never changes: its name is its hash. */
const FOR_EVER = 'public, max-age=31536000, immutable';
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
    const { signal, nowMs } = context;
    const before = await bytesOf(target, MANIFEST_NAME, signal);
    const history = await historyOf(target, signal);
    if (keep !== undefined && history === undefined) {
      const remedy = 'leave --keep out, and remove old objects on the server';
      throw new PublishError('cannot-list', `${target.shownAs}: its objects cannot be listed; ${remedy}`);
    }
    const last = before === undefined ? undefined : this.#read(before.bytes);
    const published = { last, highest: history?.[0], shownAs: target.shownAs };
    const manifest = nextManifest(this.#plan, published, context);
    const bytes = writeManifest(manifest);
    if (key === undefined && before !== undefined) await this.#warnIfSigned(before.bytes);
    const files = this.#files();
    if (isDryRun) {
      for (const { name, content } of files)
        ((await this.#has(name, content)) ? this.#present : this.#uploaded).push(name);
      return { manifest, uploaded: this.#uploaded, present: this.#present, removed: [] };
    }

    for (const file of files) await this.#upload(file);
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
      // A history entry that was never the latest would count among those that are kept.
      if (history !== undefined) await target.remove(historical, signal).catch(() => {});
      throw error;
    }
    // Another publisher may have removed them as old ones, between the look for them and the manifest.
    for (const file of files)
      if (!(await this.#has(file.name, file.content))) await this.#put(file.name, file.content);
    const removed = keep === undefined ? [] : await this.#removeOld({ keep, graceMs, nowMs });
    return { manifest, uploaded: this.#uploaded, present: this.#present, removed };
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

  #files(): readonly Upload[] {
    const { snapshot, objects } = this.#plan;
    const upload = (name: string, { path, bytes, sha256 }: PublishedFile): Upload => ({
      name,
      content: {
        kind: 'file',
        path,
        bytes,
        sha256,
        type: 'application/octet-stream',
        cacheControl: FOR_EVER,
      },
    });
    return [
      upload(snapshotName(snapshot.sha256), snapshot),
      ...objects.map((object) => upload(objectName(object.sha256), object)),
    ];
  }

  async #upload({ name, content }: Upload): Promise<void> {
    if (await this.#has(name, content)) {
      this.#present.push(name);
      return;
    }
    await this.#put(name, content);
    this.#uploaded.push(name);
  }

  /** Under a name that is a hash, the size tells a whole object from the rest of a broken upload. */
  async #has(name: string, { bytes }: Upload['content']): Promise<boolean> {
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

  /** The snapshot is published by then: what fails here is left for the next time. */
  async #removeOld(keeping: Keeping): Promise<readonly string[]> {
    const { signal, report } = this.#context;
    try {
      return await removeOld(this.#target, keeping, signal);
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

interface Upload {
  readonly name: string;
  readonly content: Extract<ObjectContent, { kind: 'file' }>;
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
