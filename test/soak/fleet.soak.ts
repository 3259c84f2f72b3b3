// A fleet behind a real HAProxy, with a real web server for its data and a real engine for its quotas:
// snapshots are published, good and bad, while replicas restart, and replicas, engine and store fail. No
// request fails, nobody sees an older snapshot after a newer one, and the quota holds for all replicas
// together.

import assert from 'node:assert/strict';
import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Dice } from '../../src/generator/dice.ts';
import { figure } from '../support/figure.ts';
import { corrupt, MARKER_SLUG } from '../support/load/builds.ts';
import { describeFailures, type Exchange, judgeStatus, Load } from '../support/load/load.ts';
import { get, mixedRequests } from '../support/load/mix.ts';
import { hasHaproxy, NOTICE_MS } from '../support/process/haproxy.ts';
import { HttpSocket, headerOf } from '../support/process/http-socket.ts';
import { withoutEngine } from '../support/process/redis.ts';
import { BURST, CLIENT, Fleet, type Replica } from './support/fleet-scene.ts';
import { hasNginx } from './support/fleet-store.ts';
import { scaled, sleep, within } from './support/scale.ts';

const skip = withoutEngine || (hasHaproxy() && hasNginx ? false : 'haproxy or nginx is not installed');
const REPLICAS = 5;
const CLIENTS = 64;
const SNAPSHOTS = scaled(14, 7);
const BAD = ['corrupt', 'unsigned', 'rolled back', 'other verdicts'] as const;
const OUTAGE_MS = scaled(10_000, 3_000);
const ACTIVATE_IN_MS = 4_000;
const PATIENCE_MS = 40_000; // on a busy machine
const LAST_LINES = 12;
/** After the time at which it is to be activated. */
const SWITCHED_MS = 2_000;
const LIMIT_PER_MINUTE = 1_200;
/** A client that was told of a snapshot by one replica may meet another that switches a moment later. */
const SKEW_MS = 500;
const INFO = 30;
const ASKED_MS = 10_000; // a request, on a busy machine

/** The order in which snapshots were published, and from when on all of the fleet may be asked for one. */
class Publications {
  readonly #orders = new Map<string, number>();

  add(id: string): void {
    this.#orders.set(id, this.#orders.size);
  }

  orderOf(id: string): number | undefined {
    return this.#orders.get(id);
  }
}

/** What a client that stays on its replica has seen: never an older snapshot after a newer one. */
class Witness {
  readonly #publications: Publications;
  readonly #newest = new Map<number, { readonly order: number; readonly sinceMs: number }>();
  readonly answers = new Map<string, number>();

  constructor(publications: Publications) {
    this.#publications = publications;
  }

  judge(exchange: Exchange): string | undefined {
    const wrong = judgeStatus(exchange);
    const id = snapshotOf(exchange);
    if (wrong !== undefined || id === undefined) return wrong;
    this.answers.set(id, (this.answers.get(id) ?? 0) + 1);
    const order = this.#publications.orderOf(id);
    if (order === undefined) return `snapshot ${id} was never to be served`;
    const seen = this.#newest.get(exchange.connection);
    // Its replica may have failed between two that switch at the same time.
    if (seen !== undefined && order < seen.order && exchange.startedMs > seen.sinceMs + SKEW_MS) {
      return `snapshot ${order} after snapshot ${seen.order}`;
    }
    if (seen === undefined || order > seen.order) {
      this.#newest.set(exchange.connection, { order, sinceMs: performance.now() });
    }
    return undefined;
  }
}

function snapshotOf({ reply }: Exchange): string | undefined {
  return headerOf(reply.head, 'ETag')?.slice(1, 17);
}

test('a fleet moves as one, whatever is published and whatever fails', { skip }, async (t) => {
  const fleet = await Fleet.prepare(t, {
    replicas: REPLICAS,
    advisories: scaled(3_000, 1_000),
    requestsPerMinute: LIMIT_PER_MINUTE,
  });
  const publications = new Publications();
  const first = await fleet.builds.compile(1);
  publications.add(first.id);
  await fleet.publish(first.path);
  await fleet.start();

  const dice = new Dice(47);
  const witness = new Witness(publications);
  const mixed = mixedRequests(fleet.builds.records, fleet.access.free, 9);
  const lookups = lookupsIn(fleet);
  const sticky = new Load({
    port: fleet.port,
    connections: CLIENTS,
    next: (connection) => {
      const request = dice.whole(0, 1) === 0 ? mixed(connection) : dice.pick(lookups);
      return request.replace('\r\n', `\r\n${CLIENT}: ${connection}\r\n`);
    },
    judge: (exchange) => witness.judge(exchange),
    pauseMs: 100,
  });
  const pinned = new PinnedLoad(fleet, publications, first.id);
  const limited = new LimitedLoad(fleet);
  try {
    await publishAll(t, fleet, publications, pinned);
  } finally {
    const times = await sticky.stop();
    t.diagnostic(`clients of one replica: ${times.summary()}`);
    t.diagnostic(`clients that pin: ${(await pinned.load.stop()).summary()}`);
    await limited.load.stop();
  }
  for (const { failures } of [sticky, pinned.load])
    assert.equal(failures.length, 0, describeFailures(failures));
  assert.equal(limited.load.failures.length, 0, describeFailures(limited.load.failures));
  limited.check(t);
  for (const { server } of fleet.replicas) assert.equal(await server.stop(), 0);
});

/** Of every product, at a version that most of its advisories affect: what a canary can tell from. */
function lookupsIn({ builds, access }: Fleet): readonly string[] {
  return builds.records.map(({ product, affected }) => {
    const version = affected?.[0]?.from_version ?? '0.1.0'; // every type reads it
    const path = `/product/${product.type}/${encodeURIComponent(product.slug)}/${encodeURIComponent(version)}`;
    return get(`${path}/exists`, access.free);
  });
}

/** Publishes one snapshot after another; in between come the bad ones, and outages. */
async function publishAll(
  t: TestContext,
  fleet: Fleet,
  publications: Publications,
  pinned: PinnedLoad,
): Promise<void> {
  const dice = new Dice(43);
  const switches: number[] = [];
  let late = 0;
  for (let number = 2; number <= SNAPSHOTS; number++) {
    const bad = BAD[number - 3];
    if (bad !== undefined) await publishBad(fleet, bad, number);
    if (number === 4) fleet.engine.suspend();
    const build = await fleet.builds.compile(number);
    publications.add(build.id);
    const { manifest } = await fleet.publish(build.path, ['--activate-in', `${ACTIVATE_IN_MS / 1000}s`]);
    const activateAtMs = Date.parse(manifest.activate_at ?? '');
    if (number === 3 || number === 4) {
      const victim = dice.pick(fleet.replicas);
      await victim.kill();
      await victim.start();
    }
    if (number === 6) {
      await everyReplica(fleet, `has fetched snapshot ${number}`, ({ server }) => {
        return timeOf(server, 'snapshot fetched', build.id) !== undefined;
      });
      await fleet.store.cut();
    }
    await everyReplica(fleet, `serves snapshot ${number}`, (replica) => replica.serves(build.id));
    for (const { server } of fleet.replicas) {
      const preparedAtMs = timeOf(server, 'snapshot prepared', build.id) ?? Infinity;
      const loadedAtMs = timeOf(server, 'snapshot loaded', build.id) ?? Infinity;
      if (preparedAtMs < activateAtMs) switches.push(loadedAtMs - activateAtMs);
      else late++;
    }
    if (number === 4 || number === 6) await sleep(OUTAGE_MS);
    if (number === 4) fleet.engine.resume();
    if (number === 6) await fleet.store.restore();
    pinned.pin(build.id);
    // Not earlier: a replica that starts holds no older snapshot, which a client may have begun with.
    if (number === 5) await restartAll(fleet);
  }
  const latestMs = Math.max(...switches);
  t.diagnostic(
    `${switches.length} switches of prepared replicas, ${Math.min(...switches)} to ${latestMs} ms after the time to activate; ${late} began too late to be prepared`,
  );
  assert.ok(late < switches.length, 'most replicas are prepared in time');
  const name = 'fleet: the last replica switched after its time';
  figure(t, { source: 'fleet', name, value: latestMs, unit: 'ms', ceiling: SWITCHED_MS });
}

/** One after another, as an operator does; each drains before it stops. */
async function restartAll(fleet: Fleet): Promise<void> {
  for (const replica of fleet.replicas) {
    assert.equal(await replica.server.stop(), 0, 'a replica stops cleanly');
    await replica.start();
    await sleep(NOTICE_MS);
  }
}

/** Throws an error with the last lines of those that do not, after some time. */
async function everyReplica(
  { replicas }: Fleet,
  what: string,
  does: (replica: Replica, i: number) => boolean | Promise<boolean>,
): Promise<void> {
  let missing: readonly Replica[] = replicas;
  await within(`every replica ${what}`, PATIENCE_MS, async () => {
    const done = await Promise.all(replicas.map(does));
    missing = replicas.filter((_, i) => !done[i]);
    return missing.length === 0;
  }).catch((error: Error) => {
    const lines = missing.flatMap(({ server, port }) => [
      `replica ${port}:`,
      ...server.log.slice(-LAST_LINES).map((line) => JSON.stringify(line)),
    ]);
    throw new Error(`${error.message}\n${lines.join('\n')}`);
  });
}

/** When it wrote that line about a snapshot; undefined if it has not. */
function timeOf({ log }: Replica['server'], message: string, id: string): number | undefined {
  const line = log.find((each) => each.msg === message && each.id === id);
  return line === undefined ? undefined : Date.parse(String(line.time));
}

/** Publishes what must not go live; resolves when every replica has said so. */
async function publishBad(fleet: Fleet, bad: (typeof BAD)[number], number: number): Promise<void> {
  const { folder } = fleet.store;
  const manifest = join(folder, 'latest.json');
  const kept = join(folder, '..', 'latest.json.kept');
  const before = fleet.replicas.map(({ server }) => refusals(server));
  const isLater = number * 10;
  switch (bad) {
    case 'corrupt': {
      const build = await fleet.builds.compile(isLater);
      const known = new Set(readdirSync(join(folder, 'snapshots')));
      await fleet.store.cut(); // or a replica may be faster than this
      await fleet.publish(build.path, ['--activate-in', '1s']);
      const [added] = readdirSync(join(folder, 'snapshots')).filter((name) => !known.has(name));
      corrupt(join(folder, 'snapshots', added));
      await fleet.store.restore();
      break;
    }
    case 'unsigned':
      await fleet.publish((await fleet.builds.compile(isLater)).path, [], false);
      break;
    case 'rolled back':
      copyFileSync(manifest, kept);
      copyFileSync(join(folder, 'history', readdirSync(join(folder, 'history')).sort()[0]), manifest);
      break;
    case 'other verdicts': {
      // Few clients may be on a replica, and one that was started again has forgotten what they asked.
      await Promise.all(fleet.replicas.map((replica) => askAll(fleet, replica)));
      const build = await fleet.builds.compile(isLater, (id) => id % 4 !== 0);
      await fleet.publish(build.path);
      break;
    }
  }
  await everyReplica(fleet, `refuses what is ${bad}`, ({ server }, i) => refusals(server) > before[i]);
  if (bad === 'rolled back') copyFileSync(kept, manifest);
}

async function askAll(fleet: Fleet, { port }: Replica): Promise<void> {
  const socket = new HttpSocket(port);
  for (const request of lookupsIn(fleet)) await socket.request(request, ASKED_MS);
  socket.close();
}

/** How often it refused a manifest, or a snapshot. */
function refusals({ log }: Replica['server']): number {
  const refused = log.filter(({ condition, level }) => condition === 'source_refused' && level > INFO);
  return refused.length + log.filter(({ msg }) => msg === 'snapshot refused').length;
}

/** Clients of any replica, each of which asks for the snapshot that it began with. */
class PinnedLoad {
  readonly load: Load;
  #id: string;

  constructor(fleet: Fleet, publications: Publications, id: string) {
    this.#id = id;
    const path = `/product/plugin/${MARKER_SLUG}/1.0.0`;
    const asked: string[] = [];
    this.load = new Load({
      port: fleet.port,
      connections: 8,
      next: (connection) => {
        asked[connection] = this.#id;
        return get(`${path}?snapshot=${this.#id}`, fleet.access.free);
      },
      judge: (exchange) => {
        const wrong = judgeStatus(exchange);
        const got = snapshotOf(exchange);
        if (wrong !== undefined || got === asked[exchange.connection]) return wrong;
        return `${publications.orderOf(got ?? '')} in place of ${asked[exchange.connection]}`;
      },
      pauseMs: 100,
    });
  }

  /** From now on they begin with this one. */
  pin(id: string): void {
    this.#id = id;
  }
}

/** Clients that spend one quota at all replicas as fast as they can. */
class LimitedLoad {
  readonly load: Load;
  readonly #startMs = performance.now();
  #admitted = 0;
  #refused = 0;

  constructor(fleet: Fleet) {
    this.load = new Load({
      port: fleet.port,
      connections: 8,
      next: () => get(`/product/plugin/${MARKER_SLUG}/1.0.0/exists`, fleet.access.limited.limited ?? ''),
      judge: (exchange) => {
        const { status } = exchange.reply;
        if (status === 200) this.#admitted++;
        if (status === 429) this.#refused++;
        return status === 429 ? undefined : judgeStatus(exchange);
      },
      pauseMs: 20,
    });
  }

  /** The quota of the whole time, and what all replicas may have leased ahead. */
  check(t: TestContext): void {
    const seconds = (performance.now() - this.#startMs) / 1000;
    const allowed = BURST + (LIMIT_PER_MINUTE / 60) * seconds;
    const share = this.#admitted / allowed;
    t.diagnostic(
      `limited: ${this.#admitted} admitted, ${this.#refused} refused in ${seconds.toFixed(0)} s; the quota allows ${allowed.toFixed(0)}`,
    );
    assert.ok(this.#refused > 0, 'the quota was exhausted');
    assert.ok(share > 0.5, 'what the quota allows is admitted');
    assert.ok(share < 1.3, 'more than the quota and the leases of all replicas');
  }
}
